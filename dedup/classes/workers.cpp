// Pass: classify all types.
//
// The work is a list of shares: small inputs as a whole, large ones in ranges of types. Each worker
// takes the shares of its part of the list, and then what is left of the others' parts. Each has
// its own table. The first worker has the common one. The others begin with a copy of its contents:
// the classes of the base, and the strings of the first input, so that equal offsets mean equal
// strings. If a type refers to one outside of the share, the worker classifies that one for itself.
// Afterwards the tables are merged, and the classes renumbered; tables are small, because each
// class is there once. One worker does the same with one table.
//
// Objects have private classes from the start, so all workers know them by the same number. Their
// keys are written at the end, when the types that they refer to have classes.
#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <ranges>

#include "dedup/deduplication.hpp"
#include "dedup/messages.hpp"
#include "dedup/run_threads.hpp"

namespace bpflink {

namespace {

/// A range of the types of an input, and the worker that took it.
struct Share {
  size_t input;
  uint32_t begin;  ///< ids
  uint32_t end;
  bool is_whole;
  unsigned worker = 0;
};

/// Hands out shares to workers that ask for more. Each has a part of the list of its own, where one
/// share follows the other, and helps out when that is done.
class ShareQueue {
 public:
  ShareQueue(size_t shares, unsigned workers) : parts_(workers) {
    for (unsigned i = 0; i < workers; ++i) {
      parts_[i].next = shares * i / workers;
      parts_[i].end = shares * (i + 1) / workers;
    }
  }

  /// The index of a share that nobody has taken, or nothing where all are.
  std::optional<size_t> take(unsigned worker) {
    for (size_t i = 0; i < parts_.size(); ++i) {
      Part& part = parts_[(worker + i) % parts_.size()];
      if (size_t share = part.next++; share < part.end) return share;
    }
    return std::nullopt;
  }

 private:
  struct Part {
    std::atomic<size_t> next = 0;
    size_t end = 0;
  };
  std::vector<Part> parts_;
};

/// How much there is to classify.
struct Amount {
  uint64_t types = 0, words = 0, string_bytes = 0;

  void add(const Btf& btf) {
    types += btf.end_id() - btf.first_id();
    words += BtfView(btf).words().size();
    string_bytes += btf.strings().size();
  }
};

class Worker {
 public:
  /// `inputs` is how many there are, `all` what they have, and the base.
  Worker(ClassTable& table, size_t inputs, const Amount& all)
      : table_(table), classifier_(table), own_classes_(inputs), all_(all) {}

  void take(Deduplication& d, const Share& share, bool is_first) {
    Input& input = d.inputs[share.input];
    std::span<uint32_t> classes = input.class_of_type;
    // Others write the classes of their shares of it at the same time.
    if (!share.is_whole && !is_first) classes = own_classes_of(share.input, input);
    if (current_ == nullptr) make_room();
    if (current_ != &input) classifier_.begin(input.btf, d.base_classes, classes);
    current_ = &input;
    classifier_.classify(share.begin, share.end);
    if (classifier_.found_omission()) found_omission = true;
  }

  /// Brings the classes of a share to the common table, whose classes are `merged`.
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
  /// Makes the room that most tables need: memory that is not written to costs nothing, and growing
  /// copies.
  void make_room() {
    constexpr uint64_t most_words = 1 << 17, most_string_bytes = 1 << 18;
    table_.reserve(std::min(all_.words, most_words),
                   std::min(all_.string_bytes, most_string_bytes));
  }

  std::span<uint32_t> own_classes_of(size_t index, const Input& input) {
    std::vector<uint32_t>& own = own_classes_[index];
    if (!own.empty()) return own;
    own.resize(input.class_of_type.size());
    // The classes of objects are known, and an input with omitted types is one share.
    for (uint32_t id : input.objects())
      own[id - input.types().first_id()] = input.class_of_type[id - input.types().first_id()];
    return own;
  }

  ClassTable& table_;
  Classifier classifier_;
  std::vector<std::vector<uint32_t>> own_classes_;  ///< of large inputs, by input
  Amount all_;
  const Input* current_ = nullptr;
};

/// Whether so much will fit the table's numbers, even if no two types are equal.
std::expected<void, Error> check_room(const Amount& all) {
  constexpr uint64_t max_types = open_bit / 2;
  if (all.types > max_types) return fail("too many types to deduplicate");
  if (all.words > UINT32_MAX) return fail("too large types to deduplicate");
  if (all.string_bytes > UINT32_MAX) return fail("too many strings to deduplicate");
  return {};
}

/// Gives the objects among types private classes.
void add_objects(ClassTable& table, const Btf& btf, std::span<uint32_t> classes) {
  for (uint32_t id : objects_of(btf))
    if (uint32_t& type_class = classes[id - btf.first_id()]; type_class != omitted_class)
      type_class = table.add_private();
}

/// Writes the keys of the objects of the input at hand.
void define_objects(ClassTable& table, Classifier& classifier, const Btf& btf,
                    std::span<const uint32_t> classes) {
  for (uint32_t id : objects_of(btf))
    if (uint32_t type_class = classes[id - btf.first_id()]; type_class != omitted_class)
      table.define(type_class, classifier.key_of(id));
}

/// Gives the types of the base their classes, link after link of its chain.
void classify_base(Deduplication& d) {
  std::vector<const Btf*> chain;
  for (const Btf* link = d.options.base; link != nullptr; link = link->base())
    chain.push_back(link);
  Classifier classifier(d.table);
  for (const Btf* link : std::views::reverse(chain)) {
    d.base_classes.resize(link->end_id());
    std::span<uint32_t> classes = std::span(d.base_classes).subspan(link->first_id());
    add_objects(d.table, *link, classes);
    classifier.begin(*link, d.base_classes, classes);
    classifier.classify(link->first_id(), link->end_id());
    define_objects(d.table, classifier, *link, classes);
  }
}

/// Shares the types of all inputs, so many, out for so many workers.
std::vector<Share> make_shares(const Deduplication& d, size_t types, unsigned workers) {
  constexpr size_t shares_of_a_worker = 32;  // for all of them to end at the same time
  size_t size = workers == 1 ? types + 1 : types / (workers * shares_of_a_worker) + 1;
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

/// Why an input cannot stay as it is without its omitted types.
Error omission_error(const Input& input) {
  const BtfView& types = input.types();
  auto type_class = [&](uint32_t id) { return input.class_of_type[id - types.first_id()]; };
  for (uint32_t id = types.first_id(); id < types.end_id(); ++id) {
    if (type_class(id) == omitted_class) continue;
    uint32_t missing = 0;
    for_each_reference(types.words_of(id), [&](uint32_t child) {
      if (child >= types.first_id() && type_class(child) == omitted_class) missing = child;
    });
    if (missing != 0)
      return {input.name + ": " + describe_type(input.btf, id) + ": refers to " +
              describe_type(input.btf, missing) + ", which is left out"};
  }
  return {};
}

}  // namespace

std::expected<void, Error> classify_types(Deduplication& d) {
  Amount inputs;
  for (const Input& input : d.inputs) inputs.add(input.btf);
  Amount all = inputs;
  for (const Btf* link = d.options.base; link != nullptr; link = link->base()) all.add(*link);
  if (auto ok = check_room(all); !ok) return ok;
  unsigned count = choose_workers(inputs.words * sizeof(uint32_t), d.options.threads);
  for (Input& input : d.inputs) input.class_of_type.resize(input.btf.end_id() - input.btf.first_id());
  // Only strings that begin within others can make more than there are. All will be in the output.
  d.table.strings().limit(all.string_bytes + max_string_offset + 1);
  classify_base(d);
  for (Input& input : d.inputs) add_objects(d.table, input.btf, input.class_of_type);
  std::vector<Share> shares = make_shares(d, inputs.types, count);
  // What all tables have from the start need not be brought together in the end: 9 per cent of a
  // kernel's time with two workers.
  if (count > 1 && d.options.base == nullptr) {
    d.table.strings().begin_with(d.inputs.front().btf.strings());
    d.table.strings().index();
  }
  const ClassTable::Shared shared = d.table.size();
  std::vector<ClassTable> tables(count - 1, d.table);
  std::vector<std::unique_ptr<Worker>> workers;
  workers.reserve(count);
  for (unsigned i = 0; i < count; ++i)
    workers.push_back(
        std::make_unique<Worker>(i == 0 ? d.table : tables[i - 1], d.inputs.size(), all));
  ShareQueue queue(shares.size(), count);
  run_threads(count, [&](unsigned worker) {
    while (!workers[worker]->found_omission) {
      auto i = queue.take(worker);
      if (!i) break;
      shares[*i].worker = worker;
      workers[worker]->take(d, shares[*i], worker == 0);
    }
  });
  for (const auto& worker : workers)
    if (worker->found_omission)
      for (const Input& input : d.inputs)
        if (Error error = omission_error(input); !error.message.empty())
          return std::unexpected(std::move(error));

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
    classifier.begin(input.btf, d.base_classes, input.class_of_type);
    define_objects(d.table, classifier, input.btf, input.class_of_type);
  }
  return {};
}

}  // namespace bpflink
