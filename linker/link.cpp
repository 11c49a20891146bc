// The linker from start to end, a line a pass.
#include "linker/context.hpp"

namespace bpflink {

struct Linker::Impl {
  LinkOptions options;
  DiagnosticHandler handler;
  std::vector<InputSource> sources;
};

namespace {

/// Runs a pass unless one before it has failed: a pass may rely on what the
/// earlier ones have checked. Within a pass, all errors are reported.
void run(Context& context, void (*pass)(Context&)) {
  if (!context.diagnostics.failed()) pass(context);
}

void link(Context& context) {
  // Everything in an input is checked here, so that no later pass has to.
  run(context, read_inputs);

  // One winner per global name, and the VAR or FUNC that describes it. What
  // loses is known from here on.
  run(context, resolve_symbols);

  // Cut sections, so that the bytes of a definition that lost can go while what
  // stands around them stays. Needs to know the losers.
  run(context, split_into_fragments);

  // With --gc-sections, only what programs, maps and struct_ops reach stays.
  // What lives decides which externs are needed at all.
  run(context, mark_live);

  // An extern that live code needs, that nobody defines and that the loader will
  // not provide is an error with all the places that refer to it.
  run(context, report_undefined_symbols);

  // Give every live fragment its place. From here on place_of() answers.
  run(context, lay_out_sections);

  // Locals first, then globals: relocations name symbols by these numbers.
  run(context, number_symbols);

  // Deduplicate the types of all inputs, without the VARs, DATASECs and FUNCs
  // that resolution decided about. Every input type id gets its output id.
  run(context, merge_btf);

  // Extern against definition, map against map. After merge_btf, because equal
  // types then have equal ids and only those that differ are walked.
  run(context, check_types);

  // VARs and DATASECs from the symbols, with real offsets and sizes.
  run(context, build_datasecs);

  // Contents and relocations of the output sections. Needs the type ids too: an
  // instruction may hold one.
  run(context, relocate);

  // func_info, line_info and core_relo follow their instructions.
  run(context, rebase_btf_ext);

  // The last strings and types have been added: fix the bytes of .BTF.
  run(context, finish_btf);
}

}  // namespace

Linker::Linker(LinkOptions options, DiagnosticHandler handler)
    : impl_(new Impl{options, std::move(handler), {}}) {}
Linker::Linker(Linker&&) noexcept = default;
Linker& Linker::operator=(Linker&&) noexcept = default;
Linker::~Linker() = default;

void Linker::add_file(std::string path) {
  impl_->sources.push_back({std::move(path), std::nullopt});
}

void Linker::add_memory(std::string name, std::span<const std::byte> image) {
  impl_->sources.push_back({std::move(name), image});
}

bool Linker::link_to_file(const std::string& path) {
  Context context(impl_->options, impl_->handler);
  context.sources = impl_->sources;
  link(context);
  if (!context.diagnostics.failed()) write_output(context, path);
  return !context.diagnostics.failed();
}

}  // namespace bpflink
