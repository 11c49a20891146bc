// Each thread takes a part of the input's types and a table of its own; the
// first takes the common table. Where a type refers out of its part, the search
// follows and gives classes there, too, which only this thread sees. Afterwards
// the tables, which hold each type once and are small, are merged, and the
// classes renumbered.
#include "dedup/parallel.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <boost/container/flat_map.hpp>
#include <memory>
#include <thread>
#include <vector>

#include "dedup/zeroed_words.hpp"

namespace bpflink {

namespace {

// Below some 10 MB of types, starting threads and merging tables costs more than
// it saves.
constexpr size_t least_words = 2'500'000;
constexpr unsigned most_threads = 16;

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

unsigned choose_threads(const Btf& btf, unsigned wanted) {
  if (type_section(btf).words.size() < least_words) return 1;
  unsigned available = std::clamp(std::thread::hardware_concurrency(), 1u, most_threads);
  return wanted == 0 ? available : std::min(wanted, available);
}

void canonicalize_in_parallel(const Btf& btf, std::span<uint32_t> classes, TypeTable& table,
                              Canonicalizer& canonicalizer, const DedupOptions& options) {
  unsigned threads = choose_threads(btf, options.threads);
  const TypeSection& types = type_section(btf);
  std::vector<std::unique_ptr<Part>> parts;
  for (unsigned i = 1; i < threads; ++i) {
    auto part = std::make_unique<Part>();
    part->begin = id_at(types, i, threads);
    part->end = i + 1 < threads ? id_at(types, i + 1, threads) : types.end_id();
    parts.push_back(std::move(part));
  }
  canonicalizer.start(btf, {}, classes);

  tbb::task_arena arena(static_cast<int>(threads));
  auto each_part = [&](auto&& work) {
    arena.execute([&] { tbb::parallel_for(0u, threads, work, tbb::simple_partitioner()); });
  };
  each_part([&](unsigned i) {
    if (i == 0) {
      canonicalizer.assign_range(types.first_id, parts.front()->begin);
      return;
    }
    Part& part = *parts[i - 1];
    part.classes = ZeroedWords(classes.size());
    part.canonicalizer.set_consumed(options.consumed);
    part.canonicalizer.start(btf, {}, part.classes.span());
    part.canonicalizer.assign_range(part.begin, part.end);
  });

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
    canonicalizer.see(merged[i]);
    for (auto [id, type_class] : part.canonicalizer.objects())
      objects.emplace(id, merged[i][type_class]);
  }
  each_part([&](unsigned i) {
    if (i == 0) return;
    Part& part = *parts[i - 1];
    for (uint32_t id = part.begin; id < part.end; ++id)
      classes[id - types.first_id] = merged[i][part.classes.span()[id - types.first_id]];
  });
}

}  // namespace bpflink
