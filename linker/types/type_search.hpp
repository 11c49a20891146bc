// Searches over the references of types.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "dedup/for_linker.hpp"

namespace bpflink {

/// The types that a search has found, and which of them it has yet to follow. Void is none.
class TypeSearch {
 public:
  explicit TypeSearch(const BtfView& types) : types_(types), found_(types.end_id()) {}

  void add(uint32_t id) {
    if (id == 0 || found_[id]) return;
    found_[id] = true;
    pending_.push_back(id);
  }
  void add_references(uint32_t id) {
    for_each_reference(types_.words_of(id), [&](uint32_t to) { add(to); });
  }
  /// Calls `visit(id)`, which may add types, for each type to follow.
  template <typename Visit>
  void follow(Visit visit) {
    while (!pending_.empty()) {
      uint32_t id = pending_.back();
      pending_.pop_back();
      visit(id);
    }
  }
  void follow_references() {
    follow([&](uint32_t id) { add_references(id); });
  }

  bool is_idle() const { return pending_.empty(); }
  /// By type id.
  const std::vector<bool>& found() const { return found_; }
  std::vector<bool> take_found() { return std::move(found_); }

 private:
  BtfView types_;
  std::vector<bool> found_;
  std::vector<uint32_t> pending_;
};

/// By type id: whether `is_part(id)` holds for a struct or union, or for a type that it contains by
/// value at any depth. `is_part` is called once for each type.
std::vector<bool> find_embedders(const BtfView& types,
                                 const std::function<bool(uint32_t)>& is_part);

}  // namespace bpflink
