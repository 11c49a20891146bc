#include "linker/types/kernel_tags.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "bpflink/btf_query.hpp"
#include "bpflink/object.hpp"
#include "dedup/internal.hpp"
#include "linker/context.hpp"
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

/// The kernel's types that one object shows, and all types that these lead to.
class KernelTypes {
 public:
  explicit KernelTypes(const ObjectFile& object)
      : object_(object), btf_(*object.btf), search_(btf_) {}

  template <typename Visit>
  void for_each(Visit visit) {
    add_central_types();
    add_what_embeds_parts();
    object_.for_each_core_relo([&](const InputSection&, CoreRelo relo) {
      if (!relo.is_local_type_id()) search_.add(relo.type_id);
    });
    for (const BtfDeclaration& declaration : object_.declarations) {
      if (is_kernel_type(declaration.role)) search_.add(declaration.type_id);
      if (declaration.is_func()) add_context(declaration);
    }
    search_.follow([&](uint32_t id) {
      if (has_tag_or_typedef(btf_.kind(id))) visit(btf_.name(btf_.type(id)));
      search_.add_references(id);
    });
  }

 private:
  static bool has_tag_or_typedef(BtfKind kind) {
    return is_composite(kind) || is_enum(kind) || kind == BtfKind::Fwd || kind == BtfKind::Typedef;
  }

  static bool is_kernel_type(SectionRole role) {
    return role == SectionRole::Ksyms || role == SectionRole::StructOps;
  }

  void add_central_types() {
    for (uint32_t id = 1; id < btf_.end_id(); ++id) {
      BtfType type = btf_.type(id);
      if (is_composite(type.kind()) && std::ranges::binary_search(central_tags, btf_.name(type)))
        search_.add(id);
    }
  }

  void add_what_embeds_parts() {
    std::vector<bool> is_kernel_type = find_kernel_records(btf_);
    for (uint32_t id = 1; id < btf_.end_id(); ++id)
      if (is_kernel_type[id]) search_.add(id);
  }

  /// Adds the context of a program if it comes from the kernel, not from a user or another program.
  void add_context(const BtfDeclaration& declaration) {
    const InputSymbol& symbol = object_.symbols[declaration.symbol_index];
    if (!symbol.is_in_section()) return;
    const InputSection& section = object_.sections[symbol.section];
    ProgramType type = section_meaning(section.name).type;
    if (section.role == SectionRole::Text || type == ProgramType::Syscall ||
        type == ProgramType::Ext)
      return;
    BtfType prototype = btf_.type(declaration.type().type());
    if (prototype.vlen() == 0) return;
    uint32_t context = skip_modifiers(btf_, prototype.param(0).type);
    if (context != 0 && btf_.type(context).kind() == BtfKind::Ptr) search_.add(context);
  }

  const ObjectFile& object_;
  const Btf& btf_;
  TypeSearch search_;
};

}  // namespace

std::vector<bool> find_kernel_records(const BtfView& types) {
  return find_embedders(types, [&](uint32_t id) {
    BtfType type = types.type(id);
    return is_composite(type.kind()) && std::ranges::binary_search(kernel_parts, types.name(type));
  });
}

std::unordered_set<std::string_view> find_kernel_tags(const Context& context) {
  std::unordered_set<std::string_view> tags;
  for (auto& object : context.objects)
    if (object->btf)
      KernelTypes(*object).for_each([&](std::string_view name) {
        if (!name.empty()) tags.insert(name);
      });
  return tags;
}

}  // namespace bpflink
