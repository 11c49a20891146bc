// Looks up types of a kernel and its modules by name: one walk over all types for all wanted names.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/format/kinds.hpp"
#include "linker/kernels/kernel.hpp"

namespace bpflink {

/// Kinds and names to look for.
class WantedNames {
 public:
  WantedNames() = default;
  WantedNames(const WantedNames&) = delete;
  WantedNames& operator=(const WantedNames&) = delete;

  void add(BtfKind kind, std::string name);
  /// Whether no name of that kind is wanted.
  bool is_empty(BtfKind kind) const { return numbers_[static_cast<size_t>(kind)].empty(); }
  /// The number of a wanted name, below size(); nothing if it is not wanted.
  std::optional<uint32_t> find(BtfKind kind, std::string_view name) const;
  uint32_t size() const { return size_; }

 private:
  std::array<std::unordered_map<std::string_view, uint32_t>, known_kinds> numbers_;
  std::deque<std::string> names_;  // in a deque, so that they do not move
  uint32_t size_ = 0;
};

/// A type of a kernel or module.
struct KernelType {
  const Btf* btf;
  const KernelModule* module;  ///< null if it is the kernel's
  uint32_t id;

  BtfType type() const { return btf->type(id); }
  /// "vmlinux", or the module's name.
  std::string_view owner() const {
    return module != nullptr ? std::string_view(module->name) : std::string_view("vmlinux");
  }
};

class KernelNames {
 public:
  /// Both must outlive this.
  KernelNames(const Kernel& kernel, const WantedNames& wanted);

  /// The first type of that kind and name in the kernel, then in each module. The name must be a
  /// wanted one.
  std::span<const KernelType> find_all(BtfKind kind, std::string_view name) const;
  /// The first of them.
  std::optional<KernelType> find(BtfKind kind, std::string_view name) const;

  /// Whether the function's BTF marks kfuncs, as kernels do since 6.10, but not this one. False
  /// unless FUNCs are wanted.
  bool is_unmarked_kfunc(const KernelType& function) const;

 private:
  void walk(const Btf& btf, const KernelModule* module);

  const WantedNames& wanted_;
  std::vector<std::vector<KernelType>> found_;  // by the number of a wanted name
  /// The marked FUNCs of each BTF that has any.
  std::unordered_map<const Btf*, std::unordered_set<uint32_t>> kfuncs_;
};

/// The most similar name of that kind in the kernel or a module, among names that begin with
/// `prefix`, without it; "" if there is none.
std::string similar_kernel_name(const Kernel& kernel, BtfKind kind, std::string_view prefix,
                                std::string_view name);

}  // namespace bpflink
