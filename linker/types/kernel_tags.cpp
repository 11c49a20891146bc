#include "linker/types/kernel_tags.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "bpflink/btf_query.hpp"
#include "bpflink/object.hpp"
#include "dedup/for_linker.hpp"
#include "linker/types/type_search.hpp"

namespace bpflink {
namespace {

/// Types that programs get pointers to and may pass on without reading members, so that nothing
/// else shows that they are the kernel's: contexts, and structs without any of `kernel_parts`. Only
/// names that nobody gives to a struct of one's own, as `file` may be one. Sorted.
constexpr auto central_tags = std::to_array<std::string_view>(
    {"__sk_buff", "bpf_map", "bpf_nf_ctx", "bpf_perf_event_data", "bpf_prog", "bpf_sk_lookup",
     "bpf_sock", "bpf_sock_addr", "bpf_sock_ops", "bpf_sockopt", "bpf_sysctl", "linux_binprm",
     "pt_regs", "scx_exit_info", "sk_msg_md", "sk_reuseport_md", "xdp_buff", "xdp_md"});
static_assert(std::ranges::is_sorted(central_tags));

/// Types that the kernel builds its structs from, but programs do not: a struct that embeds one
/// comes from a vmlinux.h. A `mutex`, `sock` or `completion` of the kernel embeds one itself.
/// Sorted.
constexpr auto kernel_parts = std::to_array<std::string_view>(
    {"bvec_iter", "callback_head", "hlist_head", "hlist_node", "list_head", "llist_node",
     "percpu_ref", "refcount_struct", "sock_common", "static_key"});
static_assert(std::ranges::is_sorted(kernel_parts));

bool has_tag_or_typedef(BtfKind kind) {
  return is_composite(kind) || is_enum(kind) || kind == BtfKind::Fwd || kind == BtfKind::Typedef;
}

/// The context of a program if it comes from the kernel, not from a user or another program; or 0.
uint32_t context_of(const ObjectFile& object, const BtfDeclaration& function) {
  const Btf& types = *object.btf;
  const InputSymbol& symbol = object.symbols[function.symbol_index];
  if (!symbol.is_in_section()) return 0;
  const InputSection& section = object.sections[symbol.section];
  ProgramType type = section_meaning(section.name).type;
  if (section.role == SectionRole::Text || type == ProgramType::Syscall || type == ProgramType::Ext)
    return 0;
  BtfType prototype = types.type(function.type().type());
  uint32_t context = prototype.vlen() == 0 ? 0 : skip_modifiers(types, prototype.param(0).type);
  return types.kind(context) == BtfKind::Ptr ? context : 0;
}

/// Adds the names of the kernel's types that an object shows, and of all types that these lead to.
void add_kernel_tags(const ObjectFile& object, std::unordered_set<std::string_view>& tags) {
  const Btf& types = *object.btf;
  const std::vector<bool> embeds_parts = find_kernel_records(types);
  TypeSearch search(types);
  for (uint32_t id = 1; id < types.end_id(); ++id) {
    BtfType type = types.type(id);
    bool is_central =
        is_composite(type.kind()) && std::ranges::binary_search(central_tags, types.name(type));
    if (is_central || embeds_parts[id]) search.add(id);
  }
  object.for_each_core_relo([&](const InputSection&, CoreRelo relo) {
    if (!relo.is_local_type_id()) search.add(relo.type_id);
  });
  for (const BtfDeclaration& declaration : object.declarations) {
    if (declaration.role == SectionRole::Ksyms || declaration.role == SectionRole::StructOps)
      search.add(declaration.type_id);
    if (declaration.is_func()) search.add(context_of(object, declaration));
  }
  search.follow([&](uint32_t id) {
    BtfType type = types.type(id);
    if (has_tag_or_typedef(type.kind()) && type.name_off() != 0) tags.insert(types.name(type));
    search.add_references(id);
  });
}

}  // namespace

std::vector<bool> find_kernel_records(const BtfView& types) {
  return find_embedders(types, [&](uint32_t id) {
    BtfType type = types.type(id);
    return is_composite(type.kind()) && std::ranges::binary_search(kernel_parts, types.name(type));
  });
}

std::unordered_set<std::string_view> find_kernel_tags(
    std::span<const std::unique_ptr<ObjectFile>> objects) {
  std::unordered_set<std::string_view> tags;
  for (const auto& object : objects)
    if (object->btf) add_kernel_tags(*object, tags);
  return tags;
}

}  // namespace bpflink
