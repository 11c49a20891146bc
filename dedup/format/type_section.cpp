// Where the types of a section begin, and whether what they refer to is there.
//
// Where a type begins is known when the one before it has been looked at, so one
// thread walks over the section and looks at no more of each type than its size
// takes. What it has passed is checked behind it in chunks, while it is still in
// the cache: by the same thread, or by others.
#include "dedup/format/type_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "dedup/classes/large_inputs.hpp"
#include "dedup/classes/run_threads.hpp"
#include "dedup/format/kinds.hpp"

namespace bpflink {

namespace {

/// Types in a chunk. Two chunks, the one that is walked over and the one that is
/// checked, should fit a core's cache.
constexpr size_t chunk_size = 1 << 12;

/// How often a chunk's doubtful types are looked at again, to and fro; even, so
/// that they are in order then.
constexpr int settle_passes = 4;

/// How many words ahead of the walk to ask the memory for.
constexpr size_t prefetch_distance = 1024;

std::unexpected<Error> fail(std::string message) {
  return std::unexpected(Error{std::move(message)});
}

/// By index: whether a type is known to contain itself nowhere. The walk and
/// checks use it at the same time. What one thread has not seen yet of another's
/// makes more types doubtful, no more.
class Soundness {
 public:
  Soundness(std::span<uint8_t> marks, uint32_t first_id) : marks_(marks), first_id_(first_id) {}

  void set(size_t index) const {
    std::atomic_ref(marks_[index]).store(1, std::memory_order_relaxed);
  }

  /// Types of the base are sound. An id that is not there is not.
  bool of(uint32_t id) const {
    if (id < first_id_) return true;
    size_t index = id - first_id_;
    return index < marks_.size() &&
           std::atomic_ref(marks_[index]).load(std::memory_order_relaxed) != 0;
  }

 private:
  std::span<uint8_t> marks_;
  uint32_t first_id_;
};

/// The number of words of the type at words[at], which is of a kind that the
/// library does not know, or why that cannot be told.
///
/// vlen and kind are read in their wide form whatever the header's length.
/// Producers of the classic form leave the additional bits zero, as the
/// specification has always called them unused, so nothing is lost; and a bit
/// set there by mistake gives a kind or a size that the checks refuse.
std::expected<size_t, Error> unknown_size(const Btf& btf, const TypeSection& types, size_t at) {
  const uint32_t* words = &types.words[at];
  uint8_t kind = kind_of(words);
  uint32_t id = types.first_id + static_cast<uint32_t>(types.starts.size());
  if (kind == BTF_KIND_UNKN)
    return fail(fmt::format("type [{}] at offset {} of the type section has kind 0", id, 4 * at));
  if (kind >= btf.layout().size())
    return fail(fmt::format("type [{}] '{}' at offset {} of the type section has unknown kind {}{}",
                            id, btf.string(words[0]), 4 * at, kind,
                            btf.layout().empty()
                                ? ", and there is no layout section to tell its size"
                                : ", which the layout section does not describe"));
  BtfKindLayout layout = btf.layout()[kind];
  if (layout.info_size % 4 != 0 || layout.element_size % 4 != 0)
    return fail(
        fmt::format("layout section gives kind {} sizes of {} and {} bytes, which are not "
                    "multiples of 4",
                    kind, layout.info_size, layout.element_size));
  return common_words + layout.info_size / 4 + size_t{vlen_of(words)} * (layout.element_size / 4);
}

/// The number of words of a type, or 0 if the library does not know its kind. A
/// table would do, but with branches, which are predicted, the walk need not wait
/// for one type to know where the next one is.
inline size_t known_size(const uint32_t* words) {
  switch (kind_of(words)) {
    case BTF_KIND_PTR:
    case BTF_KIND_TYPEDEF:
    case BTF_KIND_VOLATILE:
    case BTF_KIND_CONST:
    case BTF_KIND_RESTRICT:
    case BTF_KIND_FWD:
    case BTF_KIND_FUNC:
      return common_words;
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
      return common_words + size_t{vlen_of(words)} * 3;
    case BTF_KIND_FUNC_PROTO:
      return common_words + size_t{vlen_of(words)} * 2;
    case BTF_KIND_UNKN:
      return 0;
    default:
      break;
  }
  if (kind_of(words) >= BTF_KIND_END) return 0;
  KindShape shape = kind_shapes[kind_of(words)];
  return common_words + shape.fixed_words + size_t{vlen_of(words)} * shape.element_words;
}

/// Finds where types begin.
class Walker {
 public:
  Walker(const Btf& btf, TypeSection& types) : btf_(btf), types_(types) {}

  /// Goes on over a chunk of types. Calls `pass(index, words)` for each.
  template <class Pass>
  std::expected<void, Error> walk(Pass&& pass);
  bool is_done() const { return at_ == types_.words.size(); }

 private:
  std::expected<size_t, Error> unusual_size() const;

  const Btf& btf_;
  TypeSection& types_;
  size_t at_ = 0;
};

/// The number of words of the type at hand, which is of an unknown kind or cut
/// off.
std::expected<size_t, Error> Walker::unusual_size() const {
  const uint32_t* words = &types_.words[at_];
  size_t size = known_size(words);
  if (size == 0) {
    auto unknown = unknown_size(btf_, types_, at_);
    if (!unknown) return unknown;
    size = *unknown;
  }
  size_t left = types_.words.size() - at_;
  if (size <= left) return size;
  return fail(fmt::format(
      "type [{}] {} '{}' at offset {} of the type section has {} bytes, but only {} are left",
      types_.first_id + types_.starts.size(), btf_kind_name(kind_of(words)), btf_.string(words[0]),
      4 * at_, 4 * size, 4 * left));
}

template <class Pass>
std::expected<void, Error> Walker::walk(Pass&& pass) {
  size_t end = types_.words.size();
  for (size_t count = 0; count < chunk_size && at_ < end; ++count) {
    if (end - at_ < common_words)
      return fail(fmt::format("type [{}] at offset {} of the type section is cut off",
                              types_.first_id + types_.starts.size(), 4 * at_));
    const uint32_t* words = &types_.words[at_];
    if (end - at_ > prefetch_distance) __builtin_prefetch(words + prefetch_distance);
    size_t size = known_size(words);
    if (size == 0 || size > end - at_) {
      auto unusual = unusual_size();
      if (!unusual) return std::unexpected(unusual.error());
      size = *unusual;
    }
    pass(types_.starts.size(), words);
    types_.starts.push_back(static_cast<uint32_t>(at_));
    at_ += size;
  }
  return {};
}

/// Looks at the types that were walked over. Notes what is largest in them, and
/// which must be looked at again.
class Checker {
 public:
  Checker(const TypeSection& types, Soundness sound)
      : words_(types.words.data()),
        starts_(types.starts.data()),
        first_id_(types.first_id),
        sound_(sound) {}

  /// Checks the types with indices from `begin` to before `end`.
  void check(size_t begin, size_t end);
  void add_to(TypeSummary& summary) const;

 private:
  void name(uint32_t offset) { largest_string_ = std::max(largest_string_, offset); }
  void point(uint32_t id) { largest_id_ = std::max(largest_id_, id); }
  bool contain(uint32_t id) {
    point(id);
    return sound_.of(id);
  }

  template <int Words, int Name, int Type>
  bool elements(const uint32_t* words);
  bool is_sound(uint32_t id, const uint32_t* words);
  bool settle(uint32_t id);

  const uint32_t* words_;
  const uint32_t* starts_;
  uint32_t first_id_;
  Soundness sound_;
  uint32_t largest_id_ = 0;
  uint32_t largest_string_ = 0;
  std::vector<uint32_t> demanding_;
  std::vector<uint32_t> recent_;  ///< doubtful types of the chunk at hand
  std::vector<uint32_t> doubtful_;
};

/// Looks at the elements of a type. Returns whether all that they contain is
/// sound.
template <int Words, int Name, int Type>
bool Checker::elements(const uint32_t* words) {
  bool is_sound = true;
  const uint32_t* end = words + common_words + size_t{vlen_of(words)} * Words;
  for (words += common_words; words < end; words += Words) {
    if constexpr (Name >= 0) name(words[Name]);
    if constexpr (Type >= 0) is_sound &= contain(words[Type]);
  }
  return is_sound;
}

/// Looks at a type. Returns whether all that it contains is sound.
bool Checker::is_sound(uint32_t id, const uint32_t* words) {
  name(words[0]);
  switch (kind_of(words)) {
    case BTF_KIND_PTR:
      point(words[2]);
      return true;
    case BTF_KIND_FUNC_PROTO:
      point(words[2]);
      for (size_t i = 0; i < vlen_of(words); ++i) {
        name(words[common_words + 2 * i]);
        point(words[common_words + 2 * i + 1]);
      }
      return true;
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
      return elements<3, 0, 1>(words);
    case BTF_KIND_ENUM:
      return elements<2, 0, -1>(words);
    case BTF_KIND_ENUM64:
      return elements<3, 0, -1>(words);
    case BTF_KIND_ARRAY: {
      bool is_index_sound = contain(words[4]);
      return contain(words[3]) && is_index_sound;
    }
    case BTF_KIND_DATASEC:
      demanding_.push_back(id);
      return elements<3, -1, 0>(words);
    case BTF_KIND_FUNC:
    case BTF_KIND_DECL_TAG:
      demanding_.push_back(id);
      return contain(words[2]);
    default:
      return !kind_shape(kind_of(words)).refers || contain(words[2]);
  }
}

/// Whether all that a doubtful type contains is sound now, and so is the type.
bool Checker::settle(uint32_t id) {
  const uint32_t* words = words_ + starts_[id - first_id_];
  bool is_sound = true;
  for_each_reference(std::span(words, known_size(words)),
                     [&](uint32_t child) { is_sound &= sound_.of(child); });
  if (is_sound) sound_.set(id - first_id_);
  return is_sound;
}

void Checker::check(size_t begin, size_t end) {
  recent_.clear();
  for (size_t index = begin; index < end; ++index) {
    uint32_t id = first_id_ + static_cast<uint32_t>(index);
    if (is_sound(id, words_ + starts_[index]))
      sound_.set(index);
    else
      recent_.push_back(id);
  }
  // Most contain types that come soon after them.
  for (int pass = 0; pass < settle_passes && !recent_.empty(); ++pass) {
    std::ranges::reverse(recent_);
    std::erase_if(recent_, [&](uint32_t id) { return settle(id); });
  }
  doubtful_.insert(doubtful_.end(), recent_.begin(), recent_.end());
}

void Checker::add_to(TypeSummary& summary) const {
  summary.largest_id = std::max(summary.largest_id, largest_id_);
  summary.largest_string = std::max(summary.largest_string, largest_string_);
  std::ranges::copy(demanding_, std::back_inserter(summary.demanding));
  std::ranges::copy(doubtful_, std::back_inserter(summary.doubtful));
}

/// For the walk: what contains nothing is sound.
auto mark_leaves(Soundness sound) {
  return [sound](size_t index, const uint32_t* words) {
    if (is_leaf(kind_of(words))) sound.set(index);
  };
}

/// Walks and checks in turn, the check a chunk behind: most of what a type
/// refers to is near, so much of what comes after it is known, too.
std::expected<void, Error> walk_and_check(Walker& walker, const TypeSection& types, Soundness sound,
                                          Checker& checker) {
  size_t checked = 0;
  while (!walker.is_done()) {
    size_t walked = types.starts.size();
    if (auto ok = walker.walk(mark_leaves(sound)); !ok) return ok;
    checker.check(checked, walked);
    checked = walked;
  }
  checker.check(checked, types.starts.size());
  return {};
}

/// Walks with one thread and checks with the others, and with that one when its
/// walk is over.
class ParallelCheck {
 public:
  ParallelCheck(Walker& walker, const TypeSection& types, Soundness sound)
      : walker_(walker), types_(types), sound_(sound) {}

  std::expected<void, Error> run(std::span<Checker> checkers) {
    std::expected<void, Error> result;
    run_threads(static_cast<unsigned>(checkers.size()), [&](unsigned i) {
      if (i == 0) result = walk();
      if (result || i != 0) check(checkers[i]);
    });
    return result;
  }

 private:
  static constexpr size_t all = SIZE_MAX;

  std::expected<void, Error> walk();
  void check(Checker& checker);
  void publish(size_t walked) {
    walked_.store(walked, std::memory_order_release);
    walked_.notify_all();
  }

  Walker& walker_;
  const TypeSection& types_;
  Soundness sound_;
  size_t count_ = 0;  ///< of types, once `walked_` is `all`
  std::atomic<size_t> walked_ = 0;
  std::atomic<size_t> next_chunk_ = 0;
};

std::expected<void, Error> ParallelCheck::walk() {
  std::expected<void, Error> result;
  while (result && !walker_.is_done()) {
    result = walker_.walk(mark_leaves(sound_));
    if (result) publish(types_.starts.size());
  }
  count_ = result ? types_.starts.size() : 0;
  publish(all);
  return result;
}

void ParallelCheck::check(Checker& checker) {
  for (;;) {
    size_t begin = next_chunk_.fetch_add(1, std::memory_order_relaxed) * chunk_size;
    size_t end = begin + chunk_size;
    size_t walked = walked_.load(std::memory_order_acquire);
    while (walked < end) {
      walked_.wait(walked, std::memory_order_acquire);
      walked = walked_.load(std::memory_order_acquire);
    }
    if (walked == all) end = std::min(end, count_);
    if (begin >= end) return;
    checker.check(begin, end);
  }
}

/// Makes room for the most types that there can be, and says how many these are:
/// memory that is not written to costs nothing, and growing would copy.
size_t make_room(TypeSection& types) {
  size_t most_types = types.words.size() / common_words;
  types.starts.reserve(most_types + 1);
  return most_types;
}

/// Gives memory back that make_room() took too much of: of small blobs there may be
/// thousands.
void shrink_if_small(TypeStarts& starts) {
  constexpr size_t large = 100'000;
  if (starts.size() < large) starts.shrink_to_fit();
}

std::expected<TypeSummary, Error> summarize(const Btf& btf, TypeSection& types, unsigned threads) {
  TypeSummary summary;
  summary.sound = ZeroedArray<uint8_t>(make_room(types));
  Soundness sound(summary.sound.span(), types.first_id);
  Walker walker(btf, types);
  std::vector<Checker> checkers(threads, Checker(types, sound));
  auto ok = checkers.size() == 1 ? walk_and_check(walker, types, sound, checkers.front())
                                 : ParallelCheck(walker, types, sound).run(checkers);
  if (!ok) return std::unexpected(ok.error());
  types.starts.push_back(static_cast<uint32_t>(types.words.size()));

  for (const Checker& checker : checkers) checker.add_to(summary);
  if (checkers.size() > 1) {
    std::ranges::sort(summary.demanding);
    std::ranges::sort(summary.doubtful);
  }
  return summary;
}

/// By kind: how many words its types have, but for their elements, and how many
/// each element has, 8 bits higher. 0 for unknown kinds.
constexpr std::array<uint16_t, 128> kind_sizes = [] {
  std::array<uint16_t, 128> sizes{};
  for (size_t kind = BTF_KIND_UNKN + 1; kind < BTF_KIND_END; ++kind) {
    const KindShape& shape = kind_shapes[kind];
    sizes[kind] =
        static_cast<uint16_t>(common_words + shape.fixed_words + (shape.element_words << 8));
  }
  return sizes;
}();

/// The number of words of a type, or 0 if its kind is unknown.
inline size_t usual_size(uint32_t info) {
  uint32_t sizes = kind_sizes[info >> 24 & 0x7f];
  return (sizes & 0xff) + size_t{info & 0xffffff} * (sizes >> 8);
}

/// Fills `starts`, unless anything is not as usual.
bool walk_as_usual(std::span<const uint32_t> words, TypeStarts& starts) {
  set_size_unfilled(starts, words.size() / common_words + 1);
  size_t count = 0, at = 0;
  for (size_t size = 1; size != 0 && words.size() - at >= common_words && at < words.size();) {
    starts[count++] = static_cast<uint32_t>(at);
    size = usual_size(words[at + 1]);
    at += size;
  }
  starts.resize(at == words.size() ? count : 0);
  return at == words.size();
}

/// Walks over several parts of a section at a time, two in each thread: to know where
/// a type ends takes some reads, one after another, and the processor can do those of
/// two walks at the same time. Where a part begins, a type must; that can only be guessed:
/// a place from where many types follow one another. The guess was right if the walk
/// before it ends there.
class GuessingWalk {
 public:
  GuessingWalk(const Btf& btf, std::span<const uint32_t> words, unsigned threads)
      : words_(words), string_end_(btf.string_end()), threads_(threads), lanes_(2 * threads) {
    for (size_t i = 0; i < lanes_.size(); ++i)
      lanes_[i].at = i == 0 ? 0 : guess(words.size() / lanes_.size() * i);
    for (size_t i = 0; i < lanes_.size(); ++i)
      lanes_[i].end = i + 1 < lanes_.size() ? lanes_[i + 1].at : words.size();
  }

  /// Fills `starts`. Returns false, then with none, if a guess was wrong or anything else
  /// is not as usual.
  bool run(TypeStarts& starts);

 private:
  /// One of the parts.
  struct Lane {
    size_t at = 0;
    size_t end = 0;
    TypeStarts own;  ///< where its starts are, but for the first part's
    uint32_t* starts = nullptr;
    size_t count = 0;  ///< of these

    bool has_more() const { return at < end && end - at >= common_words; }
    size_t most_starts() const { return (end - at) / common_words + 1; }
  };

  size_t guess(size_t at) const;
  bool is_plausible(size_t at) const;
  size_t size_at(size_t at) const;
  void walk(Lane& lane) const;
  bool walk(Lane& lane, Lane& other) const;

  std::span<const uint32_t> words_;
  uint32_t string_end_;
  unsigned threads_;
  std::vector<Lane> lanes_;
};

size_t GuessingWalk::guess(size_t at) const {
  constexpr size_t most_tries = 1 << 12;
  for (size_t i = 0; i < most_tries; ++i)
    if (is_plausible(at + i)) return at + i;
  return words_.size();
}

/// The number of words of the type at a place, or 0 if its kind is unknown.
inline size_t GuessingWalk::size_at(size_t at) const {
  return usual_size(words_[at + 1]);
}

/// Whether many types may follow one another from here on.
bool GuessingWalk::is_plausible(size_t at) const {
  constexpr int many = 64;
  for (int i = 0; i < many; ++i) {
    if (at + common_words > words_.size() || words_[at] >= string_end_) return false;
    size_t size = size_at(at);
    if (size == 0) return false;
    at += size;
  }
  return true;
}

/// Goes on to the end of a part, or to a type of unknown kind.
void GuessingWalk::walk(Lane& lane) const {
  for (size_t size = 1; size != 0 && lane.has_more(); lane.at += size) {
    size = size_at(lane.at);
    lane.starts[lane.count++] = static_cast<uint32_t>(lane.at);
  }
}

/// Walks over two parts. Returns whether both walks end where the next part begins.
bool GuessingWalk::walk(Lane& lane, Lane& other) const {
  for (Lane* l : {&lane, &other}) {
    if (l->at > l->end) return false;
    if (l->starts) continue;
    set_size_unfilled(l->own, l->most_starts());
    l->starts = l->own.data();
  }
  size_t a = lane.at, b = other.at;
  uint32_t* starts_a = lane.starts;
  uint32_t* starts_b = other.starts;
  // Up to where all that is read and asked for is in the section.
  constexpr size_t distance = prefetch_distance + common_words;
  while (a + distance < lane.end && b + distance < other.end) {
    __builtin_prefetch(&words_[a + prefetch_distance]);
    __builtin_prefetch(&words_[b + prefetch_distance]);
    size_t size_a = size_at(a), size_b = size_at(b);
    if (size_a == 0 || size_b == 0) break;
    *starts_a++ = static_cast<uint32_t>(a);
    *starts_b++ = static_cast<uint32_t>(b);
    a += size_a;
    b += size_b;
  }
  lane.at = a;
  lane.count = starts_a - lane.starts;
  other.at = b;
  other.count = starts_b - other.starts;
  walk(lane);
  walk(other);
  return lane.at == lane.end && other.at == other.end;
}

bool GuessingWalk::run(TypeStarts& starts) {
  std::vector<uint8_t> went_well(threads_);
  set_size_unfilled(starts, words_.size() / common_words + 1);
  lanes_.front().starts = starts.data();
  run_threads(threads_,
              [&](unsigned i) { went_well[i] = walk(lanes_[size_t{2} * i], lanes_[2 * i + 1]); });
  if (std::ranges::find(went_well, 0) != went_well.end()) {
    starts.clear();
    return false;
  }
  size_t count = 0;
  std::vector<size_t> firsts;
  for (const Lane& lane : lanes_) {
    firsts.push_back(count);
    count += lane.count;
  }
  // In shares that are not those of the walk, of which one need not be copied.
  run_threads(threads_, [&](unsigned i) {
    for (size_t n = 1; n < lanes_.size(); ++n) {
      const Lane& lane = lanes_[n];
      size_t begin = lane.count / threads_ * i;
      size_t end = i + 1 == threads_ ? lane.count : begin + lane.count / threads_;
      std::copy(lane.starts + begin, lane.starts + end, starts.data() + firsts[n] + begin);
    }
  });
  starts.resize(count);
  return true;
}

}  // namespace

std::expected<void, Error> find_types(const Btf& btf, TypeSection& types, unsigned threads) {
  threads = choose_threads(types.words.size(), threads);
  bool is_worth_guessing = types.words.size() >= large_from(1 << 16);
  bool is_done = is_worth_guessing ? GuessingWalk(btf, types.words, threads).run(types.starts)
                                   : walk_as_usual(types.words, types.starts);
  if (!is_done) {
    make_room(types);
    Walker walker(btf, types);
    while (!walker.is_done())
      if (auto ok = walker.walk([](size_t, const uint32_t*) {}); !ok) return ok;
  }
  types.starts.push_back(static_cast<uint32_t>(types.words.size()));
  shrink_if_small(types.starts);
  return {};
}

std::expected<void, Error> index_types(const Btf& btf, TypeSection& types, unsigned threads) {
  auto summary = summarize(btf, types, choose_threads(types.words.size(), threads));
  if (!summary) return std::unexpected(summary.error());
  shrink_if_small(types.starts);

  if (auto ok = check_references(btf, types, *summary); !ok) return ok;
  return check_cycles(btf, types, *summary);
}

}  // namespace bpflink
