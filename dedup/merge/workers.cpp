// Pass: classify all types.
//
// Workers must not wait for each other, so each has a class table of its own, and the tables are
// merged in the end. That is cheap: a table has each class once, and the tables together are far
// smaller than the inputs.
//
// The work is a list of shares: small inputs as a whole, large ones in ranges of types. Each worker
// begins with its own range of the list, and then helps with the ranges of others. If a type refers
// to one outside of the share, the worker classifies that one for itself.
//
// The first worker has the common table. The others begin with a copy of it, which has the classes
// of the base and the strings of the first input: what all tables begin with is not merged. When
// the others are merged into the common table, their classes are renumbered. A single worker runs
// the same code with one table.
//
// Objects have private classes from the start, so all workers know them by the same number. Their
// keys are written at the end, when the types that they refer to have classes.
#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>

#include "dedup/format/check_types.hpp"
#include "dedup/merge/deduplication.hpp"
#include "dedup/merge/huge_pages.hpp"
#include "dedup/merge/run_threads.hpp"
#include "dedup/messages.hpp"
#include "dedup/try.hpp"

namespace bpflink {

namespace {

/// A range of the types of an input, and the worker that classified it.
struct Share {
  size_t input;
  uint32_t begin;  ///< ids
  uint32_t end;
  bool is_whole;
  unsigned worker = 0;
};

/// Hands out shares. Each worker has a range of the list, whose shares follow each other, and takes
/// from the ranges of others when that is done.
class ShareQueue {
 public:
  ShareQueue(size_t shares, unsigned workers) : ranges_(workers) {
    for (unsigned i = 0; i < workers; ++i) {
      ranges_[i].next = shares * i / workers;
      ranges_[i].end = shares * (i + 1) / workers;
    }
  }

  /// The index of a share that is not handed out yet, or nothing.
  std::optional<size_t> next_share(unsigned worker) {
    for (size_t i = 0; i < ranges_.size(); ++i) {
      Range& range = ranges_[(worker + i) % ranges_.size()];
      if (size_t share = range.next++; share < range.end) return share;
    }
    return std::nullopt;
  }

 private:
  struct Range {
    std::atomic<size_t> next = 0;
    size_t end = 0;
  };
  std::vector<Range> ranges_;
};

/// The size of inputs.
struct InputSize {
  uint64_t types = 0, words = 0, string_bytes = 0;

  void add(const Btf& btf) {
    types += btf.end_id() - btf.first_id();
    words += btf.words().size();
    // Units of one file's DWARF share their strings.
    if (btf.strings().data() != last_strings) string_bytes += btf.strings().size();
    last_strings = btf.strings().data();
  }

 private:
  const char* last_strings = nullptr;
};

class Worker {
 public:
  /// `inputs` is the number of inputs, `all` the size of these and of the base.
  Worker(ClassTable& table, size_t inputs, const InputSize& all)
      : table_(table), classifier_(table), own_classes_(inputs), all_(all) {}

  void classify(Deduplication& d, const Share& share, bool is_first) {
    Input& input = d.inputs[share.input];
    std::span<uint32_t> classes = input.class_of_type;
    // Other workers write the classes of their shares of this input at the same time.
    if (!share.is_whole && !is_first) classes = own_classes_of(share.input, input);
    if (current_ == nullptr) make_room();
    if (current_ != &input) classifier_.begin(input.btf, d.base_classes, classes, classes.size());
    current_ = &input;
    classifier_.classify(share.begin, share.end);
    if (classifier_.found_omission()) found_omission = true;
  }

  /// Translates the classes of a share to the common table's. `merged` is from absorb().
  void merge(Deduplication& d, const Share& share, std::span<const uint32_t> merged) {
    Input& input = d.inputs[share.input];
    uint32_t first = input.types().first_id();
    std::span<uint32_t> classes = input.class_of_type;
    std::span<const uint32_t> own =
        share.is_whole ? classes : std::span<uint32_t>(own_classes_[share.input]);
    for (uint32_t i = share.begin - first; i < share.end - first; ++i)
      if (classes[i] != omitted_class) classes[i] = merged[own[i]];
  }

  const ClassTable& table() const { return table_; }
  Classifier& classifier() { return classifier_; }
  bool found_omission = false;

 private:
  /// Reserves what most tables need. Memory that is not written to costs nothing, and growing
  /// copies.
  void make_room() {
    constexpr uint64_t max_words = 1 << 17, max_string_bytes = 1 << 18;
    table_.reserve(std::min(all_.words, max_words), std::min(all_.string_bytes, max_string_bytes));
  }

  std::span<uint32_t> own_classes_of(size_t index, const Input& input) {
    std::vector<uint32_t>& own = own_classes_[index];
    if (!own.empty()) return own;
    own.resize(input.class_of_type.size());
    // Objects have their classes. Omitted types need not be copied: an input with some is one
    // share.
    for (uint32_t id : input.objects())
      own[id - input.types().first_id()] = input.class_of_type[id - input.types().first_id()];
    return own;
  }

  ClassTable& table_;
  Classifier classifier_;
  std::vector<std::vector<uint32_t>> own_classes_;  ///< by input, of inputs in several shares
  InputSize all_;
  const Input* current_ = nullptr;
};

/// Checks that the table's numbers suffice even if no two types are equal.
std::expected<void, Error> check_room(const InputSize& all) {
  constexpr uint64_t max_types = in_progress_bit / 2;
  if (all.types > max_types) return fail("too many types to deduplicate");
  if (all.words > UINT32_MAX) return fail("too many bytes of types to deduplicate");
  if (all.string_bytes > UINT32_MAX) return fail("too many bytes of strings to deduplicate");
  return {};
}

/// Gives private classes to objects of a blob.
void add_objects(ClassTable& table, const Btf& btf, std::span<const uint32_t> objects,
                 std::span<uint32_t> classes) {
  for (uint32_t id : objects)
    if (uint32_t& type_class = classes[id - btf.first_id()]; type_class != omitted_class)
      type_class = table.add_private();
}

/// Writes the keys of objects of the classifier's current input.
void define_objects(ClassTable& table, Classifier& classifier, const Btf& btf,
                    std::span<const uint32_t> objects, std::span<const uint32_t> classes) {
  for (uint32_t id : objects)
    if (uint32_t type_class = classes[id - btf.first_id()]; type_class != omitted_class)
      table.define(type_class, classifier.key_of(id));
}

/// Classifies the types of the base that count and have no class yet, and those of all that it is
/// split from, in order of ids.
void classify_base(Deduplication& d) {
  std::vector<const Btf*> chain;
  for (const Btf* link = d.options.base; link != nullptr; link = link->base())
    chain.push_back(link);
  Classifier classifier(d.table);
  auto next = d.base_types.begin();
  for (const Btf* link : std::views::reverse(chain)) {
    auto end = std::lower_bound(next, d.base_types.end(), link->end_id());
    std::vector<uint32_t> types(next, end), objects;
    next = end;
    std::erase_if(types, [&](uint32_t id) { return is_class(d.base_classes[id]); });
    std::ranges::set_intersection(types, objects_of(*link), std::back_inserter(objects));
    std::span<uint32_t> classes =
        std::span(d.base_classes).first(link->end_id()).subspan(link->first_id());
    add_objects(d.table, *link, objects, classes);
    classifier.begin(*link, d.base_classes, classes, types.size());
    for (uint32_t id : types) classifier.classify(id, id + 1);
    define_objects(d.table, classifier, *link, objects, classes);
  }
}

/// Divides the types of all inputs into shares. `types` is their number.
std::vector<Share> make_shares(const Deduplication& d, size_t types, unsigned workers) {
  constexpr size_t shares_per_worker = 32;  // many, so that all workers end at the same time
  size_t size = workers == 1 ? types + 1 : types / (workers * shares_per_worker) + 1;
  std::vector<Share> shares;
  for (size_t i = 0; i < d.inputs.size(); ++i) {
    const BtfView& section = d.inputs[i].types();
    size_t count = section.end_id() - section.first_id();
    size_t step = d.inputs[i].has_omissions ? count + 1 : size;
    for (size_t begin = 0; begin < count; begin += step)
      shares.push_back({i, section.first_id() + static_cast<uint32_t>(begin),
                        section.first_id() + static_cast<uint32_t>(std::min(begin + step, count)),
                        count <= step});
  }
  return shares;
}

/// The error if one of these types of an input stays and refers to an omitted one.
std::expected<void, Error> check_omissions(const Input& input, auto&& ids) {
  const BtfView& types = input.types();
  auto type_class = [&](uint32_t id) { return input.class_of_type[id - types.first_id()]; };
  for (uint32_t id : ids) {
    if (type_class(id) == omitted_class) continue;
    uint32_t missing = 0;
    for_each_reference(types.words_of(id), [&](uint32_t child) {
      if (child >= types.first_id() && type_class(child) == omitted_class) missing = child;
    });
    if (missing != 0)
      return fail("{}: {}: refers to {}, which is omitted", input.name,
                  describe_type(input.btf, id), describe_type(input.btf, missing));
  }
  return {};
}

}  // namespace

void complete_base(Deduplication& d) {
  d.base_types.resize(d.base_classes.size() - 1);
  std::iota(d.base_types.begin(), d.base_types.end(), 1);
  classify_base(d);
}

std::expected<void, Error> classify_types(Deduplication& d) {
  InputSize inputs;
  for (const Input& input : d.inputs) inputs.add(input.btf);
  InputSize all = inputs;
  for (const Btf* link = d.options.base; link != nullptr; link = link->base()) all.add(*link);
  TRY(check_room(all));
  // Each worker's table gets most classes of a kernel. Filling and merging more tables would take
  // more time than sharing the rest saves.
  constexpr unsigned max_workers = 4;
  unsigned count =
      std::min(choose_workers(inputs.words * sizeof(uint32_t), d.options.threads), max_workers);
  for (Input& input : d.inputs) {
    size_t types = input.btf.end_id() - input.btf.first_id();
    input.class_of_type.reserve(types);  // no LargeVector: it becomes a TypeMap
    use_huge_pages(input.class_of_type.data(), types * sizeof(uint32_t));
    input.class_of_type.resize(types);
  }
  if (d.options.base != nullptr) d.table.strings() = StringTable(d.options.base);
  // Only names that begin within other strings can make the table larger than the inputs' strings.
  d.table.strings().limit(all.string_bytes + max_string_offset + 1);
  reach_base(d);
  classify_base(d);
  // Workers do not look into objects.
  for (const Input& input : d.inputs)
    if (input.has_omissions) TRY(check_omissions(input, input.objects()));
  for (Input& input : d.inputs)
    add_objects(d.table, input.btf, input.objects(), input.class_of_type);
  std::vector<Share> shares = make_shares(d, inputs.types, count);
  // What all tables begin with is not merged in the end: 9 per cent of a kernel's time with two
  // workers.
  if (count > 1 && d.options.base == nullptr && !d.inputs.empty()) {
    d.table.strings().begin_with(d.inputs.front().btf.strings());
    d.table.strings().index();
  }
  const ClassTable::Snapshot shared = d.table.size();
  std::vector<ClassTable> tables(count - 1, d.table);
  std::vector<std::unique_ptr<Worker>> workers;
  workers.reserve(count);
  for (unsigned i = 0; i < count; ++i)
    workers.push_back(
        std::make_unique<Worker>(i == 0 ? d.table : tables[i - 1], d.inputs.size(), all));
  ShareQueue queue(shares.size(), count);
  run_threads(count, [&](unsigned worker) {
    while (!workers[worker]->found_omission) {
      auto i = queue.next_share(worker);
      if (!i) break;
      shares[*i].worker = worker;
      workers[worker]->classify(d, shares[*i], worker == 0);
    }
  });
  for (const auto& worker : workers)
    if (worker->found_omission)
      for (const Input& input : d.inputs) {
        auto ids = std::views::iota(input.types().first_id(), input.types().end_id());
        TRY(check_omissions(input, ids));
      }

  std::vector<std::vector<uint32_t>> merged(count);
  for (unsigned i = 1; i < count; ++i) merged[i] = d.table.absorb(workers[i]->table(), shared);
  std::atomic<size_t> next = 0;
  run_threads(count, [&](unsigned) {
    for (size_t i = next++; i < shares.size(); i = next++)
      if (unsigned worker = shares[i].worker; worker != 0)
        workers[worker]->merge(d, shares[i], merged[worker]);
  });

  Classifier& classifier = workers.front()->classifier();
  for (Input& input : d.inputs) {
    if (input.objects().empty()) continue;
    classifier.begin(input.btf, d.base_classes, input.class_of_type, 0);
    define_objects(d.table, classifier, input.btf, input.objects(), input.class_of_type);
  }
  return {};
}

}  // namespace bpflink
