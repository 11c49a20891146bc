#include "linker/program/code_graph.hpp"

#include <algorithm>
#include <tuple>

#include "bpflink/btf_query.hpp"
#include "linker/files/references.hpp"
#include "linker/files/symbols_by_place.hpp"

namespace bpflink {
namespace {

constexpr uint8_t max_parameters = 5, last_register = 10;
/// A function with more blocks is opaque, which bounds the memory for blocks.
constexpr uint32_t max_blocks = 1u << 17;

}  // namespace

CodeGraph::CodeGraph(const ObjectFile& file) : object(file) {
  find_functions();
  split_overlaps();
  describe_functions();
  for (CodeFunction& function : functions) decode(function);
  connect();
  mark_loaded();
}

void CodeGraph::find_blocks() {
  find_variables();
  for (CodeFunction& function : functions) find_blocks(function);
  // A reference into the middle of a function makes it opaque.
  for (const CodeInsn& insn : insns)
    if (insn.reference.kind == CodeReference::Kind::Call ||
        insn.reference.kind == CodeReference::Kind::Callback)
      functions[insn.reference.index].is_opaque |= insn.reference.offset != 0;
}

/// Several symbols at one place are one function, which has the name of the first program or else
/// of the first of them.
void CodeGraph::find_functions() {
  const std::span<const InputSymbol* const> symbols = object.by_place().functions();
  functions.reserve(symbols.size());
  for (const InputSymbol* symbol : symbols) {
    const InputSection& section = object.sections[symbol->section];
    if (!section.is_code() || symbol->value >= section.data.size()) continue;
    const uint64_t rest = section.data.size() - symbol->value;
    const uint64_t end = symbol->value + (symbol->size == 0 ? rest : std::min(symbol->size, rest));
    const bool is_program = section.holds_programs() && !symbol->is_local();
    const bool is_global = !symbol->is_local() && !symbol->is_hidden();
    const bool is_hidden = !symbol->is_local() && symbol->is_hidden();
    CodeFunction* last = functions.empty() ? nullptr : &functions.back();
    if (last && last->section == section.index && last->begin == symbol->value) {
      if (last->name.empty() || (is_program && !last->is_program)) last->name = symbol->name;
      last->end = std::max(last->end, end);
      last->is_program |= is_program;
      last->is_global |= is_global;
      last->is_hidden &= is_hidden;
    } else {
      functions.push_back({.name = symbol->name,
                           .section = symbol->section,
                           .begin = symbol->value,
                           .end = end,
                           .is_program = is_program,
                           .is_global = is_global,
                           .is_hidden = is_hidden,
                           .is_opaque = symbol->value % insn_size != 0});
    }
  }
}

/// A function that begins inside another one, as in hand-written code, ends it; both are opaque. A
/// function without a size ends where the next begins.
void CodeGraph::split_overlaps() {
  for (uint32_t i = 0; i + 1 < functions.size(); ++i) {
    CodeFunction &function = functions[i], &next = functions[i + 1];
    if (function.section != next.section || function.end <= next.begin) continue;
    next.end = std::max(next.end, function.end);
    function.end = next.begin;
    function.is_opaque = next.is_opaque = true;
    hidden_uses_.emplace_back(i, i + 1);
  }
}

/// Reads from BTF: the linkage, which the verifier uses; the number of parameters; exception
/// callbacks.
void CodeGraph::describe_functions() {
  if (!object.btf) return;
  const Btf& btf = *object.btf;
  for (const BtfDeclaration& declaration : object.declarations) {
    if (declaration.linkage() == BtfLinkage::Extern)
      externs_.try_emplace(
          btf.name(declaration.type()),
          CodeExtern{declaration.type().type(), declaration.role == SectionRole::Kconfig,
                     declaration.is_func()});
  }
  object.for_each_func_info([&](const InputSection& section, FuncInfo info) {
    uint32_t index = find_function(section.index, info.insn_off);
    if (index == no_function || functions[index].begin != info.insn_off) return;
    CodeFunction& function = functions[index];
    BtfType type = btf.type(info.type_id);
    function.func_id = info.type_id;
    if (type.func_linkage() == BtfLinkage::Global && !function.is_hidden) function.is_global = true;
    BtfType prototype = btf.type(type.type());
    if (prototype.kind() != BtfKind::FuncProto) return;
    function.declared_parameters = prototype.vlen();
    function.parameters =
        static_cast<uint8_t>(std::min<uint32_t>(prototype.vlen(), max_parameters));
  });
  std::unordered_map<uint32_t, uint32_t> function_of_type;
  std::unordered_map<std::string_view, uint32_t> function_of_name;
  for_each_tagged_callback(object, [&](std::string_view name, uint32_t type) {
    if (function_of_name.empty())
      for (uint32_t i = 0; i < functions.size(); ++i) {
        function_of_type.try_emplace(functions[i].func_id, i);
        function_of_name.try_emplace(functions[i].name, i);
      }
    auto thrower = function_of_type.find(type);
    auto callback = function_of_name.find(name);
    if (thrower == function_of_type.end() || callback == function_of_name.end()) return;
    hidden_uses_.emplace_back(thrower->second, callback->second);
    functions[callback->second].is_exception_callback = true;
  });
}

void CodeGraph::find_variables() {
  auto add = [&](uint32_t section, uint64_t begin, uint64_t size, std::string_view name) {
    if (size != 0 && object.sections[section].role == SectionRole::Rodata)
      variables_[section].push_back({begin, begin + size, name});
  };
  std::unordered_map<std::string_view, uint32_t> sections;
  for (const InputSection& section : object.sections)
    if (section.role == SectionRole::Rodata) sections.try_emplace(section.name, section.index);
  // Without BTF a user can name any symbol. Otherwise only global symbols and variables in BTF
  // count: the compiler made the rest.
  for (const InputSymbol& symbol : object.symbols)
    if (symbol.is_in_section() && !symbol.is_section() && (!symbol.is_local() || !object.btf))
      add(symbol.section, symbol.value, symbol.size, symbol.name);
  for (const BtfDeclaration& declaration : object.declarations) {
    auto section = sections.find(declaration.datasec);
    if (declaration.is_func() || section == sections.end() || declaration.symbol_index != 0)
      continue;
    add(section->second, declaration.offset, declaration.size,
        object.btf->name(declaration.type()));
  }
  for (auto& [section, variables] : variables_)
    std::ranges::stable_sort(variables, {}, &CodeVariable::begin);
}

const CodeVariable* CodeGraph::find_variable(uint32_t section, uint64_t offset) const {
  auto variables = variables_.find(section);
  if (variables == variables_.end()) return nullptr;
  auto behind = std::ranges::upper_bound(variables->second, offset, {}, &CodeVariable::begin);
  if (behind == variables->second.begin()) return nullptr;
  const CodeVariable& variable = *std::prev(behind);
  return offset < variable.end ? &variable : nullptr;
}

const CodeExtern* CodeGraph::find_extern(const InputSymbol& symbol) const {
  auto found = externs_.find(symbol.name);
  return found == externs_.end() ? nullptr : &found->second;
}

uint32_t CodeGraph::find_function(uint32_t section, int64_t offset) const {
  if (offset < 0) return no_function;
  std::pair place(section, static_cast<uint64_t>(offset));
  auto behind = std::ranges::upper_bound(functions, place, {}, [](const CodeFunction& function) {
    return std::pair(function.section, function.begin);
  });
  if (behind == functions.begin()) return no_function;
  const CodeFunction& function = *std::prev(behind);
  bool is_inside = function.section == section && place.second < function.end;
  return is_inside ? static_cast<uint32_t>(&function - functions.data()) : no_function;
}

CodeReference CodeGraph::refer_to_code(uint32_t section, int64_t offset, bool is_call) const {
  using enum CodeReference::Kind;
  uint32_t function = find_function(section, offset);
  if (function == no_function) return {Unknown, section, offset};
  return {is_call ? Call : Callback, function,
          offset - static_cast<int64_t>(functions[function].begin)};
}

CodeReference CodeGraph::refer(const InputSection& section, const Relocation& relocation,
                               const Insn& insn) const {
  using enum CodeReference::Kind;
  const InputSymbol& symbol = object.symbols[relocation.symbol];
  Target target = target_of(object, relocation);
  auto [holder, offset] = target.place;
  if (!insn.is_call() && !insn.is_ld_imm64()) return {Unknown};
  if (holder && holder->is_code()) return refer_to_code(holder->index, offset, insn.is_call());
  const CodeExtern* type = symbol.is_defined() ? nullptr : find_extern(symbol);
  if (insn.is_call() && type && type->is_function) return {Ksym, relocation.symbol};
  if (!insn.is_ld_imm64() || section.name.empty()) return {Unknown};
  if (holder && holder->role == SectionRole::Rodata)
    return {Data, holder->index, offset + (target.symbol ? relocation.addend : 0)};
  if (holder && holder->role == SectionRole::Maps && target.symbol) return {Map, relocation.symbol};
  if (!type || (type->is_kconfig && type->is_function)) return {Unknown};
  return {type->is_kconfig ? Kconfig : Ksym, relocation.symbol, relocation.addend};
}

void CodeGraph::decode(CodeFunction& function) {
  const InputSection& section = object.sections[function.section];
  function.first_insn = static_cast<uint32_t>(insns.size());
  auto relocation = section.first_relocation(function.begin);
  for_each_insn(
      section.data, function.begin, function.end, object.byte_order,
      [&](uint64_t at, const Insn& insn) {
        CodeInsn decoded{insn, 0, at, {}};
        if (insn.is_ld_imm64() && at + 2 * insn_size <= function.end)
          decoded.high = load_insn(&section.data[at + insn_size], object.byte_order).imm;
        else if (insn.is_ld_imm64())
          function.is_opaque = true;
        while (relocation != section.relocations.end() && relocation->offset < at) ++relocation;
        if (relocation != section.relocations.end() && relocation->offset == at)
          decoded.reference = refer(section, *relocation, insn);
        else if (insn.is_local_call())
          decoded.reference = refer_to_code(
              function.section,
              static_cast<int64_t>(at) + (int64_t{insn.imm} + 1) * int64_t{insn_size}, true);
        if (insn.dst_reg > last_register || insn.src_reg > last_register || insn.is_indirect_jump())
          function.is_opaque = true;
        insns.push_back(decoded);
      });
  function.insn_count = static_cast<uint32_t>(insns.size()) - function.first_insn;
}

void CodeGraph::find_blocks(CodeFunction& function) {
  const std::span<const CodeInsn> code = insns_of(function);
  function.first_block = static_cast<uint32_t>(blocks.size());
  if (code.empty()) {  // it ends inside its first instruction
    function.is_opaque = true;
    return;
  }
  // The index of the instruction at a jump's target, or none.
  auto find_target = [&](const CodeInsn& jump) -> std::optional<uint32_t> {
    auto to = static_cast<int64_t>(jump.at + insn_size) +
              int64_t{jump.insn.jump_distance()} * int64_t{insn_size};
    if (to < 0) return std::nullopt;
    auto found = std::ranges::lower_bound(code, static_cast<uint64_t>(to), {}, &CodeInsn::at);
    if (found == code.end() || found->at != static_cast<uint64_t>(to)) return std::nullopt;
    return static_cast<uint32_t>(found - code.begin());
  };
  std::vector<bool> is_leader(code.size() + 1);
  is_leader[0] = true;
  for (uint32_t i = 0; i < code.size() && !function.is_opaque; ++i) {
    const CodeInsn& insn = code[i];
    bool is_jump = insn.insn.is_jump();
    if (is_jump || insn.insn.is_exit() || insn.is_static_call()) is_leader[i + 1] = true;
    auto target = is_jump ? find_target(insn) : std::nullopt;
    if (target) is_leader[*target] = true;
    function.is_opaque = is_jump && !target;
  }
  function.is_opaque |= std::ranges::count(is_leader, true) > max_blocks;
  if (function.is_opaque) {
    blocks.push_back({function.first_insn, static_cast<uint32_t>(insns.size())});
    function.block_count = 1;
    return;
  }
  std::vector<uint32_t> block_of(code.size());
  for (uint32_t i = 0; i < code.size(); ++i) {
    if (is_leader[i]) blocks.push_back({function.first_insn + i, 0});
    block_of[i] = static_cast<uint32_t>(blocks.size()) - 1;
    blocks.back().end = function.first_insn + i + 1;
  }
  function.block_count = static_cast<uint32_t>(blocks.size()) - function.first_block;
  for (uint32_t i = function.first_block; i < blocks.size(); ++i) {
    CodeBlock& block = blocks[i];
    const CodeInsn& last = insns[block.end - 1];
    bool goes_on =
        !last.insn.is_exit() && !(last.insn.is_jump() && BPF_OP(last.insn.code) == BPF_JA);
    if (goes_on && i + 1 < blocks.size()) block.next = i + 1;
    if (last.insn.is_jump()) block.target = block_of[*find_target(last)];
  }
}

uint32_t CodeGraph::find_block(uint32_t section, uint64_t offset) const {
  uint32_t index = find_function(section, static_cast<int64_t>(offset));
  if (index == no_function) return no_block;
  const CodeFunction& function = functions[index];
  auto begin = blocks.begin() + function.first_block, end = begin + function.block_count;
  auto behind = std::upper_bound(begin, end, offset, [&](uint64_t at, const CodeBlock& block) {
    return at < insns[block.begin].at;
  });
  return behind == begin ? no_block : static_cast<uint32_t>(behind - blocks.begin()) - 1;
}

void CodeGraph::connect() {
  auto count = static_cast<uint32_t>(functions.size());
  uses = Graph::make(count, [&](auto add) {
    for (uint32_t i = 0; i < count; ++i)
      for (const CodeInsn& insn : insns_of(functions[i]))
        if (insn.reference.kind == CodeReference::Kind::Call ||
            insn.reference.kind == CodeReference::Kind::Callback)
          add(i, insn.reference.index);
    for (auto [from, to] : hidden_uses_) add(from, to);
  });
  users = uses.reversed();
}

/// A static function in a program section is a program to loaders other than libbpf if no code
/// refers to it.
void CodeGraph::mark_loaded() {
  is_loaded.resize(functions.size());
  for (uint32_t i = 0; i < functions.size(); ++i) {
    CodeFunction& function = functions[i];
    if (object.sections[function.section].holds_programs() && users.edges(i).empty())
      function.is_program = true;
    if (function.is_program) uses.mark_reachable(i, is_loaded);
  }
}

}  // namespace bpflink
