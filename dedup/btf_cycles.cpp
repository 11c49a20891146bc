// Types that contain themselves by value.
//
// A struct that has itself as a member, or a typedef of itself, has no size. A
// cycle of references is sound only if it passes through a pointer or a
// function prototype, so the references of these two are left out, and what
// remains must be a graph without cycles.
//
// Most types contain only types before them that are known to be sound, which
// the pass that finds the types has noted, and for the others what they contain.
// Over these a few passes go to and fro, each in the order in which one type's
// being sound settles the next. What then remains, a depth-first search with a
// stack of its own follows down.
#include <algorithm>
#include <numeric>
#include <utility>

#include "dedup/btf_check.hpp"
#include "dedup/kinds.hpp"

namespace bpflink {

namespace {

constexpr int max_passes = 8;

// What is known of a type: nothing, that it is sound, or that the search is at
// what it contains.
enum Mark : uint8_t { unknown, sound, open };

class CycleCheck {
 public:
  CycleCheck(const Btf& btf, const TypeSection& types, const TypeSummary& summary)
      : btf_(btf), types_(types), summary_(summary), marks_(summary.sound) {}

  std::expected<void, Error> run() {
    std::vector<uint32_t> left(summary_.doubtful.size());
    std::iota(left.begin(), left.end(), 0);
    for (int pass = 0; pass < max_passes && !left.empty(); ++pass) {
      std::ranges::reverse(left);
      std::erase_if(left, [&](uint32_t doubt) { return settle(doubt); });
    }
    for (uint32_t doubt : left)
      if (auto ok = search(summary_.doubtful[doubt]); !ok) return ok;
    return {};
  }

 private:
  /// Marks a type as sound if all is that it contains.
  bool settle(uint32_t doubt) {
    auto is_sound = [&](uint32_t id) { return mark(id) == sound; };
    if (!std::ranges::all_of(contained(doubt), is_sound)) return false;
    mark(summary_.doubtful[doubt]) = sound;
    return true;
  }

  uint8_t& mark(uint32_t id) { return marks_[id - types_.first_id]; }

  std::span<const uint32_t> contained(size_t doubt) const {
    return std::span(summary_.contained)
        .subspan(summary_.contained_starts[doubt],
                 summary_.contained_starts[doubt + 1] - summary_.contained_starts[doubt]);
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
    auto doubt = std::ranges::lower_bound(summary_.doubtful, id) - summary_.doubtful.begin();
    for (uint32_t child : contained(static_cast<size_t>(doubt))) {
      if (mark(child) == sound) continue;
      if (mark(child) == open)
        return std::unexpected(
            Error{describe_type(btf_, id) + ": contains itself without a pointer in between"});
      stack_.push_back(child);
    }
    return {};
  }

  const Btf& btf_;
  const TypeSection& types_;
  const TypeSummary& summary_;
  std::vector<uint8_t> marks_;
  std::vector<uint32_t> stack_;
};

}  // namespace

std::expected<void, Error> check_cycles(const Btf& btf, const TypeSection& types,
                                        const TypeSummary& summary) {
  return CycleCheck(btf, types, summary).run();
}

}  // namespace bpflink
