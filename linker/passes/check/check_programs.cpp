// Pass: warn of programs that lost their SEC(), which loaders skip, or whose section is misspelled.
//
// Loaders load a function of .text only together with programs that call it. A library may have
// functions without a caller.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "bpflink/btf_query.hpp"
#include "bpflink/object.hpp"
#include "bpflink/print.hpp"
#include "dedup/internal.hpp"
#include "linker/context.hpp"
#include "linker/object/program_contexts.hpp"
#include "linker/object/references.hpp"
#include "linker/object/section_names.hpp"
#include "linker/text/locations.hpp"

namespace bpflink {
namespace {

/// Everything that has a reference: from code and data by relocation or branch, from tags by name.
class Referenced {
 public:
  explicit Referenced(Context& context) {
    for (auto& object : context.objects) {
      for (InputSection& section : object->linked_sections())
        if (section.is_loaded()) add(*object, section);
      for (uint32_t id : object->tags) {
        std::string_view text = object->btf->name(object->btf->type(id));
        if (size_t colon = text.find(':'); colon != text.npos)
          names_.insert(text.substr(colon + 1));
      }
    }
  }

  bool contains(const Symbol& symbol) const {
    InputPlace place = symbol.place();
    return symbols_.contains(&symbol) || names_.contains(symbol.name) ||
           places_.contains({place.section, place.offset});
  }

  /// Whether another file refers to functions of the object.
  bool is_library(const ObjectFile& object) const { return libraries_.contains(&object); }

 private:
  void add(ObjectFile& object, InputSection& section) {
    for (const Relocation& relocation : section.relocations) {
      Target to = target_of(object, relocation);
      const Symbol* symbol = to.global();
      if (!symbol)
        places_.emplace(to.place.section, to.place.offset);
      else
        symbols_.insert(symbol);
      if (symbol && symbol->is_defined && !to.symbol->is_defined() && is_function(*symbol))
        libraries_.insert(symbol->file);
    }
    if (!section.is_code()) return;
    for_each_local_branch(section, 0, section.size, [&](const LocalBranch& branch) {
      if (branch.is_call) places_.emplace(&section, branch.to);
    });
  }

  static bool is_function(const Symbol& symbol) {
    const InputSection* section = symbol.place().section;
    return section && section->is_code();
  }

  std::unordered_set<const Symbol*> symbols_;
  std::unordered_set<const ObjectFile*> libraries_;
  std::unordered_set<std::string_view> names_;
  std::set<std::pair<const InputSection*, int64_t>> places_;
};

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

/// Warns of sections whose names are like those of programs, and once an object of those that only
/// loaders like cilium/ebpf's take.
void warn_misspelled_sections(Context& context) {
  std::set<std::string_view> seen;
  for (const auto& object : context.objects) {
    bool has_continued = false;
    for (const InputSymbol& symbol : object->symbols) {
      if (symbol.type != STT_FUNC || !is_live(*object, symbol)) continue;
      const InputSection& section = object->sections[symbol.section];
      if (!section.is_code() || section.role == SectionRole::Text) continue;
      std::string_view name = section.name;
      if (section_meaning(name).type != ProgramType::Unspec || !seen.insert(name).second) continue;
      name.remove_prefix(name.starts_with('?') ? 1 : 0);
      std::string similar = similar_section(name);
      std::string_view whole = similar.empty() ? continued_section(name) : "";
      if (!whole.empty() && !has_continued)
        context.diagnostics.warning(
            fmt::format("libbpf refuses programs in section '{}'", name),
            {reference_to(*object, symbol),
             hint(fmt::format("for libbpf: SEC(\"{}\"); other loaders, such as "
                              "cilium/ebpf, let a name follow",
                              whole))},
            DiagnosticCode::General, {.symbol = symbol.name});
      has_continued |= !whole.empty();
      if (similar.empty()) continue;
      context.diagnostics.warning(
          fmt::format("loaders know no type of programs in section '{}'", name),
          {reference_to(*object, symbol), hint(fmt::format("did you mean SEC(\"{}\")?", similar))},
          DiagnosticCode::General, {.symbol = symbol.name});
    }
  }
}

void warn_lost_sections(Context& context) {
  constexpr size_t max_functions = 64;  // more are hardly a mistake
  size_t checked = 0;
  std::optional<Referenced> referenced;
  for (const auto& object : context.objects)
    for (const BtfDeclaration& declaration : object->declarations) {
      const Symbol* symbol = declaration.symbol;
      // Weak functions come from libraries in headers.
      if (!declaration.is_func() || !symbol || !symbol->in_output || symbol->binding == STB_WEAK ||
          !symbol->is_from(*object, declaration.symbol_index))
        continue;
      const InputSection* section = symbol->place().section;
      if (!section || section->role != SectionRole::Text) continue;
      BtfType prototype = object->btf->type(declaration.type().type());
      if (prototype.vlen() == 0) continue;
      auto expected = section_for_parameter(*object->btf, prototype.param(0).type);
      if (!expected || expected->empty()) continue;
      if (!referenced) referenced.emplace(context);
      if (referenced->contains(*symbol) || referenced->is_library(*object)) continue;
      if (++checked > max_functions) return;
      if (is_inlined(*object, symbol->input())) continue;
      context.diagnostics.warning(
          fmt::format("'{}' is in .text: is SEC(...) missing?", symbol->name),
          {reference_to(*object, symbol->input(),
                        print_c_declaration(*object->btf, declaration.type().type(), symbol->name)),
           note("nothing calls it, so loaders skip it"),
           hint(fmt::format("if it is a program: SEC(\"{}\")", *expected))},
          DiagnosticCode::General, {.symbol = symbol->name});
    }
}

}  // namespace

void check_programs(Context& context) {
  warn_misspelled_sections(context);
  warn_lost_sections(context);
}

}  // namespace bpflink
