#include "linker/kernels/kernel.hpp"

#include <ranges>
#include <utility>

#include "dedup/edit_distance.hpp"
#include "dedup/relocations/candidates.hpp"
#include "linker/facts/helpers.hpp"

namespace bpflink {
namespace {

/// Whether a kernel's BTF lists functions: minimized BTF does not.
bool lists_functions(const BtfView& types) {
  for (uint32_t id = types.end_id(); --id > 0;)
    if (types.kind(id) == BtfKind::Func) return true;
  return false;
}

}  // namespace

Kernel::Kernel(std::string kernel_name, Btf types)
    : name(std::move(kernel_name)),
      btf(std::move(types)),
      index(btf),
      absence_(lists_functions(btf) ? Knowledge::Absent : Knowledge::Unknown),
      at_least_(release_of_helpers()) {}

void Kernel::add_module(KernelModule module) {
  modules.push_back(std::move(module));
  CoreKernelAccess::add_module(index, modules.back().btf);
}

std::vector<KernelType> Kernel::find_all(BtfKind kind, std::string_view wanted) const {
  std::vector<KernelType> found;
  for (uint32_t module = 0; module <= modules.size(); ++module)
    CoreKernelAccess::named(index, module).visit(wanted, [&](BtfType type, uint32_t id) {
      if (type.kind() != kind) return true;
      std::string_view owner = module == 0 ? "vmlinux" : std::string_view(modules[module - 1].name);
      found.push_back({&index.types(module), id, module, owner});
      return false;
    });
  return found;
}

Answer<KernelType> Kernel::find(BtfKind kind, std::string_view wanted) const {
  auto all = find_all(kind, wanted);
  return all.empty() ? Answer<KernelType>{absence_} : known(all.front());
}

Knowledge Kernel::has_enumerator(std::string_view of_enum, uint64_t value) const {
  auto found = find(BtfKind::Enum, of_enum);
  if (!found.is_known()) found = find(BtfKind::Enum64, of_enum);
  if (!found.is_known()) return Knowledge::Unknown;
  BtfType type = found.value.type();
  for (uint32_t i = 0; i < type.vlen(); ++i) {
    BtfEnumerator enumerator = type.enumerator(i);
    bool is_limit = found.value.types->string(enumerator.name_off).starts_with("__");
    if (enumerator.value == value && !is_limit) return Knowledge::Known;
  }
  return Knowledge::Absent;
}

/// The last release of which the kernel's BTF has the newest helper.
LinuxRelease Kernel::release_of_helpers() const {
  for (const LastHelper& last : last_helpers() | std::views::reverse)
    if (has_enumerator("bpf_func_id", last.id) == Knowledge::Known) return last.release;
  return {};
}

Knowledge Kernel::has_release(LinuxRelease release) const {
  bool is_patched = identity.release.find(".el") != std::string::npos;
  if (version_code) {
    uint32_t first = uint32_t{release.major} << 16 | uint32_t{release.minor} << 8;
    if (*version_code >= first) return Knowledge::Known;
    if (!is_patched) return Knowledge::Absent;
  }
  return release <= at_least_ ? Knowledge::Known : Knowledge::Unknown;
}

Knowledge Kernel::has(const Introduction& brought) const {
  Knowledge known = has_release(brought.since);
  bool is_certain = known != Knowledge::Absent || has_release(brought.perhaps) == Knowledge::Absent;
  return is_certain ? known : Knowledge::Unknown;
}

/// Visits the ids of functions that the BTF of a module marks as kfuncs, until `visit` says false.
template <typename Visit>
void Kernel::visit_marked_kfuncs(uint32_t module, Visit visit) const {
  CoreKernelAccess::named(index, module).visit("bpf_kfunc", [&](BtfType tag, uint32_t) {
    return tag.kind() != BtfKind::DeclTag || tag.component_idx() >= 0 || visit(tag.type());
  });
}

bool Kernel::is_unmarked_kfunc(const KernelType& function) const {
  bool has_marks = false, is_marked = false;
  visit_marked_kfuncs(function.module, [&](uint32_t marked) {
    has_marks = true;
    is_marked = marked == function.id;
    return !is_marked;
  });
  return has_marks && !is_marked;
}

std::string Kernel::similar_name(BtfKind kind, std::string_view prefix,
                                 std::string_view wanted) const {
  NearestName nearest(wanted);
  for (uint32_t module = 0; module <= modules.size(); ++module) {
    const BtfView& types = index.types(module);
    for (uint32_t id = types.first_id(); id < types.end_id(); ++id) {
      BtfType type = types.type(id);
      if (type.kind() != kind) continue;
      std::string_view candidate = types.name(type);
      if (candidate.starts_with(prefix)) nearest.consider(candidate.substr(prefix.size()));
    }
  }
  return std::string(nearest.nearest());
}

std::string Kernel::similar_kfunc(std::string_view wanted) const {
  NearestName nearest(wanted);
  bool has_marks = false;
  for (uint32_t module = 0; module <= modules.size(); ++module)
    visit_marked_kfuncs(module, [&](uint32_t marked) {
      const BtfView& types = index.types(module);
      has_marks = true;
      nearest.consider(types.name(types.type(marked)));
      return true;
    });
  return has_marks ? std::string(nearest.nearest()) : similar_name(BtfKind::Func, "", wanted);
}

const KernelSymbols* Kernel::symbols() const {
  if (!has_read_symbols_ && read_symbols) symbols_ = read_symbols();
  has_read_symbols_ = true;
  return symbols_ ? &*symbols_ : nullptr;
}

Answer<ConfigValue> Kernel::option(std::string_view wanted) const {
  if (!config) return {};
  auto value = config->find(wanted);
  return value ? known(*value) : Answer<ConfigValue>{Knowledge::Absent};
}

}  // namespace bpflink
