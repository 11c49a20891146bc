// Types that contain themselves by value.
//
// A struct that has itself as a member, or a typedef of itself, has no size. A
// cycle of references is sound only if it passes through a pointer or a
// function prototype, so the references of these two are left out, and what
// remains must be a graph without cycles.
//
// Most types refer to types before them that are known to be sound, which the
// pass that finds the types has noted. Of the rest most refer to types after
// them, so another pass goes backwards. What then remains, a depth-first search
// with a stack of its own follows down.
#include <utility>

#include "dedup/btf_check.hpp"
#include "dedup/kinds.hpp"

namespace bpflink {

namespace {

// What is known of a type: nothing, that it is sound, or that the search is at
// what it contains.
enum Mark : uint8_t { unknown, sound, open };

class CycleCheck {
 public:
  CycleCheck(const Btf& btf, const TypeSection& types, std::vector<uint8_t> marks)
      : btf_(btf), types_(types), marks_(std::move(marks)) {}

  std::expected<void, Error> run() {
    for (uint32_t id = types_.end_id(); id-- > types_.first_id;)
      if (mark(id) != sound && contains_sound(id)) mark(id) = sound;
    for (uint32_t id = types_.first_id; id < types_.end_id(); ++id) {
      if (mark(id) == sound) continue;
      if (auto ok = search(id); !ok) return ok;
    }
    return {};
  }

 private:
  uint8_t& mark(uint32_t id) { return marks_[id - types_.first_id]; }

  bool is_sound(uint32_t id) const {
    return id < types_.first_id || marks_[id - types_.first_id] == sound;
  }

  bool contains_sound(uint32_t id) const {
    bool all = true;
    for_each_reference(types_.at(id).words(), [&](uint32_t child) { all &= is_sound(child); });
    return all;
  }

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
      if (is_sound(child)) return;
      is_cycle |= mark(child) == open;
      stack_.push_back(child);
    });
    if (!is_cycle) return {};
    return std::unexpected(
        Error{describe_type(btf_, id) + ": contains itself without a pointer in between"});
  }

  const Btf& btf_;
  const TypeSection& types_;
  std::vector<uint8_t> marks_;
  std::vector<uint32_t> stack_;
};

}  // namespace

std::expected<void, Error> check_cycles(const Btf& btf, const TypeSection& types,
                                        const TypeSummary& summary) {
  return CycleCheck(btf, types, summary.sound).run();
}

}  // namespace bpflink
