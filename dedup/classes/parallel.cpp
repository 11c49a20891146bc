// The first thread takes the types from the first on and the common table; each
// other one blocks of types from the last back, and a table of its own, until
// they meet. Where a type refers out of its block, the search follows and gives
// classes there, too, which only this thread sees. Afterwards the tables, which
// hold each type once and are small, are merged, and the classes renumbered.
//
// Many inputs are shared out in the same way, each as a whole.
#include "dedup/classes/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <boost/container/flat_map.hpp>
#include <memory>
#include <mutex>
#include <vector>

#include "dedup/classes/run_threads.hpp"
#include "dedup/classes/zeroed_array.hpp"

namespace bpflink {

namespace {

/// Some types one after another, and where what was seen of them begins and ends.
struct Block {
  uint32_t begin = 0;
  uint32_t end = 0;
  size_t seen_begin = 0;
  size_t seen_end = 0;
};

/// Gives out blocks from both ends of a range of numbers: large ones at first, and
/// small ones in the end, of at least so many, for threads to end at the same time.
class Blocks {
 public:
  Blocks(uint32_t begin, uint32_t end, uint32_t least, unsigned threads)
      : begin_(begin), end_(end), least_(least), share_(4 * threads) {}

  /// The next block, which is empty if none is left.
  Block take_first() {
    std::lock_guard lock(mutex_);
    uint32_t begin = begin_;
    return {begin, begin_ += size()};
  }
  Block take_last() {
    std::lock_guard lock(mutex_);
    uint32_t end = end_;
    return {end_ -= size(), end};
  }

 private:
  uint32_t size() const {
    return std::min(end_ - begin_, std::max(least_, (end_ - begin_) / share_));
  }

  std::mutex mutex_;
  uint32_t begin_;
  uint32_t end_;
  uint32_t least_;
  uint32_t share_;
};

/// What a thread but the first works with.
struct Part {
  TypeTable table;
  Canonicalizer canonicalizer{table};
  /// By index; of pages that are not written to, and most are not, none is made.
  ZeroedWords classes;
  std::vector<Block> blocks;
  std::vector<uint32_t> merged;  ///< the common table's classes by this one's
};

/// A block, and who has taken it.
struct Taken {
  Block block;
  const Part* part;
};

/// The blocks of all parts in order.
std::vector<Taken> sort_blocks(const std::vector<std::unique_ptr<Part>>& parts) {
  std::vector<Taken> all;
  for (const auto& part : parts)
    for (const Block& block : part->blocks) all.push_back({block, part.get()});
  std::ranges::sort(all, {}, [](const Taken& taken) { return taken.block.begin; });
  return all;
}

}  // namespace

void canonicalize_in_parallel(const Btf& btf, std::vector<uint32_t>& classes, TypeTable& table,
                              Canonicalizer& canonicalizer, unsigned threads,
                              const Canonicalizer::Consumed& consumed, Checks checks) {
  const TypeSection& types = type_section(btf);
  size_t count = types.end_id() - types.first_id;
  std::vector<std::unique_ptr<Part>> parts;
  for (unsigned i = 1; i < threads; ++i) parts.push_back(std::make_unique<Part>());
  size_t reserved_before = table.reserved().size();

  std::shared_ptr<const AdoptedStrings> strings;
  run_threads(2, [&](unsigned i) {
    if (i == 0)
      classes.resize(count);  // to fill so many takes a while
    else
      strings = adopt_strings(btf);
  });
  constexpr uint32_t least_types = 1 << 13;
  Blocks blocks(types.first_id, types.end_id(), least_types, threads);
  run_threads(threads, [&](unsigned i) {
    if (i == 0) {
      canonicalizer.start(btf, {}, classes, checks, strings);
      for (Block b = blocks.take_first(); b.begin < b.end; b = blocks.take_first())
        canonicalizer.assign_range(b.begin, b.end);
      return;
    }
    Part& part = *parts[i - 1];
    Canonicalizer& own = part.canonicalizer;
    part.classes = ZeroedWords(count);
    own.set_consumed(consumed);
    own.start(btf, {}, part.classes.span(), checks, strings);
    for (Block b = blocks.take_last(); b.begin < b.end; b = blocks.take_last()) {
      b.seen_begin = own.forget_seen();
      // Types refer to others of their unit, which may be in the next block.
      uint32_t first = b.begin - types.first_id;
      part.classes.prepare(first - std::min(first, least_types), b.end - types.first_id);
      own.assign_range(b.begin, b.end);
      b.seen_end = own.classes_seen().size();
      part.blocks.push_back(b);
    }
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
    canonicalizer.start(btf, {}, classes, checks, nullptr);
    canonicalizer.assign_range(types.first_id, types.end_id());
    return;
  }

  // The search of more than one part may have met an object, which is one still.
  boost::container::flat_map<uint32_t, uint32_t> objects;
  for (auto [id, type_class] : canonicalizer.objects()) objects.emplace(id, type_class);
  for (const auto& part : parts) {
    std::vector<uint32_t> known(part->table.class_count());
    for (auto [id, type_class] : part->canonicalizer.objects())
      if (auto it = objects.find(id); it != objects.end()) known[type_class] = it->second;
    part->merged = table.absorb(part->table, std::move(known));
    for (auto [id, type_class] : part->canonicalizer.objects())
      objects.emplace(id, part->merged[type_class]);
  }
  std::vector<Taken> taken = sort_blocks(parts);
  for (const auto& [block, part] : taken)
    canonicalizer.see(part->canonicalizer, block.seen_begin, block.seen_end, part->merged);
  std::atomic<size_t> next = 0;
  run_threads(threads, [&](unsigned) {
    for (size_t i = next++; i < taken.size(); i = next++) {
      const auto& [block, part] = taken[i];
      for (uint32_t id = block.begin; id < block.end; ++id)
        classes[id - types.first_id] = part->merged[part->classes[id - types.first_id]];
    }
  });
}

namespace {

/// A thread's tables, and which inputs it took, where that is not the first.
struct Share {
  TypeTable table;
  Canonicalizer canonicalizer{table};
  std::vector<uint32_t> inputs;
};

void run(InputOfMany& input, Canonicalizer& canonicalizer) {
  if (auto ok = canonicalizer.run(*input.btf, {}, input.classes); !ok) input.failure = ok.error();
}

/// Gives an input classes that can be found again in the common table.
void move_to_common(InputOfMany& input, std::span<const uint32_t> merged) {
  for (uint32_t& type_class : input.classes)
    if (type_class != omitted_class) type_class = merged[type_class];
}

/// Takes the classes of an input back.
void forget(InputOfMany& input) {
  for (uint32_t& type_class : input.classes)
    if (type_class != omitted_class) type_class = 0;
}

}  // namespace

void canonicalize_in_parallel(std::span<InputOfMany> inputs, TypeTable& table,
                              Canonicalizer& canonicalizer, unsigned threads,
                              const Canonicalizer::Consumed& consumed) {
  std::vector<std::unique_ptr<Share>> shares;
  for (unsigned i = 1; i < threads; ++i) shares.push_back(std::make_unique<Share>());
  Blocks blocks(0, static_cast<uint32_t>(inputs.size()), 1, threads);
  canonicalizer.set_consumed(consumed);
  run_threads(threads, [&](unsigned i) {
    if (i == 0) {
      for (Block b = blocks.take_first(); b.begin < b.end; b = blocks.take_first())
        for (uint32_t n = b.begin; n < b.end; ++n) run(inputs[n], canonicalizer);
      return;
    }
    Share& share = *shares[i - 1];
    share.canonicalizer.set_consumed(consumed);
    for (Block b = blocks.take_last(); b.begin < b.end; b = blocks.take_last()) {
      for (uint32_t n = b.begin; n < b.end; ++n) {
        run(inputs[n], share.canonicalizer);
        share.inputs.push_back(n);
      }
    }
  });
  if (std::ranges::any_of(inputs,
                          [](const InputOfMany& input) { return input.failure.has_value(); }))
    return;

  for (const auto& share : shares) {
    if (share->table.reserved().empty()) {
      std::vector<uint32_t> merged = table.absorb(share->table, {});
      for (uint32_t n : share->inputs) move_to_common(inputs[n], merged);
      continue;
    }
    // Circles without an anchor, as above.
    for (uint32_t n : share->inputs) {
      forget(inputs[n]);
      run(inputs[n], canonicalizer);
    }
  }
}

}  // namespace bpflink
