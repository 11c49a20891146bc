#include "linker/report/output_graph.hpp"

#include <algorithm>
#include <optional>

namespace bpflink {
namespace {

using Place = std::pair<uint32_t, uint64_t>;  ///< index of a section, offset

Place place_of(const OutputEntity& entity) {
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
        connect(find(section.index, relocation.offset), target_of(relocation), add);
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
    auto after = std::ranges::upper_bound(entities_, Place{section, offset}, {}, place_of);
    if (after == entities_.begin()) return std::nullopt;
    // Of several that begin there, aliases, the first stands for all.
    auto found = std::ranges::lower_bound(entities_, place_of(*(after - 1)), {}, place_of);
    const OutputEntity& entity = *found;
    bool is_inside = entity.section->index == section &&
                     (offset == entity.begin() || offset - entity.begin() < entity.symbol->size);
    if (!is_inside) return std::nullopt;
    return static_cast<uint32_t>(found - entities_.begin());
  }

  std::optional<uint32_t> target_of(const Relocation& relocation) const {
    const InputSymbol& symbol = object_.symbols[relocation.symbol];
    if (symbol.place != InputSymbol::Place::Section) return std::nullopt;
    int64_t addend = symbol.is_section() ? relocation.addend : 0;
    return find(symbol.section, symbol.value + static_cast<uint64_t>(addend));
  }

  template <typename Add>
  void visit_calls(const InputSection& section, Add add) const {
    auto relocation = section.relocations.begin();
    for (uint64_t at = 0; at + insn_size <= section.size; at += insn_size) {
      while (relocation != section.relocations.end() && relocation->offset < at) ++relocation;
      Insn insn = load_insn(section.data.data() + at, object_.byte_order);
      if (insn.is_ld_imm64()) at += insn_size;
      bool is_relocated = relocation != section.relocations.end() && relocation->offset == at;
      if (!insn.is_local_call() || is_relocated) continue;
      int64_t target = static_cast<int64_t>(at) + (int64_t{insn.imm} + 1) * int64_t{insn_size};
      connect(find(section.index, at), find(section.index, static_cast<uint64_t>(target)), add);
    }
  }

  const ObjectFile& object_;
  const std::vector<OutputEntity>& entities_;
};

}  // namespace

uint32_t OutputGraph::first_alias(uint32_t entity) const {
  auto found = std::ranges::lower_bound(entities, place_of(entities[entity]), {}, place_of);
  return static_cast<uint32_t>(found - entities.begin());
}

OutputGraph::OutputGraph(const ObjectFile& output) {
  for (const InputSymbol& symbol : output.symbols) {
    if (symbol.place != InputSymbol::Place::Section) continue;
    if (symbol.type == STT_FUNC || symbol.type == STT_OBJECT)
      entities.push_back({&symbol, &output.sections[symbol.section]});
  }
  std::ranges::stable_sort(entities, {}, [](const OutputEntity& entity) {
    return std::pair(place_of(entity), !entity.is_function());
  });
  ReferenceFinder finder(output, entities);
  uses =
      Graph::make(static_cast<uint32_t>(entities.size()), [&](auto add) { finder.visit_all(add); });
}

}  // namespace bpflink
