// Finds types that contain themselves by value.
//
// A struct that has itself as a member, or a typedef of itself, has no size. A circle of references
// is valid only if it passes through a pointer or a function prototype. Without the references of
// these two, the graph must have no circles.
//
// Most types contain only types that are known to be sound when they are reached. A few passes back
// and forth settle most others, because types stand near those that they contain. A depth-first
// search with an explicit stack settles the rest.
#include <algorithm>
#include <vector>

#include "dedup/format/kinds.hpp"
#include "dedup/format/type_section.hpp"

namespace bpflink {

namespace {

/// How often doubtful types are looked at again.
constexpr int max_passes = 8;

/// What is known of a type: nothing, that it is sound, or that the search is at what it contains.
enum Mark : uint8_t { unknown, sound, open };

class ContainmentCheck {
 public:
  explicit ContainmentCheck(const BtfView& types)
      : types_(types), marks_(types.end_id() - types.first_id()) {}

  std::optional<uint32_t> run() {
    std::vector<uint32_t> doubtful;
    for (uint32_t id = types_.first_id(); id < types_.end_id(); ++id)
      if (is_leaf(kind_of(types_.first_word(id)))) mark(id) = sound;
    for (uint32_t id = types_.first_id(); id < types_.end_id(); ++id)
      if (mark(id) != sound && !settle(id)) doubtful.push_back(id);
    for (int pass = 0; pass < max_passes && !doubtful.empty(); ++pass) {
      std::ranges::reverse(doubtful);
      std::erase_if(doubtful, [&](uint32_t id) { return settle(id); });
    }
    std::ranges::sort(doubtful);
    for (uint32_t id : doubtful)
      if (auto found = search(id)) return found;
    return std::nullopt;
  }

 private:
  uint8_t& mark(uint32_t id) { return marks_[id - types_.first_id()]; }
  /// Types of the base are, and void.
  bool is_sound(uint32_t id) { return id < types_.first_id() || mark(id) == sound; }

  /// Marks a type as sound if all is that it contains.
  bool settle(uint32_t id) {
    bool all_sound = true;
    for_each_reference(types_.words_of(id), [&](uint32_t child) { all_sound &= is_sound(child); });
    if (all_sound) mark(id) = sound;
    return all_sound;
  }

  /// A type that contains itself and that `root` contains or is, or nothing.
  std::optional<uint32_t> search(uint32_t root) {
    stack_.assign(1, root);
    while (!stack_.empty()) {
      uint32_t id = stack_.back();
      if (mark(id) != unknown) {
        mark(id) = sound;
        stack_.pop_back();
        continue;
      }
      mark(id) = open;
      if (push_contained(id)) return id;
    }
    return std::nullopt;
  }

  /// Returns whether a type contains one that is open: that contains it, or is it.
  bool push_contained(uint32_t id) {
    bool is_circle = false;
    for_each_reference(types_.words_of(id), [&](uint32_t child) {
      if (is_sound(child)) return;
      is_circle |= mark(child) == open;
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
