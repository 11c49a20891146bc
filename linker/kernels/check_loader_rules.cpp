// Checks the rules of libbpf that do not depend on the kernel. libbpf does not open an object that
// breaks one. Where other loaders may take it all the same, the result is unknown.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "bpflink/btf_query.hpp"
#include "linker/kernels/kernel_needs.hpp"
#include "linker/types/map_definition.hpp"

namespace bpflink {
namespace {

constexpr std::string_view not_opened = "libbpf does not open an object that has one";
constexpr size_t max_names = 3;  ///< how many a message lists

std::string definition_fault(const BtfView* types, const Map& map) {
  if (map.is_static) return "is static";
  if (map.var_id == 0) return "has no BTF that describes it";
  return find_map_fault(*types, skip_modifiers(*types, types->type(map.var_id).type()));
}

void check_definitions(KernelNeeds& needs) {
  const BtfView* types = needs.object.btf();
  for (const Map& map : needs.object.maps()) {
    std::string fault = definition_fault(types, map);
    bool is_fault = !fault.empty();
    if (!is_fault) fault = find_libbpf_fault(*types, map);
    if (fault.empty()) continue;
    CoreFinding& finding = needs.add(CoreNeed::MapType, "definition", map.name);
    if (is_fault)
      finding.fail(fmt::format("map {} {}", map.name, fault));
    else
      finding.leave_unknown(fmt::format("whether a loader takes map {}, which {}", map.name, fault),
                            not_opened);
  }
  auto arenas = std::ranges::count(needs.object.maps(), map_type_arena, &Map::type);
  if (arenas > 1)
    needs.add(CoreNeed::MapType, "arena", "")
        .leave_unknown(fmt::format("whether a loader takes {} arenas", arenas), not_opened);
}

/// `what` is "static programs".
void leave_unknown(KernelNeeds& needs, std::string_view what,
                   const std::vector<std::string_view>& programs) {
  if (programs.empty()) return;
  CoreFinding& finding = needs.add(CoreNeed::ProgramType, std::string(what), programs.front());
  finding.programs = {};  // the whole object
  finding.leave_unknown(
      fmt::format("whether a loader takes {}: {}", what, list_of(programs, max_names)), not_opened);
}

void check_functions(KernelNeeds& needs) {
  const ObjectFile& file = needs.code.file();
  auto holds_programs = [&](uint32_t section) { return file.sections[section].holds_programs(); };
  std::vector<std::string_view> of_file;
  for (const InputSymbol& symbol : file.symbols)
    if (symbol.is_in_section() && symbol.is_local() && symbol.type == STT_FUNC &&
        holds_programs(symbol.section))
      of_file.push_back(symbol.name);
  leave_unknown(needs, "static programs", of_file);
  const CodeGraph& graph = *needs.code.graph;
  std::set<std::string_view> used;
  for (const CodeFunction& function : graph.functions)
    for (const CodeInsn& insn :
         std::span(graph.insns).subspan(function.first_insn, function.insn_count)) {
      auto [kind, index, offset] = insn.reference;
      if (kind != CodeReference::Kind::Call && kind != CodeReference::Kind::Callback) continue;
      if (&graph.functions[index] != &function && holds_programs(graph.functions[index].section))
        used.insert(graph.functions[index].name);
    }
  leave_unknown(needs, "programs that code refers to", {used.begin(), used.end()});
  std::vector<std::string_view> members;
  for (const StructOps& ops : needs.object.struct_ops())
    for (const StructOpsMember& member : ops.members)
      if (auto program = needs.code.find_program(member.program);
          !program || needs.object.programs()[*program].meaning.type != ProgramType::StructOps)
        members.push_back(member.program);
  leave_unknown(needs, "struct_ops members that are not struct_ops programs", members);
}

void check_sections(KernelNeeds& needs) {
  const ObjectFile& file = needs.code.file();
  std::set<std::string_view> names;
  for (const InputSection& code : file.linked_sections())
    for (const Relocation& relocation : code.relocations)
      if (const InputSymbol& symbol = file.symbols[relocation.symbol];
          code.is_code() && symbol.is_in_section() &&
          is_out_of_reach(file.sections[symbol.section].role))
        names.insert(file.sections[symbol.section].name);
  leave_unknown(needs, "sections that code refers to", {names.begin(), names.end()});
  std::vector<std::string_view> maps;
  for (const InputSymbol& symbol : file.symbols)
    if (symbol.is_in_section() && !symbol.is_local() &&
        file.sections[symbol.section].role == SectionRole::LegacyMaps)
      maps.push_back(symbol.name);
  leave_unknown(needs, "maps in SEC(\"maps\")", maps);
}

}  // namespace

void KernelNeeds::check_loader_rules() {
  check_definitions(*this);
  check_functions(*this);
  check_sections(*this);
}

}  // namespace bpflink
