// Finds types of a kernel by name: the candidates of a relocation.
//
// A relocation for `struct task_struct___old` is tried with every `struct task_struct` of the
// kernel, flavor or not. Types are looked up in vmlinux, and in modules only if vmlinux has none.
#pragma once

#include <memory>
#include <vector>

#include "dedup/relocations/access.hpp"

namespace bpflink {

/// Limits the steps for one relocation, so that hostile types do not take forever.
class CoreEffort {
 public:
  explicit CoreEffort(uint32_t steps) : left_(steps) {}

  /// Takes `steps` from what is left. Returns false if there are fewer.
  bool spend(uint32_t steps = 1) {
    bool is_enough = steps <= left_;
    left_ = is_enough ? left_ - steps : 0;
    return is_enough;
  }
  /// Takes what the comparison of a name costs: nothing, unless it is long.
  bool spend_name(std::string_view name) {
    constexpr size_t bytes_per_step = 64;
    return spend(static_cast<uint32_t>(name.size() / bytes_per_step));
  }
  uint32_t left() const { return left_; }

 private:
  uint32_t left_;
};

/// A type of the kernel.
struct CandidateType {
  const CoreTypes* types;
  uint32_t module;  ///< as in CoreCandidate
  uint32_t id;
};

/// Types, functions, variables and tags of vmlinux, or of one module without those of vmlinux, in a
/// hash table by name.
class NamedTypes {
 public:
  NamedTypes(const BtfView& view, uint32_t module, uint32_t pointer_size);

  const CoreTypes& types() const { return types_; }
  /// Appends the types of an essential name with compatible kinds, by ascending id. Stops when the
  /// effort is spent.
  void find(std::string_view name, BtfKind kind, CoreEffort& effort,
            std::vector<CandidateType>& found) const;
  /// Calls `visit(type, id)` for everything of that whole name, by ascending id, until it returns
  /// false.
  template <typename Visit>
  void visit(std::string_view name, Visit visit) const {
    visit_bucket(essential_name(name), [&](BtfType type, uint32_t id) {
      return name_of(type) != name || visit(type, id);
    });
  }
  /// Calls `visit(type, id)` for all types of an essential name that relocations may be bound to,
  /// by ascending id, until it returns false.
  template <typename Visit>
  void visit_essential(std::string_view name, Visit visit) const {
    visit_bucket(name, [&](BtfType type, uint32_t id) {
      return !can_be_bound(type.kind()) || essential_name(name_of(type)) != name || visit(type, id);
    });
  }

 private:
  template <typename Visit>
  void visit_bucket(std::string_view name, Visit visit) const {
    uint32_t id = heads_.empty() ? 0 : heads_[bucket(name)];
    while (id != 0 && visit(types_.view.type(id), id)) id = next_[id - types_.view.first_id()];
  }
  static bool can_be_bound(BtfKind kind);
  size_t bucket(std::string_view name) const;
  std::string_view name_of(BtfType type) const;

  CoreTypes types_;
  uint32_t module_;
  std::vector<uint32_t> heads_;  ///< by bucket: its first type, or 0
  std::vector<uint32_t> next_;   ///< by type: the next one in its bucket, or 0
};

struct CoreKernel::Impl {
  NamedTypes vmlinux;
  std::vector<std::unique_ptr<const NamedTypes>> modules;
  std::vector<BtfView> module_views;
};

/// Access to the index, for the project's own code.
struct CoreKernelAccess {
  static const auto& impl(const CoreKernel& kernel) { return *kernel.impl_; }
  /// The index of the types that a CoreCandidate's `module` stands for.
  static const NamedTypes& named(const CoreKernel& kernel, uint32_t module) {
    return module == 0 ? kernel.impl_->vmlinux : *kernel.impl_->modules[module - 1];
  }
  /// Adds a module, which is split from vmlinux and must outlive the kernel.
  static void add_module(CoreKernel& kernel, const BtfView& module);
};

/// Whether a type of kind `a` can be bound to one of kind `b`.
inline bool are_kinds_compatible(BtfKind a, BtfKind b) {
  return a == b || (is_enum(a) && is_enum(b));
}

/// The types that type `id` of a program may be bound to.
std::vector<CandidateType> find_candidates(const CoreKernel& kernel, const BtfView& program,
                                           uint32_t id, CoreEffort& effort);

}  // namespace bpflink
