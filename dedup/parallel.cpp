// Each thread takes a part of the input's types and a table of its own; the
// first takes the common table. Where a type refers out of its part, the search
// follows and gives classes there, too, which only this thread sees. Afterwards
// the tables, which hold each type once and are small, are merged, and the
// classes renumbered.
#include "dedup/parallel.hpp"

#include <algorithm>
#include <boost/container/flat_map.hpp>
#include <memory>
#include <thread>
#include <vector>

#include "dedup/run_threads.hpp"
#include "dedup/zeroed_array.hpp"

namespace bpflink {

namespace {

/// Ids from `begin` to before `end`, and the classes that a thread gives.
struct Part {
  uint32_t begin = 0;
  uint32_t end = 0;
  TypeTable table;
  Canonicalizer canonicalizer{table};
  /// By index; of pages that are not written to, and most are not, none is made.
  ZeroedWords classes;
};

/// The id of the type at about a fraction of the type section.
uint32_t id_at(const TypeSection& types, size_t numerator, size_t denominator) {
  size_t word = types.words.size() / denominator * numerator;
  auto it = std::ranges::lower_bound(types.starts, word);
  return types.first_id + static_cast<uint32_t>(it - types.starts.begin());
}

}  // namespace

void canonicalize_in_parallel(const Btf& btf, std::span<uint32_t> classes, TypeTable& table,
                              Canonicalizer& canonicalizer, unsigned threads,
                              const Canonicalizer::Consumed& consumed, Checks checks) {
  const TypeSection& types = type_section(btf);
  std::vector<std::unique_ptr<Part>> parts;
  for (unsigned i = 1; i < threads; ++i) {
    auto part = std::make_unique<Part>();
    part->begin = id_at(types, i, threads);
    part->end = i + 1 < threads ? id_at(types, i + 1, threads) : types.end_id();
    parts.push_back(std::move(part));
  }
  canonicalizer.start(btf, {}, classes, checks);
  size_t reserved_before = table.reserved().size();

  run_threads(threads, [&](unsigned i) {
    if (i == 0) {
      canonicalizer.assign_range(types.first_id, parts.front()->begin);
      return;
    }
    Part& part = *parts[i - 1];
    part.classes = ZeroedWords(classes.size());
    part.canonicalizer.set_consumed(consumed);
    part.canonicalizer.start(btf, {}, part.classes.span(), checks);
    part.canonicalizer.assign_range(part.begin, part.end);
  });

  for (const auto& part : parts) canonicalizer.take_checks(part->canonicalizer);
  if (canonicalizer.is_invalid()) return;

  // Circles without an anchor have classes that cannot be found again in another
  // table. No compiler makes them, so nothing is lost by starting over.
  bool has_circles = table.reserved().size() != reserved_before ||
                     std::ranges::any_of(parts, [](const std::unique_ptr<Part>& part) {
                       return !part->table.reserved().empty();
                     });
  if (has_circles) {
    std::ranges::fill(classes, 0);
    canonicalizer.start(btf, {}, classes, checks);
    canonicalizer.assign_range(types.first_id, types.end_id());
    return;
  }

  // The search of more than one part may have met an object, which is one still.
  std::vector<std::vector<uint32_t>> merged(threads);
  boost::container::flat_map<uint32_t, uint32_t> objects;
  for (auto [id, type_class] : canonicalizer.objects()) objects.emplace(id, type_class);
  for (unsigned i = 1; i < threads; ++i) {
    Part& part = *parts[i - 1];
    std::vector<uint32_t> known(part.table.class_count());
    for (auto [id, type_class] : part.canonicalizer.objects())
      if (auto it = objects.find(id); it != objects.end()) known[type_class] = it->second;
    merged[i] = table.absorb(part.table, std::move(known));
    canonicalizer.see(part.canonicalizer, merged[i]);
    for (auto [id, type_class] : part.canonicalizer.objects())
      objects.emplace(id, merged[i][type_class]);
  }
  run_threads(threads, [&](unsigned i) {
    if (i == 0) return;
    Part& part = *parts[i - 1];
    for (uint32_t id = part.begin; id < part.end; ++id)
      classes[id - types.first_id] = merged[i][part.classes.span()[id - types.first_id]];
  });
}

}  // namespace bpflink
