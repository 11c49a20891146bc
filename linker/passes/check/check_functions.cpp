// Pass: warn about functions that loaders skip, because they lost their SEC().
#include <fmt/format.h>

#include <optional>
#include <set>
#include <unordered_set>
#include <vector>

#include "bpflink/print.hpp"
#include "linker/facts/program_contexts.hpp"
#include "linker/files/references.hpp"
#include "linker/state/context.hpp"
#include "linker/text/locations.hpp"

namespace bpflink {
namespace {

/// Whether a function only returns a constant.
bool is_constant(const ObjectFile& object, const InputSymbol& function) {
  bool is_constant = true;
  uint64_t end = function.value + function.size;
  for_each_insn(object.sections[function.section].data, function.value, end, object.byte_order,
                [&](uint64_t, const Insn& insn) {
                  is_constant &= insn.is_exit() || insn.has_type_id_immediate();
                });
  return is_constant;
}

/// Whether a compiler has also inlined the function: some source line has instructions inside and
/// outside of it. A function that returns a constant leaves no such line, but most calls leave a
/// line with its name.
bool is_inlined(const ObjectFile& object, const InputSymbol& function) {
  std::set<std::pair<uint32_t, uint32_t>> lines;  // file and line
  bool is_named = false;
  auto for_each_line = [&](bool inside, auto visit) {
    object.for_each_line_info([&](const InputSection& section, LineInfo info) {
      bool is_inside =
          section.index == function.section && info.insn_off - function.value < function.size;
      if (is_inside != inside) return;
      visit(std::pair(info.file_name_off, info.line()));
      is_named |= !inside && find_word(object.btf->string(info.line_off), function.name) !=
                                 std::string_view::npos;
    });
  };
  for_each_line(true, [&](auto line) { lines.insert(line); });
  bool found = false;
  for_each_line(false, [&](auto line) { found |= lines.contains(line); });
  return found || (is_named && is_constant(object, function));
}

/// The names that tags name, as in "exception_callback:NAME".
std::unordered_set<std::string_view> find_tagged_names(const Context& context) {
  std::unordered_set<std::string_view> names;
  for (const auto& object : context.objects)
    for (uint32_t id : object->tags) {
      std::string_view text = object->btf->name(object->btf->type(id));
      if (size_t colon = text.find(':'); colon != text.npos) names.insert(text.substr(colon + 1));
    }
  return names;
}

/// What code and data of the output refer to.
struct Uses {
  std::set<std::pair<const InputSection*, int64_t>> functions;  ///< where they begin
  std::unordered_set<const ObjectFile*> libraries;  ///< to whose functions other objects refer

  explicit Uses(const Context& context) {
    for (const auto& object : context.objects)
      for (const InputSection& section : object->linked_sections())
        if (section.is_loaded()) add(section);
  }

 private:
  void add(const InputSection& section) {
    for_each_reference(section, 0, section.size, [&](const Reference& reference) {
      InputPlace to = definition_of(reference.to);
      if (reference.is_jump || !to.section || !to.section->is_code()) return;
      if (to.section->file != section.file && !reference.to.symbol->is_defined())
        libraries.insert(to.section->file);
      functions.emplace(to.section, to.offset);
    });
  }
};

/// The section that a function of .text looks made for, or "". Weak functions come from libraries
/// in headers.
std::string find_lost_section(const ObjectFile& object, const BtfDeclaration& declaration) {
  const Symbol* symbol = declaration.symbol;
  if (!declaration.is_func() || !symbol || !symbol->in_output || symbol->binding == STB_WEAK ||
      !symbol->is_from(object, declaration.symbol_index))
    return "";
  const InputSection* section = symbol->place().section;
  if (!section || section->role != SectionRole::Text) return "";
  BtfType prototype = object.btf->type(declaration.type().type());
  if (prototype.vlen() == 0) return "";
  return section_for_parameter(*object.btf, prototype.param(0).type).value_or("");
}

}  // namespace

/// Loaders load a function of .text only together with programs that call it. A library may have
/// functions without a caller.
void check_functions(Context& context) {
  constexpr size_t max_functions = 64;  // more are hardly a mistake
  size_t checked = 0;
  std::optional<Uses> uses;
  std::optional<std::unordered_set<std::string_view>> tagged;
  for (const auto& object : context.objects)
    for (const BtfDeclaration& declaration : object->declarations) {
      const std::string expected = find_lost_section(*object, declaration);
      if (expected.empty()) continue;
      const Symbol& symbol = *declaration.symbol;
      if (!uses) uses.emplace(context);
      if (uses->functions.contains({symbol.place().section, symbol.place().offset}) ||
          uses->libraries.contains(object.get()))
        continue;
      if (!tagged) tagged = find_tagged_names(context);
      if (tagged->contains(symbol.name)) continue;
      if (++checked > max_functions) return;
      if (is_inlined(*object, symbol.input())) continue;
      context.diagnostics.warning(
          fmt::format("'{}' is in .text: is SEC(...) missing?", symbol.name),
          {reference_to(*object, symbol.input(),
                        print_c_declaration(*object->btf, declaration.type().type(), symbol.name)),
           note("nothing calls it, so loaders skip it"),
           hint(fmt::format("if it is a program: SEC(\"{}\")", expected))},
          DiagnosticCode::General, {.symbol = symbol.name});
    }
}

}  // namespace bpflink
