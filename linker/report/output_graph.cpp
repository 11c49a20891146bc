#include "linker/report/output_graph.hpp"

#include <algorithm>
#include <optional>

#include "linker/elf/references.hpp"

namespace bpflink {
namespace {

using Key = std::pair<uint32_t, uint64_t>;  ///< index of a section, offset

Key key_of(const OutputEntity& entity) {
  return {entity.section->index, entity.begin()};
}

/// Finds the references of an object that has been read and not split.
class ReferenceFinder {
 public:
  ReferenceFinder(const ObjectFile& object, const std::vector<OutputEntity>& entities)
      : object_(object), entities_(entities) {}

  template <typename Add>
  void visit_all(Add add) const {
    for (const InputSection& section : object_.linked_sections()) {
      if (!section.is_loaded()) continue;
      for (const Relocation& relocation : section.relocations)
        connect(find(section.index, relocation.offset), find_target(relocation), add);
      if (section.is_code()) visit_calls(section, add);
    }
  }

 private:
  template <typename Add>
  static void connect(std::optional<uint32_t> from, std::optional<uint32_t> to, Add add) {
    if (from && to && *from != *to) add(*from, *to);
  }

  /// The entity that begins at or before a place and has the byte there.
  std::optional<uint32_t> find(uint32_t section, uint64_t offset) const {
    auto after = std::ranges::upper_bound(entities_, Key{section, offset}, {}, key_of);
    if (after == entities_.begin()) return std::nullopt;
    // Of several that begin there, aliases, the first stands for all.
    auto found = std::ranges::lower_bound(entities_, key_of(*(after - 1)), {}, key_of);
    const OutputEntity& entity = *found;
    bool is_inside = entity.section->index == section &&
                     (offset == entity.begin() || offset - entity.begin() < entity.symbol->size);
    if (!is_inside) return std::nullopt;
    return static_cast<uint32_t>(found - entities_.begin());
  }

  std::optional<uint32_t> find_target(const Relocation& relocation) const {
    RelocationTarget target = target_of(object_, relocation);
    return find(target.section, static_cast<uint64_t>(target.offset));
  }

  template <typename Add>
  void visit_calls(const InputSection& section, Add add) const {
    for_each_local_branch(section, 0, section.size, [&](const LocalBranch& branch) {
      if (!branch.is_call) return;
      connect(find(section.index, branch.from),
              find(section.index, static_cast<uint64_t>(branch.to)), add);
    });
  }

  const ObjectFile& object_;
  const std::vector<OutputEntity>& entities_;
};

}  // namespace

uint32_t OutputGraph::first_alias(uint32_t entity) const {
  auto found = std::ranges::lower_bound(entities, key_of(entities[entity]), {}, key_of);
  return static_cast<uint32_t>(found - entities.begin());
}

OutputGraph::OutputGraph(const ObjectFile& output) {
  for (const InputSymbol& symbol : output.symbols) {
    if (symbol.place != InputSymbol::Place::Section) continue;
    if (symbol.type == STT_FUNC || symbol.type == STT_OBJECT)
      entities.push_back({&symbol, &output.sections[symbol.section]});
  }
  std::ranges::stable_sort(entities, {}, [](const OutputEntity& entity) {
    return std::pair(key_of(entity), !entity.is_function());
  });
  ReferenceFinder finder(output, entities);
  uses =
      Graph::make(static_cast<uint32_t>(entities.size()), [&](auto add) { finder.visit_all(add); });
}

}  // namespace bpflink
