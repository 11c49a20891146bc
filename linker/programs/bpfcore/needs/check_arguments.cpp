// Checks the tags of arguments of global functions: whether the verifier knows what __arg_trusted
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
#include "linker/facts/program_contexts.hpp"
#include "linker/facts/verifier_rules.hpp"
#include "linker/programs/bpfcore/needs/needs_check.hpp"
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

/// Says what a verifier makes of a tag of a function.
void judge_tag(const NeedsCheck& needs, const ArgumentTag& tag, std::string_view of_struct,
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

Subprograms find_subprograms(const NeedsCheck& needs) {
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

CoreFinding& add_finding(NeedsCheck& needs, const Subprogram& subprogram) {
  std::string_view name = subprogram.symbol->name;
  CoreFinding& finding = needs.add(CoreNeed::ArgumentType, std::string(name), name);
  finding.programs = subprogram.programs;
  return finding;
}

void check_tags(NeedsCheck& needs, const Subprograms& subprograms) {
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

void NeedsCheck::check_arguments() {
  if (!code.file().btf) return;
  const Subprograms subprograms = find_subprograms(*this);
  check_tags(*this, subprograms);
}

}  // namespace bpflink
