// Where the types of a section begin, and whether what they refer to is there.
//
// Where a type begins is known when the one before it has been looked at, so one worker walks
// over the section. If it is alone it checks each type that it passes; else it looks at no more of
// it than its size takes, and the others check behind it in chunks.
#include "dedup/format/type_section.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <utility>
#include <vector>

#include "dedup/format/access.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/messages.hpp"
#include "dedup/run_threads.hpp"

namespace bpflink {

namespace {

/// Types in a chunk.
constexpr size_t chunk_size = 1 << 12;

/// How many words ahead of the walk to ask the memory for.
constexpr size_t prefetch_distance = 1024;

/// The number of words of the type at words[at], which is of a kind that the
/// library does not know, or why that cannot be told.
///
/// vlen and kind are read in their wide form whatever the header's length.
/// Producers of the classic form leave the additional bits zero, as the
/// specification has always called them unused, so nothing is lost; and a bit
/// set there by mistake gives a kind or a size that the checks refuse.
std::expected<size_t, Error> unknown_size(const Btf& btf, const uint32_t* words, uint32_t id,
                                          size_t at) {
  uint8_t kind = std::to_underlying(kind_of(words));
  if (kind == 0)
    return fail(fmt::format("type [{}] at offset {} of the type section has kind 0", id, 4 * at));
  // A blob without a layout section of its own shares that of its base.
  const Btf* described = &btf;
  while (described->layout().empty() && described->base() != nullptr) described = described->base();
  std::span<const BtfKindLayout> layouts = described->layout();
  if (kind >= layouts.size())
    return fail(fmt::format("type [{}] '{}' at offset {} of the type section has unknown kind {}{}",
                            id, btf.string(words[0]), 4 * at, kind,
                            layouts.empty() ? ", and there is no layout section to tell its size"
                                            : ", which the layout section does not describe"));
  BtfKindLayout layout = layouts[kind];
  if (layout.info_size % 4 != 0 || layout.element_size % 4 != 0)
    return fail(
        fmt::format("layout section gives kind {} sizes of {} and {} bytes, which are not "
                    "multiples of 4",
                    kind, layout.info_size, layout.element_size));
  return common_words + layout.info_size / 4 + size_t{vlen_of(words)} * (layout.element_size / 4);
}

/// The largest id and string offset in types, one looked at after the other. Small, for the
/// compiler to keep it in registers.
struct Largest {
  uint32_t id = 0;
  uint32_t string = 0;

  void name(uint32_t offset) { string = std::max(string, offset); }
  void refer(uint32_t to) { id = std::max(id, to); }

  template <int Words, int Name, int Type>
  void elements(const uint32_t* words) {
    const uint32_t* end = words + common_words + size_t{vlen_of(words)} * Words;
    for (words += common_words; words < end; words += Words) {
      if constexpr (Name >= 0) name(words[Name]);
      if constexpr (Type >= 0) refer(words[Type]);
    }
  }

  void type(const uint32_t* words) {
    name(words[0]);
    switch (kind_of(words)) {
      case BtfKind::FuncProto:
        refer(words[2]);
        return elements<2, 0, 1>(words);
      case BtfKind::Struct:
      case BtfKind::Union:
        return elements<3, 0, 1>(words);
      case BtfKind::Enum:
        return elements<2, 0, -1>(words);
      case BtfKind::Enum64:
        return elements<3, 0, -1>(words);
      case BtfKind::Datasec:
        return elements<3, -1, 0>(words);
      case BtfKind::Array:
        refer(words[3]);
        return refer(words[4]);
      default:
        if (kind_layout(kind_of(words)).refers) refer(words[2]);
    }
  }
};

/// Adds one type after the other to a summary, which is complete when this is gone.
class Summarizer {
 public:
  explicit Summarizer(TypeSummary& summary)
      : summary_(summary), largest_{summary.largest_id, summary.largest_string} {}
  Summarizer(const Summarizer&) = delete;
  Summarizer& operator=(const Summarizer&) = delete;
  ~Summarizer() {
    summary_.largest_id = largest_.id;
    summary_.largest_string = largest_.string;
  }

  void add(const uint32_t* words, uint32_t id) {
    constexpr KindSet of_note{BtfKind::Func, BtfKind::Var, BtfKind::Datasec, BtfKind::DeclTag};
    largest_.type(words);
    BtfKind kind = kind_of(words);
    if (is_known(kind) && !of_note.contains(kind)) return;
    if (is_known(kind) && kind != BtfKind::Var) summary_.demanding.push_back(id);
    if (is_object(kind)) summary_.objects.push_back(id);
  }

 private:
  TypeSummary& summary_;
  Largest largest_;
};

/// Has the system map all pages of a large mapped file at once, where it can. One fault for each
/// few of them takes several times as long: a tenth of a kernel's deduplication.
void read_ahead(std::span<const uint32_t> words) {
#ifdef MADV_POPULATE_READ
  constexpr size_t large = 1 << 20;
  if (words.size_bytes() < large) return;
  auto* begin = const_cast<uint32_t*>(words.data());
  size_t before = reinterpret_cast<uintptr_t>(begin) % static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  ::madvise(reinterpret_cast<char*>(begin) - before, before + words.size_bytes(),
            MADV_POPULATE_READ);
#endif
}

/// The walk over a section, with checks on the way or behind it.
class Walk {
 public:
  Walk(const Btf& btf, unsigned workers)
      : btf_(btf),
        found_(*BtfAccess::impl(btf)),
        words_(found_.view.words()),
        starts_(found_.starts),
        first_id_(found_.view.first_id()),
        workers_(workers),
        summaries_(workers) {}

  std::expected<void, Error> run();

 private:
  static constexpr size_t all = SIZE_MAX;

  std::expected<void, Error> walk();
  template <bool Checks>
  std::expected<void, Error> walk_chunk();
  std::expected<size_t, Error> unusual_size(size_t at, uint32_t id) const;
  void check_all(TypeSummary& summary);
  bool check_chunk(TypeSummary& summary, size_t begin);
  std::expected<void, Error> conclude();
  void publish(size_t walked) {
    walked_.store(walked, std::memory_order_release);
    walked_.notify_all();
  }

  const Btf& btf_;
  BtfAccess::Impl& found_;
  std::span<const uint32_t> words_;
  boost::container::vector<uint32_t>& starts_;
  uint32_t first_id_;
  unsigned workers_;
  std::vector<TypeSummary> summaries_;  ///< of each worker
  size_t at_ = 0;                       ///< how many words the walk has passed
  size_t count_ = 0;                    ///< of types, once `walked_` is `all`
  std::atomic<size_t> walked_ = 0;
  std::atomic<size_t> next_chunk_ = 0;
};

/// The number of words of the type at words_[at], which is of an unknown kind or cut off.
std::expected<size_t, Error> Walk::unusual_size(size_t at, uint32_t id) const {
  size_t left = words_.size() - at;
  if (left < common_words)
    return fail(fmt::format("type [{}] at offset {} of the type section is cut off", id, 4 * at));
  const uint32_t* words = &words_[at];
  size_t size = known_size(words);
  if (size == 0) {
    auto unknown = unknown_size(btf_, words, id, at);
    if (!unknown) return unknown;
    size = *unknown;
  }
  if (size <= left) return size;
  return fail(fmt::format(
      "type [{}] {} '{}' at offset {} of the type section has {} bytes, but only {} are left", id,
      btf_kind_name(kind_of(words)), btf_.string(words[0]), 4 * at, 4 * size, 4 * left));
}

template <bool Checks>
std::expected<void, Error> Walk::walk_chunk() {
  Summarizer summarizer(summaries_.front());
  const uint32_t first_id = first_id_ + static_cast<uint32_t>(starts_.size());
  const uint32_t* words = words_.data();
  size_t end = words_.size(), at = at_;
  std::array<uint32_t, chunk_size> starts;
  size_t count = 0;
  for (; count < chunk_size && at < end; ++count) {
    size_t size = end - at < common_words ? 0 : known_size(words + at);
    __builtin_prefetch(words + at + prefetch_distance);
    if (size == 0 || size > end - at) {
      auto unusual = unusual_size(at, first_id + static_cast<uint32_t>(count));
      if (!unusual) return std::unexpected(unusual.error());
      size = *unusual;
    }
    starts[count] = static_cast<uint32_t>(at);
    if constexpr (Checks) summarizer.add(words + at, first_id + static_cast<uint32_t>(count));
    at += size;
  }
  // Of small blobs there may be thousands, and one chunk has all of their types. Of others, memory
  // that is not written to costs nothing, and growing would copy.
  if (starts_.empty()) starts_.reserve(1 + (at == end ? count : end / common_words));
  starts_.insert(starts_.end(), starts.data(), starts.data() + count);
  at_ = at;
  return {};
}

/// Walks to the end.
std::expected<void, Error> Walk::walk() {
  std::expected<void, Error> result;
  while (result && at_ < words_.size()) {
    result = workers_ == 1 ? walk_chunk<true>() : walk_chunk<false>();
    publish(starts_.size());
  }
  count_ = result ? starts_.size() : 0;
  publish(all);
  return result;
}

/// Checks the chunk that begins with the type with that index, when the walk has passed it.
/// Returns false where there is none.
bool Walk::check_chunk(TypeSummary& summary, size_t begin) {
  size_t end = begin + chunk_size;
  size_t walked = walked_.load(std::memory_order_acquire);
  while (walked < end) {
    walked_.wait(walked, std::memory_order_acquire);
    walked = walked_.load(std::memory_order_acquire);
  }
  if (walked == all) end = std::min(end, count_);
  if (begin >= end) return false;
  Summarizer summarizer(summary);
  for (size_t i = begin; i < end; ++i) {
    const uint32_t* words = words_.data() + starts_.data()[i];
    __builtin_prefetch(words + prefetch_distance);
    summarizer.add(words, first_id_ + static_cast<uint32_t>(i));
  }
  return true;
}

/// Checks chunk after chunk to the end.
void Walk::check_all(TypeSummary& summary) {
  while (check_chunk(summary, chunk_size * next_chunk_.fetch_add(1, std::memory_order_relaxed))) {
  }
}

/// Puts together what was found, and checks what takes more than one type.
std::expected<void, Error> Walk::conclude() {
  starts_.push_back(static_cast<uint32_t>(words_.size()));
  TypeSummary all_found = std::move(summaries_.front());
  for (const TypeSummary& summary : std::span(summaries_).subspan(1)) {
    all_found.largest_id = std::max(all_found.largest_id, summary.largest_id);
    all_found.largest_string = std::max(all_found.largest_string, summary.largest_string);
    std::ranges::copy(summary.demanding, std::back_inserter(all_found.demanding));
    std::ranges::copy(summary.objects, std::back_inserter(all_found.objects));
  }
  // In order, so that of several faults the first one is told, whatever the number of workers.
  for (std::vector<uint32_t>* ids : {&all_found.demanding, &all_found.objects})
    if (!std::ranges::is_sorted(*ids)) std::ranges::sort(*ids);
  found_.objects = std::move(all_found.objects);
  found_.show(words_, btf_.strings());
  return check_references(btf_, all_found);
}

std::expected<void, Error> Walk::run() {
  std::expected<void, Error> result;
  read_ahead(words_);
  run_threads(workers_, [&](unsigned worker) {
    if (worker == 0) result = walk();
    if (workers_ > 1) check_all(summaries_[worker]);
  });
  return result ? conclude() : result;
}

}  // namespace

std::expected<void, Error> find_types(const Btf& btf, unsigned threads) {
  const BtfView& types = btf;
  return Walk(btf, choose_workers(types.words().size_bytes(), threads)).run();
}

}  // namespace bpflink
