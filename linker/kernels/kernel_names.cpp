#include "linker/kernels/kernel_names.hpp"

#include <algorithm>
#include <utility>

#include "dedup/edit_distance.hpp"

namespace bpflink {
namespace {

constexpr std::string_view kfunc_tag = "bpf_kfunc";

}  // namespace

void WantedNames::add(BtfKind kind, std::string name) {
  auto& numbers = numbers_[static_cast<size_t>(kind)];
  if (numbers.contains(name)) return;
  numbers.emplace(names_.emplace_back(std::move(name)), size_);
  ++size_;
}

std::optional<uint32_t> WantedNames::find(BtfKind kind, std::string_view name) const {
  const auto& numbers = numbers_[static_cast<size_t>(kind)];
  auto it = numbers.find(name);
  if (it == numbers.end()) return std::nullopt;
  return it->second;
}

KernelNames::KernelNames(const Kernel& kernel, const WantedNames& wanted)
    : wanted_(wanted), found_(wanted.size()) {
  if (wanted.size() == 0) return;
  walk(kernel.btf, nullptr);
  for (const KernelModule& module : kernel.modules) walk(module.btf, &module);
}

void KernelNames::walk(const Btf& btf, const KernelModule* module) {
  const BtfView& types = btf;
  bool wants_marks = !wanted_.is_empty(BtfKind::Func);
  for (uint32_t id = types.first_id(); id < types.end_id(); ++id) {
    BtfType type = types.type(id);
    if (type.kind() == BtfKind::DeclTag) {
      if (wants_marks && type.component_idx() < 0 && types.name(type) == kfunc_tag)
        kfuncs_[&btf].insert(type.type());
      continue;
    }
    if (!is_known(type.kind()) || type.name_off() == 0 || wanted_.is_empty(type.kind())) continue;
    auto number = wanted_.find(type.kind(), types.name(type));
    if (!number) continue;
    auto& found = found_[*number];
    if (found.empty() || found.back().btf != &btf) found.push_back({&btf, module, id});
  }
}

std::span<const KernelType> KernelNames::find_all(BtfKind kind, std::string_view name) const {
  auto number = wanted_.find(kind, name);
  return number ? std::span<const KernelType>(found_[*number]) : std::span<const KernelType>();
}

std::optional<KernelType> KernelNames::find(BtfKind kind, std::string_view name) const {
  auto all = find_all(kind, name);
  if (all.empty()) return std::nullopt;
  return all.front();
}

bool KernelNames::is_unmarked_kfunc(const KernelType& function) const {
  auto it = kfuncs_.find(function.btf);
  return it != kfuncs_.end() && !it->second.contains(function.id);
}

std::string similar_kernel_name(const Kernel& kernel, BtfKind kind, std::string_view prefix,
                                std::string_view name) {
  NearestName nearest(name);
  auto consider_all = [&](const BtfView& types) {
    for (uint32_t id = types.first_id(); id < types.end_id(); ++id) {
      BtfType type = types.type(id);
      if (type.kind() != kind) continue;
      std::string_view candidate = types.name(type);
      if (candidate.starts_with(prefix)) nearest.consider(candidate.substr(prefix.size()));
    }
  };
  consider_all(kernel.btf);
  for (const KernelModule& module : kernel.modules) consider_all(module.btf);
  return std::string(nearest.nearest());
}

}  // namespace bpflink
