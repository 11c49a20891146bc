// The linker from start to end, a line a pass.
#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <new>

#include "linker/context.hpp"
#include "linker/elf/elf_writer.hpp"
#include "linker/io/output_bytes.hpp"
#include "linker/report/verify.hpp"

namespace bpflink {

struct BPFLINK_INTERNAL Linker::Impl {
  LinkOptions options;
  DiagnosticHandler handler;
  std::vector<InputSource> sources;
  LinkReport report = {};

  /// Links and, if that went well, lets `write` put the output where it belongs.
  template <typename Write>
  bool run(Write write);
};

namespace {

/// Runs a pass unless one before it has failed: a pass may rely on what the
/// earlier ones have checked. Within a pass, all errors are reported.
void run(Context& context, const char* name, void (*pass)(Context&)) {
  if (context.diagnostics.failed()) return;
  if (!context.report) return pass(context);
  auto start = std::chrono::steady_clock::now();
  pass(context);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  context.report->passes.emplace_back(name, seconds.count());
}

void link(Context& context) {
  // Everything in an input is checked here, so that no later pass has to.
  run(context, "read inputs", read_inputs);

  // One winner per global name, and the VAR or FUNC that describes it. What
  // loses is known from here on.
  run(context, "resolve symbols", resolve_symbols);

  // What the user asked about by name (-y).
  run(context, "trace symbols", trace_symbols);

  // Cut sections, so that the bytes of a definition that lost can go while what
  // stands around them stays. Needs to know the losers.
  run(context, "split into fragments", split_into_fragments);

  // With --gc-sections, only what programs, maps and struct_ops reach stays.
  // What lives decides which externs are needed at all.
  run(context, "mark live", mark_live);

  // An extern that live code needs, that nobody defines and that the loader will
  // not provide is an error with all the places that refer to it.
  run(context, "report undefined symbols", report_undefined_symbols);

  // Give every live fragment its place. From here on place_of() answers.
  run(context, "lay out sections", lay_out_sections);

  // Locals first, then globals: relocations name symbols by these numbers.
  run(context, "number symbols", number_symbols);

  // Deduplicate the types of all inputs, without the VARs, DATASECs and FUNCs
  // that resolution decided about. Every input type id gets its output id.
  run(context, "merge btf", merge_btf);

  // Extern against definition, map against map. After merge_btf, because equal
  // types then have equal ids and only those that differ are walked.
  run(context, "check types", check_types);

  // VARs and DATASECs from the symbols, with real offsets and sizes.
  run(context, "build datasecs", build_datasecs);

  // Contents and relocations of the output sections. Needs the type ids too: an
  // instruction may hold one.
  run(context, "relocate", relocate);

  // func_info, line_info and core_relo follow their instructions.
  run(context, "rebase btf ext", rebase_btf_ext);

  // The last strings and types have been added: fix the bytes of .BTF.
  run(context, "finish btf", finish_btf);
}

Diagnostic output_failure(const Error& error) {
  return {.message = fmt::format("cannot write the output: {}", error.message),
          .code = DiagnosticCode::OutputFailure};
}

/// The output in memory, verified where that was asked for; nothing where it
/// cannot be made, which is told.
std::optional<std::vector<std::byte>> output_bytes(Context& context) {
  auto image = make_elf(context);
  if (!image) {
    context.diagnostics.report(output_failure(image.error()));
    return std::nullopt;
  }
  auto bytes = write_to_memory(*image);
  if (context.options.verify) verify_output(context, bytes);
  if (context.diagnostics.failed()) return std::nullopt;
  return bytes;
}

}  // namespace

template <typename Write>
bool Linker::Impl::run(Write write) {
  try {
    Context context(options, handler);
    context.sources = sources;
    report = {};
    if (options.report) context.report = &report;
    link(context);
    if (!context.diagnostics.failed()) write(context);
    if (context.report && !context.diagnostics.failed()) make_report(context);
    return !context.diagnostics.failed();
  } catch (const std::bad_alloc&) {
    if (handler) handler({.message = "out of memory"});
    return false;
  } catch (const std::exception& exception) {
    if (handler) handler({.message = exception.what()});
    return false;
  }
}

Linker::Linker(LinkOptions options, DiagnosticHandler handler)
    : impl_(new Impl{std::move(options), std::move(handler), {}}) {}
Linker::Linker(Linker&&) noexcept = default;
Linker& Linker::operator=(Linker&&) noexcept = default;
Linker::~Linker() = default;

void Linker::add_file(std::string path) {
  impl_->sources.push_back({.name = std::move(path)});
}

void Linker::add_whole_archive(std::string path) {
  impl_->sources.push_back({.name = std::move(path), .whole_archive = true});
}

const LinkReport& Linker::report() const {
  return impl_->report;
}

void Linker::add_memory(std::string name, std::span<const std::byte> image) {
  InputFile input = InputFile::in_memory(name, image);
  impl_->sources.push_back({.name = std::move(name), .given = std::move(input)});
}

void Linker::add_fd(int fd, std::string name) {
  if (name.empty()) name = fmt::format("/proc/self/fd/{}", fd);
  auto input = InputFile::open(fd, name);
  impl_->sources.push_back({.name = std::move(name), .given = std::move(input)});
}

bool Linker::link_to_file(const std::string& path) {
  return impl_->run([&](Context& context) { write_output(context, path); });
}

bool Linker::link_to_fd(int fd) {
  return impl_->run([&](Context& context) {
    auto bytes = output_bytes(context);
    if (!bytes) return;
    auto written = write_to_fd(*bytes, fd);
    if (!written) context.diagnostics.report(output_failure(written.error()));
  });
}

std::optional<std::vector<std::byte>> Linker::link_to_memory() {
  std::optional<std::vector<std::byte>> image;
  bool ok = impl_->run([&](Context& context) { image = output_bytes(context); });
  if (!ok) image.reset();
  return image;
}

}  // namespace bpflink
