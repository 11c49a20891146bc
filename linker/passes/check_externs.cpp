// Pass: check externs that the loader or the verifier rejects.
//
// A variable whose definition is const lies in .rodata, which loaders map read-only, unless it has
// SEC(".data.NAME"). Code must not write to it. libbpf looks up the name of a weak function without
// a definition, and fails to find it.
#include <fmt/format.h>

#include <array>

#include "bpflink/print.hpp"
#include "linker/context.hpp"
#include "linker/diagnostics/locations.hpp"
#include "linker/elf/references.hpp"

namespace bpflink {
namespace {

/// Whether a variable of this type, or the elements of an array, are const. The number of steps is
/// bounded because types may refer to themselves: nothing has checked that yet.
bool is_const(const BtfView& types, uint32_t id) {
  constexpr int max_steps = 64;
  for (int step = 0; id != 0 && step < max_steps; ++step) {
    BtfType type = types.type(id);
    if (type.kind() == BtfKind::Const) return true;
    bool is_array = type.kind() == BtfKind::Array;
    if (!is_array && !is_modifier(type.kind())) return false;
    id = is_array ? type.array_element_type() : type.type();
  }
  return false;
}

/// Finds a store to a symbol through a register that certainly holds the symbol's address: no
/// branch target lies between the two instructions.
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
  std::optional<uint64_t> find_in(const InputSection& section) {
    std::vector<bool> is_target(section.size / insn_size + 1);
    for_each_local_branch(section, 0, section.size, [&](const LocalBranch& branch) {
      auto to = static_cast<uint64_t>(branch.to);
      if (to <= section.size) is_target[to / insn_size] = true;
    });
    std::optional<uint64_t> found;
    holds_.fill(false);
    for_each_insn(section.data, 0, section.size, object_.byte_order, [&](uint64_t at, Insn insn) {
      if (is_target[at / insn_size]) holds_.fill(false);
      uint8_t kind = BPF_CLASS(insn.code);
      bool is_store = (kind == BPF_ST || kind == BPF_STX) && holds_[insn.dst_reg];
      if (is_store && !found && section_fragment_lives(section, at)) found = at;
      step(section, at, insn);
    });
    return found;
  }

  static bool section_fragment_lives(const InputSection& section, uint64_t at) {
    return fragment_at(section, static_cast<int64_t>(at)).live;
  }

  /// Updates `holds_` for the effect of one instruction.
  void step(const InputSection& section, uint64_t at, const Insn& insn) {
    uint8_t kind = BPF_CLASS(insn.code);
    if (insn.is_call()) std::fill_n(holds_.begin(), 6, false);
    if (insn.ends_flow()) holds_.fill(false);
    if (insn.is_ld_imm64()) {
      auto relocation = section.first_relocation(at);
      holds_[insn.dst_reg] = relocation != section.relocations.end() && relocation->offset == at &&
                             relocation->symbol == symbol_;
    } else if (kind == BPF_LDX || kind == BPF_ALU) {
      holds_[insn.dst_reg] = false;
    } else if (kind == BPF_ALU64) {
      bool is_register = BPF_SRC(insn.code) == BPF_X;
      if (BPF_OP(insn.code) == BPF_MOV) holds_[insn.dst_reg] = is_register && holds_[insn.src_reg];
      if (BPF_OP(insn.code) != BPF_MOV && BPF_OP(insn.code) != BPF_ADD)
        holds_[insn.dst_reg] = false;
    } else if (kind == BPF_STX && BPF_MODE(insn.code) == BPF_ATOMIC) {
      holds_[insn.src_reg] = false;  // a fetch overwrites it
    }
  }

  const ObjectFile& object_;
  uint32_t symbol_;
  std::array<bool, 16> holds_{};  ///< by register: whether it holds the symbol's address
};

/// `searches` limits the walks over code, for the whole link.
void check_const(Context& context, const ObjectFile& object, const BtfDeclaration& declaration,
                 int& searches) {
  constexpr int max_searches = 64;
  const Symbol& symbol = *declaration.symbol;
  BtfType definition = symbol.btf_file->btf->type(symbol.btf_id);
  if (definition.kind() != BtfKind::Var) return;
  bool is_defined_const = is_const(*symbol.btf_file->btf, definition.type());
  if (is_defined_const == is_const(*object.btf, declaration.type().type())) return;
  auto describe = [&](const ObjectFile& file, const InputSymbol& entry, BtfType type) {
    std::string text = print_c_declaration(*file.btf, type.type(), symbol.name);
    return reference_to(file, entry, entry.is_defined() ? text : "extern " + text);
  };
  std::vector references = {
      describe(*symbol.file, symbol.input(), definition),
      describe(object, object.symbols[declaration.symbol_index], declaration.type())};
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
      references.push_back({ReferenceRole::Occurrence, std::move(*store), "written to"});
      if (!context.options.partial) severity = Severity::Error;
    }
  }
  references.push_back(hint("declare it once, in a header that all include"));
  context.diagnostics.report({.severity = severity,
                              .message = std::move(message),
                              .code = DiagnosticCode::ConflictingTypes,
                              .symbol = std::string(symbol.name),
                              .references = std::move(references)});
}

/// Warns of calls of weak undefined functions in objects that never test the function's address.
void warn_weak_functions(Context& context) {
  constexpr size_t max_calls = 5;
  auto may_be_missing = [](const Symbol* symbol) {
    return symbol && symbol->in_output && !symbol->is_defined && symbol->binding == STB_WEAK &&
           symbol->loader_section.empty();
  };
  std::unordered_map<const Symbol*, std::vector<DiagnosticReference>> calls;
  for (const auto& object : context.objects) {
    std::vector<bool> is_checked(object->symbols.size());
    for (const InputSection& section : object->linked_sections())
      for (const Relocation& relocation : section.relocations)
        if (relocation.type == R_BPF_64_64) is_checked[relocation.symbol] = true;
    for (const InputSection& section : object->linked_sections())
      for (const Relocation& relocation : section.relocations) {
        const Symbol* symbol = object->symbols[relocation.symbol].global;
        bool is_call = relocation.type == R_BPF_64_32 && !is_checked[relocation.symbol];
        if (!is_call || !may_be_missing(symbol) ||
            !fragment_at(section, static_cast<int64_t>(relocation.offset)).live)
          continue;
        calls[symbol].push_back({ReferenceRole::ReferencedBy,
                                 location_of(*object, section, relocation.offset, symbol->name)});
      }
  }
  for (const Symbol* symbol : context.symbols.all()) {
    auto found = calls.find(symbol);
    if (found == calls.end()) continue;
    auto& references = found->second;
    size_t count = references.size();
    references.resize(std::min(count, max_calls));
    add_more(references, ReferenceRole::ReferencedBy, count, max_calls);
    references.push_back(hint("if the kernel has it, declare it with __ksym"));
    context.diagnostics.report(
        {.severity = Severity::Warning,
         .message = fmt::format("weak function '{}' is called but not defined", symbol->name),
         .symbol = std::string(symbol->name),
         .references = std::move(references)});
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
  if (!context.options.partial) warn_weak_functions(context);
}

}  // namespace bpflink
