#include "dedup/relocations/candidates.hpp"

#include <bit>

#include "dedup/check/names.hpp"
#include "dedup/format/hash.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/print/c_scalars.hpp"

namespace bpflink {
std::string_view essential_name(std::string_view name) {
  // The last "___" that is not next to another '_'.
  for (size_t at = name.rfind("___"); at != name.npos && at > 0;
       at = at == 0 ? name.npos : name.rfind("___", at - 1))
    if (at + 3 < name.size() && name[at - 1] != '_' && name[at + 3] != '_')
      return name.substr(0, at);
  return name;
}

NamedTypes::NamedTypes(const BtfView& view, uint32_t module, uint32_t pointer_size)
    : types_{view, pointer_size}, module_(module) {
  uint32_t first = view.first_id(), count = view.end_id() - first;
  if (count == 0) return;
  heads_.resize(std::bit_ceil(count));
  next_.resize(count);
  for (uint32_t id = view.end_id(); id-- > first;) {
    BtfType type = view.type(id);
    if (type.name_off() == 0 || !is_known(type.kind())) continue;
    uint32_t& head = heads_[bucket(essential_name(name_of(type)))];
    next_[id - first] = head;
    head = id;
  }
}

/// Whether a relocation may be bound to types of a kind.
bool NamedTypes::can_be_bound(BtfKind kind) {
  return is_known(kind) && !is_of_program(kind) && kind != BtfKind::TypeTag;
}

size_t NamedTypes::bucket(std::string_view name) const {
  return hash_bytes(name.data(), name.size()) & (heads_.size() - 1);
}

std::string_view NamedTypes::name_of(BtfType type) const {
  std::string_view name = bounded_name(types_.view, type.name_off(), max_core_name);
  return name.size() < max_core_name ? name : std::string_view();
}

void NamedTypes::find(std::string_view name, BtfKind kind, CoreEffort& effort,
                      std::vector<CandidateType>& found) const {
  if (heads_.empty() || !can_be_bound(kind)) return;
  uint32_t id = heads_[bucket(name)];
  for (; id != 0 && effort.spend(); id = next_[id - types_.view.first_id()]) {
    BtfType type = types_.view.type(id);
    if (!are_kinds_compatible(kind, type.kind())) continue;
    std::string_view other = name_of(type);
    if (effort.spend_name(other) && essential_name(other) == name)
      found.push_back({&types_, module_, id});
  }
}

CoreKernel::CoreKernel(const BtfView& vmlinux, std::span<const BtfView> modules)
    : impl_(new Impl{NamedTypes(vmlinux, 0, bpflink::pointer_size(vmlinux)), {}, {}}) {
  for (const BtfView& module : modules) CoreKernelAccess::add_module(*this, module);
}
CoreKernel::CoreKernel(CoreKernel&&) noexcept = default;
CoreKernel& CoreKernel::operator=(CoreKernel&&) noexcept = default;
CoreKernel::~CoreKernel() = default;

void CoreKernelAccess::add_module(CoreKernel& kernel, const BtfView& module) {
  CoreKernel::Impl& impl = *kernel.impl_;
  impl.module_views.push_back(module);
  impl.modules.push_back(std::make_unique<const NamedTypes>(
      module, static_cast<uint32_t>(impl.module_views.size()), impl.vmlinux.types().pointer_size));
}

const BtfView& CoreKernel::vmlinux() const {
  return impl_->vmlinux.types().view;
}
std::span<const BtfView> CoreKernel::modules() const {
  return impl_->module_views;
}

std::optional<uint32_t> CoreKernel::find(BtfKind kind, std::string_view name) const {
  std::optional<uint32_t> found;
  impl_->vmlinux.visit_essential(name, [&](BtfType type, uint32_t id) {
    if (type.kind() == kind) found = id;
    return !found;
  });
  return found;
}

std::vector<CandidateType> find_candidates(const CoreKernel& kernel, const BtfView& program,
                                           uint32_t id, CoreEffort& effort) {
  std::vector<CandidateType> found;
  BtfType local = program.type(id);
  std::string_view name = essential_name(bounded_name(program, local.name_off(), max_core_name));
  const auto& impl = CoreKernelAccess::impl(kernel);
  impl.vmlinux.find(name, local.kind(), effort, found);
  if (!found.empty()) return found;
  for (const auto& module : impl.modules) module->find(name, local.kind(), effort, found);
  return found;
}

}  // namespace bpflink
