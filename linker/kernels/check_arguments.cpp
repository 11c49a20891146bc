// Checks what global functions say of their arguments with __arg_trusted and the like: whether the
// verifier knows the tag, and has the struct that a trusted argument points to.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "bpflink/btf_query.hpp"
#include "dedup/core/candidates.hpp"
#include "linker/kernels/kernel_needs.hpp"

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
void judge_tag(const Kernel& kernel, const ArgumentTag& tag, std::string_view of_struct,
               CoreFinding& finding) {
  Knowledge knows_tag = kernel.has_release(tag.since);
  size_t count = of_struct.empty() ? 1 : count_structs(kernel, of_struct);
  if (knows_tag == Knowledge::Unknown)
    return finding.leave_unknown(fmt::format("the tag '{}' of an argument", tag.text),
                                 release_advice);
  if (knows_tag == Knowledge::Known && count == 1) return;
  if (knows_tag == Knowledge::Known && count == 0 && kernel.absence() == Knowledge::Unknown)
    return finding.leave_unknown(fmt::format("struct {}", of_struct), whole_btf_advice);
  finding.status = CoreStatus::Fails;
  if (knows_tag == Knowledge::Absent)
    finding.complain(fmt::format("the tag '{}' of an argument came with Linux {}.{}", tag.text,
                                 tag.since.major, tag.since.minor));
  else if (count == 0)
    finding.complain(fmt::format("there is no struct {}, which an argument points to", of_struct));
  else
    finding.complain(fmt::format("there are {} structs {}, one of which an argument points to",
                                 count, of_struct));
}

}  // namespace

void KernelNeeds::check_arguments(const CoreObject& code, const UsersOf& users_of) {
  if (kernel.has_release(argument_tags[0].since) == Knowledge::Absent) return;
  const ObjectFile& file = code.file();
  std::unordered_map<std::string_view, const InputSymbol*> functions;
  if (!file.tags.empty())
    for (const InputSymbol& symbol : file.symbols)
      if (symbol.is_in_section() && !symbol.is_local()) functions.emplace(symbol.name, &symbol);
  std::set<std::tuple<uint32_t, uint32_t, std::string_view>> seen;
  for (uint32_t id : file.tags) {
    const BtfView& types = *file.btf;
    BtfType type = types.type(id);
    auto tag = std::ranges::find(argument_tags, types.name(type), &ArgumentTag::text);
    if (tag == std::end(argument_tags) || types.kind(type.type()) != BtfKind::Func) continue;
    BtfType function = types.type(type.type());
    uint32_t of_struct =
        tag->names_struct ? pointed_struct(types, function, type.component_idx()) : 0;
    if (function.func_linkage() != BtfLinkage::Global ||
        !seen.emplace(type.type(), of_struct, tag->text).second)
      continue;
    auto found = functions.find(types.name(function));
    if (found == functions.end()) continue;
    const InputSymbol* symbol = found->second;
    InsnPlace place{symbol->section, symbol->value};
    auto programs = users_of({&place, 1}, CodeUse::Contained);
    if (programs.empty()) continue;
    CoreFinding& finding =
        add(CoreNeed::ArgumentType, std::string(types.name(function)), symbol->name);
    finding.programs = std::move(programs);
    std::string_view name = of_struct == 0 ? "" : essential_name(types.name(types.type(of_struct)));
    judge_tag(kernel, *tag, name, finding);
  }
}

}  // namespace bpflink
