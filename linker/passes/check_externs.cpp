// Pass: check externs that the loader or the verifier rejects.
//
// A variable whose definition is const lies in .rodata, which loaders map read-only, unless it has
// SEC(".data.NAME"). Code must not write to it. libbpf finds no weak symbol without a definition,
// and fills in options of the kernel's configuration by name and type.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "bpflink/print.hpp"
#include "linker/context.hpp"
#include "linker/diagnostics/locations.hpp"
#include "linker/elf/references.hpp"
#include "linker/passes/symbol_hints.hpp"
#include "linker/types/kconfig_type.hpp"
#include "linker/types/qualifiers.hpp"

namespace bpflink {
namespace {

/// Finds a store to a symbol through a register that holds the symbol's address on every way to
/// the instruction.
class StoreFinder {
 public:
  StoreFinder(const ObjectFile& object, uint32_t symbol) : object_(object), symbol_(symbol) {}

  std::optional<DiagnosticLocation> find() {
    for (const InputSection& section : object_.linked_sections()) {
      bool refers = std::ranges::any_of(section.relocations, [&](const Relocation& relocation) {
        return relocation.symbol == symbol_;
      });
      if (!section.is_code() || !refers) continue;
      if (auto at = find_in(section)) return location_of(object_, section, *at);
    }
    return std::nullopt;
  }

 private:
  using Registers = uint16_t;  ///< a bit for each register that holds the address
  static constexpr Registers all = 0xffff, caller_saved = 0x3f;

  std::optional<uint64_t> find_in(const InputSection& section) {
    std::vector<std::pair<uint64_t, uint64_t>> jumps;
    // What holds at each instruction on all ways that are known so far. Each round only clears
    // bits.
    std::vector<Registers> before(section.size / insn_size + 1, all);
    std::vector<bool> is_target(before.size());
    for_each_local_branch(section, 0, section.size, [&](const LocalBranch& branch) {
      if (!branch.is_call && branch.to >= 0 && static_cast<uint64_t>(branch.to) < section.size)
        jumps.emplace_back(branch.from, static_cast<uint64_t>(branch.to));
    });
    std::ranges::sort(jumps);
    for (auto [from, to] : jumps) is_target[to / insn_size] = true;
    for (const InputSymbol& symbol : object_.symbols)
      if (symbol.section == section.index && symbol.type == STT_FUNC && symbol.value < section.size)
        before[symbol.value / insn_size] = 0;
    std::optional<uint64_t> found;
    constexpr int max_rounds = 8;
    for (int round = 0; round < max_rounds; ++round) {
      found.reset();
      if (!walk(section, jumps, is_target, before, found)) return found;
    }
    return std::nullopt;
  }

  /// One walk through the code in its order. Returns whether `before` changed.
  bool walk(const InputSection& section, const std::vector<std::pair<uint64_t, uint64_t>>& jumps,
            const std::vector<bool>& is_target, std::vector<Registers>& before,
            std::optional<uint64_t>& found) {
    bool has_changed = false;
    auto join = [&](uint64_t at, Registers registers) {
      Registers& known = before[at / insn_size];
      Registers joined = known & registers;
      has_changed |= joined != known;
      known = joined;
    };
    auto jump = jumps.begin();
    bool falls_through = false;
    for_each_insn(section.data, 0, section.size, object_.byte_order, [&](uint64_t at, Insn insn) {
      if (!falls_through && !is_target[at / insn_size]) join(at, 0);
      Registers here = before[at / insn_size];
      uint8_t kind = BPF_CLASS(insn.code);
      bool is_store = (kind == BPF_ST || kind == BPF_STX) && (here >> insn.dst_reg & 1) != 0;
      if (is_store && !found && is_live(section, at)) found = at;
      Registers after = step(section, at, insn, here);
      while (jump != jumps.end() && jump->first < at) ++jump;
      if (jump != jumps.end() && jump->first == at) join(jump->second, after);
      falls_through = !insn.ends_flow();
      uint64_t next = at + (insn.is_ld_imm64() ? 2 : 1) * insn_size;
      if (falls_through && next < section.size) join(next, after);
    });
    return has_changed;
  }

  /// The effect of one instruction.
  Registers step(const InputSection& section, uint64_t at, const Insn& insn,
                 Registers registers) const {
    uint8_t kind = BPF_CLASS(insn.code);
    auto target = static_cast<Registers>(1u << insn.dst_reg);
    auto source = static_cast<Registers>(1u << insn.src_reg);
    auto with = [&](bool holds) {
      return static_cast<Registers>(holds ? registers | target : registers & ~target);
    };
    if (insn.is_call()) return registers & ~caller_saved;
    if (insn.is_ld_imm64()) {
      auto relocation = section.first_relocation(at);
      return with(relocation != section.relocations.end() && relocation->offset == at &&
                  relocation->symbol == symbol_);
    }
    if (kind == BPF_LDX || kind == BPF_ALU) return with(false);
    if (kind == BPF_ALU64) {
      bool is_register = BPF_SRC(insn.code) == BPF_X;
      if (BPF_OP(insn.code) == BPF_MOV) return with(is_register && (registers & source) != 0);
      return BPF_OP(insn.code) == BPF_ADD ? registers : with(false);
    }
    bool may_fetch = kind == BPF_STX && BPF_MODE(insn.code) == BPF_ATOMIC;
    return may_fetch ? registers & ~source : registers;
  }

  const ObjectFile& object_;
  uint32_t symbol_;
};

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
      store = StoreFinder(object, declaration.symbol_index).find();
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
  if (!symbol.btf_file) return "symbol";
  auto& declarations = symbol.btf_file->declarations;
  auto found = std::ranges::lower_bound(declarations, symbol.btf_id, {}, &BtfDeclaration::type_id);
  if (found == declarations.end() || found->type_id != symbol.btf_id) return "symbol";
  if (found->is_func()) return "function";
  return found->role == SectionRole::Maps ? "map" : "variable";
}

/// Warns of weak symbols that nothing defines: libbpf knows only those of .ksyms and .kconfig.
void warn_weak_externs(Context& context) {
  auto may_be_missing = [](const Symbol* symbol) {
    return symbol && symbol->in_output && !symbol->is_defined && symbol->binding == STB_WEAK &&
           symbol->loader_section.empty();
  };
  std::unordered_map<const Symbol*, UseList> uses;
  for (const auto& object : context.objects)
    for (const InputSection& section : object->linked_sections())
      for (const Relocation& relocation : section.relocations) {
        const Symbol* symbol = object->symbols[relocation.symbol].global;
        if (section.is_loaded() && may_be_missing(symbol) && is_live(section, relocation.offset))
          uses[symbol].add(*object, section, relocation.offset, symbol->name);
      }
  for (const Symbol* symbol : context.symbols.all()) {
    auto found = uses.find(symbol);
    if (found == uses.end()) continue;
    std::vector<DiagnosticReference> references = found->second.take();
    references.push_back(note("libbpf refuses undefined symbols, weak ones too"));
    references.push_back(hint(std::string(ksym_advice)));
    context.diagnostics.report(
        {.severity = Severity::Warning,
         .message = fmt::format("weak {} '{}' is not defined", noun_of(*symbol), symbol->name),
         .code = DiagnosticCode::NotOpenable,
         .symbol = std::string(symbol->name),
         .references = std::move(references)});
  }
}

/// Warns of options of the kernel's configuration that libbpf cannot fill in.
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
    context.diagnostics.report(
        {.severity = Severity::Warning,
         .message = fmt::format("'{}' {}", symbol->name, fault),
         .code = DiagnosticCode::NotOpenable,
         .symbol = std::string(symbol->name),
         .references = {reference_to(*symbol->file, symbol->input(),
                                     print_c_declaration(types, type, symbol->name))}});
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
