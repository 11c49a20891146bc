// Types that contain themselves by value.
//
// A struct that has itself as a member, or a typedef of itself, has no size. A
// cycle of references is sound only if it passes through a pointer or a
// function prototype, so the references of these two are left out, and what
// remains must be a graph without cycles.
//
// Most types refer to types before them that are known to be sound, which one
// pass in order of ids finds without following anything. For the rest a
// depth-first search with a stack of its own follows references down.
#include <fmt/format.h>

#include "dedup/btf_check.hpp"
#include "dedup/kinds.hpp"

namespace bpflink {

namespace {

enum class Mark : uint8_t { unknown, open, sound };

class CycleCheck {
 public:
  CycleCheck(const Btf& btf, const TypeSection& types)
      : btf_(btf), types_(types), marks_(types.starts.size() - 1, Mark::unknown) {}

  std::expected<void, Error> run() {
    for (uint32_t id = types_.first_id; id < types_.end_id(); ++id) {
      if (ends_here(id)) mark(id) = Mark::sound;
    }
    for (uint32_t id = types_.first_id; id < types_.end_id(); ++id) {
      if (mark(id) == Mark::sound) continue;
      if (auto ok = search(id); !ok) return ok;
    }
    return {};
  }

 private:
  Mark& mark(uint32_t id) { return marks_[id - types_.first_id]; }

  bool is_sound(uint32_t id) const {
    return id < types_.first_id || marks_[id - types_.first_id] == Mark::sound;
  }

  /// Whether type `id` contains nothing by value but what is known to be sound.
  bool ends_here(uint32_t id) const {
    BtfType type = types_.at(id);
    if (type.kind() == BTF_KIND_PTR || type.kind() == BTF_KIND_FUNC_PROTO) return true;
    bool all_sound = true;
    for_each_reference(type.words(), [&](uint32_t child) { all_sound &= is_sound(child); });
    return all_sound;
  }

  std::expected<void, Error> search(uint32_t root) {
    stack_.assign(1, root);
    while (!stack_.empty()) {
      uint32_t id = stack_.back();
      if (mark(id) == Mark::sound) {
        stack_.pop_back();
        continue;
      }
      if (mark(id) == Mark::open) {
        mark(id) = Mark::sound;
        stack_.pop_back();
        continue;
      }
      mark(id) = Mark::open;
      if (ends_here(id)) continue;
      if (auto ok = push_children(id); !ok) return ok;
    }
    return {};
  }

  /// A child that is open is an ancestor of `id`, or `id` itself.
  std::expected<void, Error> push_children(uint32_t id) {
    bool cycle = false;
    for_each_reference(types_.at(id).words(), [&](uint32_t child) {
      if (is_sound(child)) return;
      cycle |= mark(child) == Mark::open;
      stack_.push_back(child);
    });
    if (!cycle) return {};
    return std::unexpected(
        Error{describe_type(btf_, id) + ": contains itself without a pointer in between"});
  }

  const Btf& btf_;
  const TypeSection& types_;
  std::vector<Mark> marks_;
  std::vector<uint32_t> stack_;
};

}  // namespace

std::expected<void, Error> check_cycles(const Btf& btf, const TypeSection& types) {
  return CycleCheck(btf, types).run();
}

}  // namespace bpflink
