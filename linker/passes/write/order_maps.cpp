// Pass: put inner maps before the maps that hold them.
//
// Loaders create maps in the order of .maps, and fill the slots of a map of maps when they create
// it. If the maps are in a valid order already, nothing moves.
#include "linker/files/alignment.hpp"
#include "linker/files/references.hpp"
#include "linker/state/context.hpp"

namespace bpflink {
namespace {

class MapOrder {
 public:
  explicit MapOrder(OutputSection& output) : output_(output) {}

  void run() {
    for (InputSection* section : output_.members)
      for (Fragment& fragment : section->fragments) {
        if (!fragment.live) continue;
        number_.emplace(&fragment, maps_.size());
        maps_.push_back({section, &fragment});
      }
    if (!has_wrong_order()) return;
    for (size_t map = 0; map < maps_.size(); ++map) add_with_inner(map);
    apply_order();
  }

 private:
  struct Map {
    InputSection* section;
    Fragment* fragment;
    bool is_entered = false;
    bool is_ordered = false;
  };

  template <typename Visit>
  void for_each_inner(const Map& map, Visit visit) {
    for_each_reference_from(*map.section, map.fragment->begin, map.fragment->end,
                            [&](const Reference& reference) {
                              auto [target, offset] = definition_of(reference.to);
                              if (!target || target->output != &output_) return;
                              auto found = number_.find(&fragment_at(*target, offset));
                              if (found != number_.end()) visit(found->second);
                            });
  }

  bool has_wrong_order() {
    bool wrong = false;
    for (size_t map = 0; map < maps_.size(); ++map)
      for_each_inner(maps_[map], [&](size_t inner) { wrong |= inner > map; });
    return wrong;
  }

  /// Adds a map after the maps that it holds. Maps that hold each other, which every loader
  /// rejects, stay in their order.
  void add_with_inner(size_t start) {
    std::vector<size_t> pending{start};
    while (!pending.empty()) {
      size_t map = pending.back();
      if (maps_[map].is_entered) {
        pending.pop_back();
        if (!maps_[map].is_ordered) order_.push_back(map);
        maps_[map].is_ordered = true;
        continue;
      }
      maps_[map].is_entered = true;
      size_t bottom = pending.size();
      for_each_inner(maps_[map], [&](size_t inner) {
        if (!maps_[inner].is_entered) pending.push_back(inner);
      });
      std::reverse(pending.begin() + static_cast<ptrdiff_t>(bottom), pending.end());
    }
  }

  void apply_order() {
    uint64_t end = 0;
    for (size_t number : order_) {
      Map& map = maps_[number];
      end = align_up(end, alignment_at(map.section->alignment, map.fragment->begin));
      map.fragment->output_offset = end;
      end += map.fragment->end - map.fragment->begin;
    }
    output_.size = end;
  }

  OutputSection& output_;
  std::vector<Map> maps_;
  std::unordered_map<const Fragment*, size_t> number_;
  std::vector<size_t> order_;
};

}  // namespace

void order_maps(Context& context) {
  for (auto& section : context.sections)
    if (section->role == SectionRole::Maps) MapOrder(*section).run();
}

}  // namespace bpflink
