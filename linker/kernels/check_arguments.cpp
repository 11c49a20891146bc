// Checks the arguments of global functions, which verifiers check by their types alone: whether
// they may be pointers, which came with Linux 5.12; whether the verifier knows what __arg_trusted
// and the like say of one, and has the struct that a trusted argument points to.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bpflink/btf_query.hpp"
#include "dedup/relocations/candidates.hpp"
#include "linker/kernels/kernel_needs.hpp"
#include "linker/object/program_contexts.hpp"
#include "linker/types/function_rules.hpp"

namespace bpflink {
namespace {

/// The struct that a parameter points to, or 0.
uint32_t pointed_struct(const BtfView& types, BtfType function, int32_t parameter) {
  BtfType prototype = types.type(function.type());
  if (parameter < 0 || static_cast<uint32_t>(parameter) >= prototype.vlen()) return 0;
  uint32_t pointer = skip_modifiers(types, prototype.param(static_cast<uint32_t>(parameter)).type);
  if (types.kind(pointer) != BtfKind::Ptr) return 0;
  uint32_t id = skip_modifiers(types, types.type(pointer).type());
  return types.kind(id) == BtfKind::Struct ? id : 0;
}

/// How many structs of that name vmlinux has or, if it has none, its modules.
size_t count_structs(const Kernel& kernel, std::string_view name) {
  size_t count = 0;
  for (uint32_t module = 0; module <= kernel.modules.size() && count == 0; ++module)
    CoreKernelAccess::named(kernel.index, module).visit(name, [&](BtfType type, uint32_t) {
      count += type.kind() == BtfKind::Struct ? 1 : 0;
      return true;
    });
  return count;
}

struct ArgumentTag {
  std::string_view text;
  LinuxRelease since;
  bool names_struct = false;  ///< the verifier looks for the struct in the kernel's BTF by name
};
/// Verifiers before the first of these releases pass over tags; later ones refuse those that they
/// do not know.
constexpr ArgumentTag argument_tags[] = {
    {"arg:ctx", {6, 8}},           {"arg:nonnull", {6, 8}}, {"arg:nullable", {6, 9}},
    {"arg:trusted", {6, 9}, true}, {"arg:arena", {6, 9}},   {"arg:untrusted", {6, 17}, true}};

/// Says what a verifier makes of a tag of a function.
void judge_tag(const KernelNeeds& needs, const ArgumentTag& tag, std::string_view of_struct,
               CoreFinding& finding) {
  if (needs.kernel.has_release(tag.since) != Knowledge::Known) {
    std::string thing = fmt::format("the tag '{}' of an argument", tag.text);
    return needs.report_release(finding, {tag.since}, thing, thing);
  }
  size_t count = of_struct.empty() ? 1 : count_structs(needs.kernel, of_struct);
  if (count == 1) return;
  if (count == 0 && needs.kernel.absence() == Knowledge::Unknown)
    return finding.leave_unknown(fmt::format("struct {}", of_struct), whole_btf_advice);
  finding.fail(count == 0
                   ? fmt::format("there is no struct {}, which an argument points to", of_struct)
                   : fmt::format("there are {} structs {}, one of which an argument points to",
                                 count, of_struct));
}

/// A global function that is not a program.
struct Subprogram {
  BtfType function;
  const InputSymbol* symbol;
  ProgramList programs;  ///< which have it
};

/// By the ids of their FUNCs.
using Subprograms = std::map<uint32_t, Subprogram>;

Subprograms find_subprograms(const KernelNeeds& needs) {
  const ObjectFile& file = needs.code.file();
  std::unordered_map<std::string_view, const InputSymbol*> symbols;
  for (const InputSymbol& symbol : file.symbols)
    if (symbol.is_in_section() && !symbol.is_local() && !symbol.is_hidden())
      symbols.emplace(symbol.name, &symbol);
  Subprograms subprograms;
  for (const BtfDeclaration& declaration : file.declarations) {
    BtfType function = declaration.type();
    if (!declaration.is_func() || declaration.linkage() != BtfLinkage::Global) continue;
    auto found = symbols.find(file.btf->name(function));
    if (found == symbols.end() || needs.object.find_program(found->first)) continue;
    InsnPlace place{found->second->section, found->second->value};
    auto programs = needs.users_of({&place, 1}, CodeUse::Contained);
    if (!programs.empty())
      subprograms.emplace(declaration.type_id,
                          Subprogram{function, found->second, std::move(programs)});
  }
  return subprograms;
}

CoreFinding& add_finding(KernelNeeds& needs, const Subprogram& subprogram) {
  std::string_view name = subprogram.symbol->name;
  CoreFinding& finding = needs.add(CoreNeed::ArgumentType, std::string(name), name);
  finding.programs = subprogram.programs;
  return finding;
}

/// Parameters that a loader gives the type of a context, by their FUNCs.
std::set<std::pair<uint32_t, int32_t>> find_context_parameters(const ObjectFile& file) {
  std::set<std::pair<uint32_t, int32_t>> found;
  for (uint32_t id : file.tags) {
    BtfType tag = file.btf->type(id);
    if (file.btf->name(tag) == "arg:ctx") found.emplace(tag.type(), tag.component_idx());
  }
  return found;
}

/// Whether a verifier refuses an argument that is a pointer to no context.
bool takes_pointer(const ObjectFile& file, uint32_t id, BtfType function,
                   const std::set<std::pair<uint32_t, int32_t>>& contexts) {
  const BtfView& types = *file.btf;
  BtfType prototype = types.type(function.type());
  for (uint32_t i = 0; i < prototype.vlen(); ++i) {
    uint32_t type = prototype.param(i).type;
    if (types.kind(skip_modifiers(types, type)) == BtfKind::Ptr &&
        !contexts.contains({id, static_cast<int32_t>(i)}) && !section_for_parameter(types, type))
      return true;
  }
  return false;
}

/// Verifiers refused pointers as arguments, and results of type void, before they accepted them.
void check_prototypes(KernelNeeds& needs, const Subprograms& subprograms) {
  const ObjectFile& file = needs.code.file();
  if (needs.kernel.has(KernelFeature::GlobalFunctions) == Knowledge::Absent) return;
  auto check = [&](KernelFeature feature, auto uses, std::string_view advice) {
    if (needs.kernel.has(feature) == Knowledge::Known) return;
    const KernelFeatureRow& row = row_of(feature);
    for (const auto& [id, subprogram] : subprograms)
      if (uses(id, subprogram.function))
        needs.report_release(add_finding(needs, subprogram), row.brought, std::string(row.name),
                             row.name, fmt::format(fmt::runtime(advice), subprogram.symbol->name));
  };
  auto contexts = find_context_parameters(file);
  check(
      KernelFeature::PointerArguments,
      [&](uint32_t id, BtfType function) { return takes_pointer(file, id, function, contexts); },
      "make {} static, or __hidden if other files call it");
  check(
      KernelFeature::VoidResults,
      [&](uint32_t, BtfType function) { return file.btf->type(function.type()).type() == 0; },
      "let {} return an int, or make it static or __hidden");
}

/// The calls of each function, by its index in the graph.
std::unordered_map<uint32_t, std::vector<InsnPlace>> list_calls(const CodeGraph& graph) {
  std::unordered_map<uint32_t, std::vector<InsnPlace>> calls;
  for (const CodeFunction& function : graph.functions)
    for (const CodeInsn& insn :
         std::span(graph.insns).subspan(function.first_insn, function.insn_count))
      if (insn.is_static_call()) calls[insn.reference.index].push_back({function.section, insn.at});
  return calls;
}

/// What no verifier accepts.
void check_types(KernelNeeds& needs, const Subprograms& subprograms) {
  Knowledge are_checked = needs.kernel.has(KernelFeature::GlobalFunctions);
  if (are_checked == Knowledge::Absent) return;
  const ObjectFile& file = needs.code.file();
  const TaggedArguments tagged = find_tagged_arguments(file);
  const CodeGraph& graph = *needs.code.graph;
  // Since Linux 6.8, a verifier looks only into those that it meets a call of.
  bool are_all_checked = needs.kernel.has_release({6, 8}) == Knowledge::Absent;
  std::unordered_map<uint32_t, std::vector<InsnPlace>> calls;
  for (const auto& [id, subprogram] : subprograms) {
    auto fault = find_function_fault(*file.btf, id, tagged);
    if (!fault) continue;
    ProgramList programs = subprogram.programs;
    if (!are_all_checked) {
      const InputSymbol& symbol = *subprogram.symbol;
      if (calls.empty()) calls = list_calls(graph);
      programs = needs.users_of(
          calls[graph.find_function(symbol.section, static_cast<int64_t>(symbol.value))],
          CodeUse::Reached);
    }
    if (programs.empty()) continue;
    CoreFinding& finding = add_finding(needs, subprogram);
    finding.programs = std::move(programs);
    std::string what = fmt::format("global function {} {}", subprogram.symbol->name, fault->what);
    if (are_checked == Knowledge::Unknown)
      finding.leave_unknown(std::move(what), release_advice);
    else
      finding.fail(std::move(what), fault->advice + ", or make it static or __hidden");
  }
}

void check_tags(KernelNeeds& needs, const Subprograms& subprograms) {
  const ObjectFile& file = needs.code.file();
  if (needs.kernel.has_release(argument_tags[0].since) == Knowledge::Absent) return;
  std::set<std::tuple<uint32_t, uint32_t, std::string_view>> seen;
  for (uint32_t id : file.tags) {
    const BtfView& types = *file.btf;
    BtfType type = types.type(id);
    auto tag = std::ranges::find(argument_tags, types.name(type), &ArgumentTag::text);
    auto subprogram = subprograms.find(type.type());
    if (tag == std::end(argument_tags) || subprogram == subprograms.end()) continue;
    uint32_t of_struct =
        tag->names_struct ? pointed_struct(types, subprogram->second.function, type.component_idx())
                          : 0;
    if (!seen.emplace(type.type(), of_struct, tag->text).second) continue;
    CoreFinding& finding = add_finding(needs, subprogram->second);
    judge_tag(needs, *tag, essential_name(types.name(types.type(of_struct))), finding);
  }
}

}  // namespace

void KernelNeeds::check_arguments() {
  if (!code.file().btf) return;
  const Subprograms subprograms = find_subprograms(*this);
  check_prototypes(*this, subprograms);
  check_types(*this, subprograms);
  check_tags(*this, subprograms);
}

}  // namespace bpflink
