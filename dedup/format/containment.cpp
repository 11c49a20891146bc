// Finds types that contain themselves by value.
//
// A struct that has itself as a member, or a typedef of itself, has no size. A circle of references
// is valid only if it passes through a pointer or a function prototype. So the graph without the
// references of these two must have no circles.
//
// A type is sound if it contains only sound types. Most types contain only types that are known to
// be sound when they are reached. A depth-first search with an explicit stack settles the others.
// The time is linear in the types.
#include <vector>

#include "dedup/format/kinds.hpp"
#include "dedup/format/reader.hpp"

namespace bpflink {

namespace {

/// in_progress: the search is at the types that it contains.
enum Mark : uint8_t { unknown, sound, in_progress };

class ContainmentCheck {
 public:
  explicit ContainmentCheck(const BtfView& types)
      : types_(types), marks_(types.end_id() - types.first_id()) {}

  std::optional<uint32_t> run() {
    for (uint32_t id = types_.first_id(); id < types_.end_id(); ++id)
      if (is_leaf(kind_of(types_.first_word(id)))) mark(id) = sound;
    for (uint32_t id = types_.first_id(); id < types_.end_id(); ++id)
      if (mark(id) != sound && !mark_if_sound(id))
        if (auto found = search(id)) return found;
    return std::nullopt;
  }

 private:
  uint8_t& mark(uint32_t id) { return marks_[id - types_.first_id()]; }
  /// Types of the base and void are sound.
  bool is_sound(uint32_t id) { return id < types_.first_id() || mark(id) == sound; }

  /// Marks a type as sound if all types that it contains are. Returns whether they are.
  bool mark_if_sound(uint32_t id) {
    bool all_sound = true;
    for_each_reference(types_.words_of(id), [&](uint32_t child) { all_sound &= is_sound(child); });
    if (all_sound) mark(id) = sound;
    return all_sound;
  }

  /// A type that contains itself among `root` and the types that it contains, or nothing.
  std::optional<uint32_t> search(uint32_t root) {
    stack_.assign(1, root);
    while (!stack_.empty()) {
      uint32_t id = stack_.back();
      if (mark(id) != unknown) {
        mark(id) = sound;
        stack_.pop_back();
        continue;
      }
      mark(id) = in_progress;
      if (push_contained(id)) return id;
    }
    return std::nullopt;
  }

  /// Returns whether a type contains one in progress, which in turn contains it or is it.
  bool push_contained(uint32_t id) {
    bool is_circle = false;
    for_each_reference(types_.words_of(id), [&](uint32_t child) {
      if (is_sound(child)) return;
      is_circle |= mark(child) == in_progress;
      stack_.push_back(child);
    });
    return is_circle;
  }

  const BtfView& types_;
  std::vector<uint8_t> marks_;
  std::vector<uint32_t> stack_;
};

}  // namespace

std::optional<uint32_t> find_self_containing(const BtfView& types) {
  return ContainmentCheck(types).run();
}

Error contains_itself(const std::string& type) {
  return {type + ": contains itself without a pointer in between"};
}

}  // namespace bpflink
