// Rules about instructions, what they refer to, and the license of what they call.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "dedup/messages.hpp"
#include "dedup/relocations/access.hpp"
#include "linker/facts/helpers.hpp"
#include "linker/facts/insn.hpp"
#include "linker/facts/license.hpp"
#include "linker/facts/opcodes.hpp"
#include "linker/files/label_tables.hpp"
#include "linker/files/references.hpp"
#include "linker/files/symbols_by_place.hpp"
#include "linker/verdicts/verdict.hpp"

namespace bpflink {
namespace {

/// How many parameters a function must have for what an instruction loads: arguments beyond the
/// fifth are above r11. 0 if it loads none.
uint32_t loaded_parameter(const Insn& insn) {
  constexpr uint8_t argument_pointer = 11;
  constexpr uint32_t in_registers = 5;
  bool is_load = BPF_CLASS(insn.code) == BPF_LDX && insn.src_reg == argument_pointer;
  return is_load && insn.off > 0 ? in_registers + (static_cast<uint32_t>(insn.off) + 7) / 8 : 0;
}

/// The instructions that have the address of a variable with addresses of labels.
std::vector<InsnPlace> find_label_tables(const ObjectFile& file) {
  std::map<uint32_t, std::vector<uint64_t>> labels;  // by section
  for (const InputSection& section : file.linked_sections())
    for (const Relocation& relocation : section.relocations)
      if (!section.is_code() && points_to_label(file, relocation))
        labels[section.index].push_back(relocation.offset);
  std::vector<InsnPlace> uses;
  for (const InputSection& section : file.linked_sections())
    for (const Relocation& relocation : section.relocations) {
      if (labels.empty() || !section.is_code() || relocation.type != R_BPF_64_64) continue;
      auto [holder, offset] = target_of(file, relocation).place;
      auto of_section = holder ? labels.find(holder->index) : labels.end();
      if (of_section == labels.end() || offset < 0) continue;
      auto at = static_cast<uint64_t>(offset);
      const InputSymbol* variable = file.by_place().find_variable(holder->index, at);
      auto label = std::ranges::lower_bound(of_section->second, variable ? variable->value : at);
      uint64_t end = variable ? variable->value + variable->size : at + 1;
      if (label != of_section->second.end() && *label < end)
        uses.push_back({section.index, relocation.offset});
    }
  return uses;
}

/// The types of programs that no kernel loads without a GPL license.
bool needs_gpl(ProgramType type) {
  return type == ProgramType::StructOps || type == ProgramType::Lsm;
}

}  // namespace

void judge_legacy_maps(const CoreObject& object, std::vector<Verdict>& verdicts) {
  const ObjectFile& file = object.file();
  std::vector<std::string_view> maps;
  for (const InputSymbol& symbol : file.symbols)
    if (symbol.is_in_section() && !symbol.is_local() &&
        file.sections[symbol.section].role == SectionRole::LegacyMaps)
      maps.push_back(symbol.name);
  if (maps.empty()) return;
  constexpr size_t most = 3;
  constexpr std::string_view things = "maps in SEC(\"maps\")";
  verdicts.push_back({.need = CoreNeed::ProgramType,
                      .name = std::string(things),
                      .by = RefusedBy::Libbpf,
                      .what = fmt::format("{}: {}", things, list_of(maps, most)),
                      .symbols = std::move(maps),
                      .told_by = ToldBy::Bpfcore});  // the link says so of the input
}

/// libbpf makes maps of some sections, and finds no variable in another one.
void judge_sections(const CoreObject& object, std::vector<Verdict>& verdicts) {
  const ObjectFile& file = object.file();
  std::set<std::string_view> names;
  std::vector<InsnPlace> places;
  for (const InputSection& code : file.linked_sections())
    for (const Relocation& relocation : code.relocations)
      if (const InputSymbol& symbol = file.symbols[relocation.symbol];
          code.is_code() && symbol.is_in_section() &&
          is_out_of_reach(file.sections[symbol.section].role)) {
        names.insert(file.sections[symbol.section].name);
        places.push_back({code.index, relocation.offset});
      }
  if (names.empty()) return;
  constexpr size_t most = 3;
  std::string what = "sections that code refers to: " +
                     list_of(std::vector<std::string_view>(names.begin(), names.end()), most);
  verdicts.push_back(
      {.need = CoreNeed::ProgramType,
       .name = "sections that code refers to",
       .by = RefusedBy::Libbpf,
       .what = std::move(what),
       .advice = "variables of programs are in .data, .rodata, .bss, or in SEC(\".data.NAME\")",
       .places = std::move(places)});
}

void judge_instructions(const CoreObject& object, std::vector<Verdict>& verdicts) {
  std::map<KernelFeature, std::vector<InsnPlace>> uses;
  std::vector<InsnPlace> excess;
  if (auto labels = find_label_tables(object.file()); !labels.empty())
    uses[KernelFeature::LabelTables] = std::move(labels);
  for (const CodeFunction& function : object.graph->functions)
    for (const CodeInsn& insn : object.graph->insns_of(function)) {
      const InsnPlace place{function.section, insn.at};
      if (auto feature = feature_of(insn.insn)) uses[*feature].push_back(place);
      if (insn.reference.kind == CodeReference::Kind::Callback)
        uses[KernelFeature::FunctionAddress].push_back(place);
      if (loaded_parameter(insn.insn) > function.declared_parameters) excess.push_back(place);
    }
  for (auto& [feature, places] : uses) {
    const KernelFeatureRow& row = row_of(feature);
    bool is_in_none = row.brought.since == not_yet;
    verdicts.push_back({.need = CoreNeed::Instructions,
                        .name = std::string(row.name),
                        .what = std::string(row.name),
                        .advice = std::string(row.advice),
                        .places = std::move(places),
                        .brought = row.brought,
                        .lacks = fmt::format("there are no {}, which", row.name),
                        .anywhere_before = row.refused_anywhere_before,
                        .told_by = is_in_none ? ToldBy::Both : ToldBy::Bpfcore});
  }
  if (!excess.empty())
    verdicts.push_back(
        {.need = CoreNeed::Instructions,
         .name = "arguments on the stack",
         .what = "a function loads an argument from the stack that its type does not have",
         .advice = "let its callers and its definition agree, or compile with less optimization",
         .places = std::move(excess)});
}

void judge_license(const CoreObject& object, std::vector<Verdict>& verdicts) {
  if (is_gpl_compatible(object.object.license())) return;
  for (const Program& program : object.object.programs()) {
    if (!needs_gpl(program.meaning.type)) continue;
    std::string type(program_type_name(program.meaning.type));
    std::string what = fmt::format("a {} program has no GPL license", type);
    verdicts.push_back({.need = CoreNeed::ProgramType,
                        .name = std::move(type),
                        .what = std::move(what),
                        .advice = std::string(gpl_advice),
                        .symbols = {program.name}});
  }
  auto add = [&](CoreNeed need, std::string name, const std::vector<InsnPlace>& calls) {
    std::string what = fmt::format("a program without a GPL license calls {}", name);
    verdicts.push_back({.need = need,
                        .name = std::move(name),
                        .what = std::move(what),
                        .advice = std::string(gpl_advice),
                        .places = calls});
  };
  for (const auto& [id, calls] : object.helper_calls)
    if (is_gpl_only(id)) add(CoreNeed::Helper, helper_name(id), calls);
  for (const auto& [symbol, calls] : object.kfunc_calls)
    if (const Extern* entry = object.object.find_extern(symbol); entry && !entry->section.empty())
      add(CoreNeed::Kfunc, std::string(essential_name(symbol)), calls);
}

}  // namespace bpflink
