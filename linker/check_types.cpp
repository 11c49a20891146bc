// Pass: all that is declared of a name must agree.
//
// The types have been merged, so what agrees to the letter has one id; only the
// rest is compared in depth.
#include <fmt/format.h>

#include "bpflink/print.hpp"
#include "linker/context.hpp"
#include "linker/locations.hpp"
#include "linker/type_compare.hpp"

namespace bpflink {
namespace {

class TypeChecker {
 public:
  explicit TypeChecker(Context& context) : context_(context), comparer_(*context.btf) {}

  void run() {
    for (auto& object : context_.objects)
      for (const BtfDeclaration& declaration : object->declarations)
        if (!describes_symbol(*object, declaration)) check(*object, declaration);
  }

 private:
  void check(const ObjectFile& object, const BtfDeclaration& declaration) {
    const Symbol& symbol = *declaration.symbol;
    if (agrees(object, declaration, symbol)) return;
    std::vector<std::string> details;
    const InputSymbol& chosen = symbol.btf_file == symbol.file ? symbol.input() : InputSymbol{};
    describe(*symbol.btf_file, symbol.btf_id,
             symbol.is_defined && symbol.btf_file == symbol.file ? symbol.index : 0, details);
    describe(object, declaration.type_id, declaration.symbol_index, details);
    context_.diagnostics.report(
        {.severity = context_.options.check_types ? Severity::Error : Severity::Warning,
         .message = fmt::format("conflicting types of '{}'", symbol.name),
         .details = std::move(details),
         .code = DiagnosticCode::ConflictingTypes,
         .symbol = std::string(symbol.name),
         .locations = {location_of(*symbol.btf_file, chosen),
                       location_of(object, object.symbols[declaration.symbol_index])}});
  }

  bool agrees(const ObjectFile& object, const BtfDeclaration& declaration, const Symbol& symbol) {
    BtfType declared = object.btf->type(declaration.type_id);
    BtfType chosen = symbol.btf_file->btf->type(symbol.btf_id);
    uint32_t declared_id = object.type_map[declared.type()];
    uint32_t chosen_id = symbol.btf_file->type_map[chosen.type()];
    if (declared.kind() == chosen.kind() && declared_id == chosen_id) return true;
    // A ksym declared as `const void` has no type to disagree with.
    if (!symbol.loader_section.empty() && !symbol.is_defined &&
        (is_void(object, declared) || is_void(*symbol.btf_file, chosen)))
      return true;
    if (declared.kind() != chosen.kind()) return false;
    if (declaration.datasec == ".maps") {
      bool is_extern = !object.symbols[declaration.symbol_index].is_defined();
      return comparer_.same_map(declared_id, chosen_id, is_extern);
    }
    return comparer_.compatible(declared_id, chosen_id);
  }

  static bool is_void(const ObjectFile& object, BtfType type) {
    if (type.kind() != BTF_KIND_VAR) return false;
    uint32_t id = type.type();
    for (uint32_t steps = 0; id != 0 && steps < object.btf->end_id(); steps++) {
      BtfType next = object.btf->type(id);
      if (next.kind() != BTF_KIND_CONST && next.kind() != BTF_KIND_VOLATILE) return false;
      id = next.type();
    }
    return id == 0;
  }

  /// Two lines: the declaration in C, and where it is.
  static void describe(const ObjectFile& object, uint32_t id, uint32_t symbol_index,
                       std::vector<std::string>& details) {
    BtfType type = object.btf->type(id);
    const InputSymbol& symbol = object.symbols[symbol_index];
    bool is_defined = symbol_index != 0 && symbol.is_defined();
    details.push_back(
        fmt::format(">>> {}{}", is_defined ? "" : "extern ",
                    print_c_declaration(*object.btf, type.type(), object.btf->name(type))));
    std::string place = object.name;
    if (is_defined && symbol.place == InputSymbol::Place::Section) {
      const InputSection& section = object.sections[symbol.section];
      auto line = object.source_line(section, symbol.value);
      place = line ? fmt::format("{} ({})", *line, object.name)
                   : object.describe_place(section, symbol.value);
    }
    details.push_back(fmt::format(">>>     {} in {}", is_defined ? "defined" : "declared", place));
  }

  Context& context_;
  TypeComparer comparer_;
};

}  // namespace

void check_types(Context& context) {
  if (context.btf) TypeChecker(context).run();
}

}  // namespace bpflink
