// Pass: check externs that the loader or the verifier rejects.
//
// A variable whose definition is const lies in .rodata, which loaders map read-only, unless it has
// SEC(".data.NAME"). Code must not write to it. libbpf finds no weak symbol without a definition,
// and fills in options of the kernel's configuration by name and type.
#include <fmt/format.h>

#include <vector>

#include "bpflink/print.hpp"
#include "linker/files/references.hpp"
#include "linker/program/address_uses.hpp"
#include "linker/state/context.hpp"
#include "linker/state/symbol_hints.hpp"
#include "linker/text/locations.hpp"
#include "linker/types/kconfig_type.hpp"
#include "linker/types/qualifiers.hpp"

namespace bpflink {
namespace {

/// A store of live code to a symbol.
std::optional<DiagnosticLocation> find_store(const ObjectFile& object, uint32_t symbol) {
  for (const InputSection& section : object.linked_sections())
    for (const Relocation& relocation : section.relocations) {
      if (!section.is_code() || relocation.symbol != symbol || relocation.type != R_BPF_64_64)
        continue;
      std::optional<uint64_t> store;
      for_each_use_of_address(
          section, relocation.offset, 0,
          [&](uint64_t at, const Insn& insn, std::optional<int64_t>) {
            if (BPF_CLASS(insn.code) != BPF_LDX && is_live(section, at) && !store) store = at;
          });
      if (store) return location_of(object, section, *store);
    }
  return std::nullopt;
}

/// `searches` limits the walks over code, for the whole link.
void check_const(Context& context, const ObjectFile& object, const BtfDeclaration& declaration,
                 int& searches) {
  constexpr int max_searches = 64;
  const Symbol& symbol = *declaration.symbol;
  uint32_t definition = symbol.variable_type();
  if (definition == 0) return;
  bool is_defined_const = qualifiers_of(*symbol.btf_file->btf, definition).is_const;
  if (is_defined_const == qualifiers_of(*object.btf, declaration.type().type()).is_const) return;
  auto describe = [&](const ObjectFile& file, const InputSymbol& entry, uint32_t type) {
    std::string text = print_c_declaration(*file.btf, type, symbol.name);
    return reference_to(file, entry, entry.is_defined() ? text : "extern " + text);
  };
  std::vector references = {
      describe(*symbol.file, symbol.input(), definition),
      describe(object, object.symbols[declaration.symbol_index], declaration.type().type())};
  Severity severity = Severity::Warning;
  std::string message = fmt::format("'{}' is declared const but defined non-const", symbol.name);
  if (is_defined_const) {
    message = fmt::format("'{}' is defined const but declared non-const", symbol.name);
    const InputSection* holder = symbol.place().section;
    bool is_read_only = holder && holder->role == SectionRole::Rodata;
    std::optional<DiagnosticLocation> store;
    if (is_read_only && searches++ < max_searches)
      store = find_store(object, declaration.symbol_index);
    if (store) {
      message = fmt::format("'{}' is defined const but written to", symbol.name);
      references.insert(references.begin(),
                        {ReferenceRole::Occurrence, std::move(*store), "written to"});
      if (!context.options.partial) severity = Severity::Error;
    }
  }
  references.push_back(hint("declare it once, in a header that all include"));
  add_stale_hints(references, {symbol.file, &object});
  context.diagnostics.report({.severity = severity,
                              .message = std::move(message),
                              .code = DiagnosticCode::ConflictingTypes,
                              .symbol = std::string(symbol.name),
                              .references = std::move(references)});
}

/// "function", "map" or "variable".
std::string_view noun_of(const Symbol& symbol) {
  const BtfDeclaration* found =
      symbol.btf_file ? symbol.btf_file->find_declaration(symbol.btf_id) : nullptr;
  if (!found) return "symbol";
  if (found->is_func()) return "function";
  return found->role == SectionRole::Maps ? "map" : "variable";
}

/// Warns about weak symbols that nothing defines: libbpf knows only those of .ksyms and .kconfig.
void warn_weak_externs(Context& context) {
  auto may_be_missing = [](const Symbol& symbol) {
    return symbol.in_output && !symbol.is_defined && symbol.binding == STB_WEAK &&
           symbol.loader_section.empty();
  };
  for (auto& [symbol, references, count] : find_uses(context, may_be_missing)) {
    if (count == 0) continue;
    references.push_back(note("libbpf refuses undefined symbols, weak ones too"));
    references.push_back(hint(std::string(ksym_advice)));
    context.diagnostics.warning(
        fmt::format("weak {} '{}' is not defined", noun_of(*symbol), symbol->name),
        std::move(references), DiagnosticCode::NotOpenable, {.symbol = symbol->name});
  }
}

/// Warns about options of the kernel's configuration that libbpf cannot fill in.
void warn_kconfig(Context& context) {
  for (const Symbol* symbol : context.symbols.all()) {
    if (!symbol->in_output || symbol->is_defined || !symbol->btf_file ||
        role_of(symbol->loader_section) != SectionRole::Kconfig)
      continue;
    const BtfView& types = *symbol->btf_file->btf;
    uint32_t type = symbol->variable_type();
    std::string_view fault;
    if (!kconfig_type(types, type))
      fault = "has a type that libbpf does not fill in";
    else if (!is_kconfig_name(symbol->name, symbol->binding == STB_WEAK))
      fault = "is neither an option of the kernel, CONFIG_*, nor one that libbpf knows";
    if (fault.empty()) continue;
    context.diagnostics.warning(fmt::format("'{}' {}", symbol->name, fault),
                                {reference_to(*symbol->file, symbol->input(),
                                              print_c_declaration(types, type, symbol->name))},
                                DiagnosticCode::NotOpenable, {.symbol = symbol->name});
  }
}

}  // namespace

void check_externs(Context& context) {
  int searches = 0;
  for (const auto& object : context.objects)
    for (const BtfDeclaration& declaration : object->declarations) {
      const Symbol* symbol = declaration.symbol;
      bool is_extern = symbol && symbol->is_defined && symbol->file == symbol->btf_file &&
                       symbol->in_output && !declaration.is_func() &&
                       !object->symbols[declaration.symbol_index].is_defined();
      if (is_extern && declaration.role != SectionRole::Maps)
        check_const(context, *object, declaration, searches);
    }
  if (context.options.partial) return;
  warn_weak_externs(context);
  warn_kconfig(context);
}

}  // namespace bpflink
