// Types that contain themselves by value.
//
// A struct that has itself as a member, or a typedef of itself, has no size. A
// cycle of references is sound only if it passes through a pointer or a
// function prototype, so the references of these two are left out, and what
// remains must be a graph without cycles.
//
// Most types contain only types that are known to be sound when they are first
// looked at. Over the others a few passes go to and fro, each in the order in
// which one type's being sound settles the next. What then remains, a
// depth-first search with a stack of its own follows down.
#include <algorithm>

#include "dedup/format/kinds.hpp"
#include "dedup/format/type_section.hpp"

namespace bpflink {

namespace {

constexpr int max_passes = 8;

// What is known of a type: nothing, that it is sound, or that the search is at
// what it contains.
enum Mark : uint8_t { unknown, sound, open };

class CycleCheck {
 public:
  CycleCheck(const Btf& btf, const TypeSection& types, const TypeSummary& summary)
      : btf_(btf), types_(types), left_(summary.doubtful), marks_(summary.sound.span()) {}

  std::expected<void, Error> run() {
    for (int pass = 0; pass < max_passes && !left_.empty(); ++pass) {
      std::ranges::reverse(left_);
      std::erase_if(left_, [&](uint32_t id) { return settle(id); });
    }
    for (uint32_t id : left_)
      if (auto ok = search(id); !ok) return ok;
    return {};
  }

 private:
  /// Marks a type as sound if all is that it contains.
  bool settle(uint32_t id) {
    bool is_sound = true;
    for_each_reference(types_.at(id).words(),
                       [&](uint32_t child) { is_sound &= is_known_sound(child); });
    if (is_sound) mark(id) = sound;
    return is_sound;
  }

  uint8_t& mark(uint32_t id) { return marks_[id - types_.first_id]; }

  /// Types of the base are.
  bool is_known_sound(uint32_t id) { return id < types_.first_id || mark(id) == sound; }

  std::expected<void, Error> search(uint32_t root) {
    stack_.assign(1, root);
    while (!stack_.empty()) {
      uint32_t id = stack_.back();
      if (mark(id) != unknown) {
        mark(id) = sound;
        stack_.pop_back();
        continue;
      }
      mark(id) = open;
      if (auto ok = push_contained(id); !ok) return ok;
    }
    return {};
  }

  /// What is open here contains `id`, or is `id` itself.
  std::expected<void, Error> push_contained(uint32_t id) {
    bool is_cycle = false;
    for_each_reference(types_.at(id).words(), [&](uint32_t child) {
      if (is_known_sound(child)) return;
      is_cycle |= mark(child) == open;
      stack_.push_back(child);
    });
    if (!is_cycle) return {};
    return std::unexpected(
        Error{describe_type(btf_, id) + ": contains itself without a pointer in between"});
  }

  const Btf& btf_;
  const TypeSection& types_;
  std::vector<uint32_t> left_;
  std::span<uint8_t> marks_;
  std::vector<uint32_t> stack_;
};

}  // namespace

std::expected<void, Error> check_cycles(const Btf& btf, const TypeSection& types,
                                        const TypeSummary& summary) {
  return CycleCheck(btf, types, summary).run();
}

}  // namespace bpflink
