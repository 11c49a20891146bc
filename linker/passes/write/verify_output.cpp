// Pass: check the written object (--verify, and always where bitcode was joined).
#include <fmt/format.h>

#include <unordered_map>

#include "linker/files/object_faults.hpp"
#include "linker/state/context.hpp"
#include "linker/text/kernel_faults.hpp"
#include "linker/types/loaded_btf.hpp"

namespace bpflink {
namespace {

/// Warns about well-formed types that kernels reject. They come from an input, which is linked even
/// if kernels reject its types.
void warn_rejected_types(Context& context) {
  const ObjectFile& output = *context.written;
  const InputSection* section = output.find_section(".BTF");
  if (!section) return;
  BtfVerdict verdict = check_file(output.image, section->data, BtfUse::Program, nullptr);
  // warn_rejected_names() has reported names.
  std::erase_if(verdict.faults, [](const BtfFault& fault) {
    return fault.rule == BtfRule::NameUnexpected || fault.rule == BtfRule::NameCharacters;
  });
  if (verdict.faults.empty()) return;
  std::vector<TypeOrigin> origins;
  for (const auto& object : context.objects)
    if (object->btf) origins.push_back({object->name, &object->type_map});
  std::unordered_map<uint32_t, std::string_view> symbols;
  for (const Symbol* symbol : context.symbols.all())
    if (symbol->btf_file != nullptr) symbols[symbol->output_btf_id] = symbol->btf_file->name;
  auto of_symbol = [&](uint32_t id) {
    auto found = symbols.find(id);
    return id == 0 || found == symbols.end() ? std::string_view() : found->second;
  };
  auto warnings = kernel_fault_warnings(verdict, output.name, origins, of_symbol);
  for (size_t i = 0; i < warnings.size(); ++i) {
    bool is_mended_by_option =
        i < verdict.faults.size() && (verdict.faults[i].rule == BtfRule::MemberOrder ||
                                      verdict.faults[i].rule == BtfRule::ParameterName);
    if (is_mended_by_option && context.options.hint_at_options && !context.options.kernel_names)
      warnings[i].references.push_back(hint("--kernel-names does that"));
    context.diagnostics.report(std::move(warnings[i]));
  }
}

}  // namespace

void verify_output(Context& context) {
  for (const std::string& fault : find_faults(*context.written))
    context.diagnostics.error(fmt::format("internal error: the output is malformed: {}", fault), {},
                              DiagnosticCode::OutputFailure);
  if (!context.options.partial) warn_rejected_types(context);
}

}  // namespace bpflink
