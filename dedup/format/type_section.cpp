// Finds where the types of a section begin, and checks that ids and string offsets are in range.
//
// Where a type begins is only known when the type before it has been read, so one thread walks over
// the section. It keeps the largest id and string offset, which are compared with their limits in
// the end; only if that fails are the types searched for the one at fault (check_types.cpp).
// Checking in other threads behind the walk made no kernel's deduplication faster.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "dedup/format/access.hpp"
#include "dedup/format/check_types.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/messages.hpp"
#include "dedup/try.hpp"

namespace bpflink {

namespace {

/// The number of types that are walked over with all state in registers and on the stack.
constexpr size_t chunk_size = 1 << 12;

/// How many words to prefetch ahead of the walk.
constexpr size_t prefetch_distance = 1024;

/// The number of words of a type of an unknown kind, from the layout section. `at` is the type's
/// word in the section.
///
/// vlen and kind are read in their wide form even if the header is classic. The specification has
/// always called the additional bits unused, so producers of the classic form write zeros there.
/// A bit set by mistake gives a kind or a size that the checks reject.
std::expected<size_t, Error> unknown_size(const BtfAccess::Impl& blob, const uint32_t* words,
                                          uint32_t id, size_t at) {
  uint8_t kind = std::to_underlying(kind_of(words));
  if (kind == 0)
    return fail(fmt::format("type [{}] at offset {} of the type section has kind 0", id, 4 * at));
  // A split blob without a layout section uses that of its base.
  std::span<const BtfKindLayout> layouts = blob.layout;
  for (const Btf* base = blob.base; layouts.empty() && base != nullptr; base = base->base())
    layouts = base->layout();
  if (kind >= layouts.size())
    return fail(fmt::format("type [{}] '{}' at offset {} of the type section has unknown kind {}{}",
                            id, blob.view.string(words[0]), 4 * at, kind,
                            layouts.empty() ? ", and there is no layout section with its size"
                                            : ", which the layout section does not describe"));
  BtfKindLayout layout = layouts[kind];
  if (layout.info_size % 4 != 0 || layout.element_size % 4 != 0)
    return fail(
        fmt::format("layout section gives kind {} sizes of {} and {} bytes, which are not "
                    "multiples of 4",
                    kind, layout.info_size, layout.element_size));
  return common_words + layout.info_size / 4 + size_t{vlen_of(words)} * (layout.element_size / 4);
}

/// The largest id and string offset so far. Small, so that the compiler keeps it in registers.
struct Largest {
  uint32_t id = 0;
  uint32_t string = 0;

  void name(uint32_t offset) { string = std::max(string, offset); }

  void type(const uint32_t* words) {
    name(words[0]);
    with_constant_kind(kind_of(words), [&]<BtfKind Kind>() { return add<Kind>(words); });
  }

 private:
  template <BtfKind Kind>
  bool add(const uint32_t* words) {
    constexpr KindLayout layout = kind_row(Kind).layout;
    constexpr KindWords counts = kind_words(Kind);
    const uint32_t* element = words + head_start + counts.head_words;
    const uint32_t* end = element + size_t{vlen_of(words)} * counts.element_words;
    note<layout.head>(words + head_start);
    for (; counts.element_words != 0 && element < end; element += counts.element_words)
      note<layout.element>(element);
    return true;
  }

  template <WordRoles Roles>
  void note(const uint32_t* words) {
    for (size_t i = 0; i < Roles.size(); ++i) {
      if (Roles[i] == WordRole::Name) name(words[i]);
      if (Roles[i] == WordRole::Id) id = std::max(id, words[i]);
    }
  }
};

/// Asks the system to map all pages of a large mapped file at once. Page faults for a few pages
/// each take several times as long: a tenth of a kernel's deduplication.
void map_pages(std::span<const uint32_t> words) {
#ifdef MADV_POPULATE_READ
  constexpr size_t large = 1 << 20;
  if (words.size_bytes() < large) return;
  auto* begin = const_cast<uint32_t*>(words.data());
  size_t before = reinterpret_cast<uintptr_t>(begin) % static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  ::madvise(reinterpret_cast<char*>(begin) - before, before + words.size_bytes(),
            MADV_POPULATE_READ);
#endif
}

/// The walk over a section.
class TypeWalk {
 public:
  explicit TypeWalk(BtfAccess::Impl& blob)
      : blob_(blob), words_(blob.view.words()), starts_(blob.starts) {}

  std::expected<void, Error> run() {
    map_pages(words_);
    while (at_ < words_.size()) TRY(walk_chunk());
    starts_.push_back(static_cast<uint32_t>(words_.size()));
    blob_.show(words_, blob_.view.strings());
    return check_references(blob_.view, {largest_.id, largest_.string, with_constraints_});
  }

 private:
  std::expected<void, Error> walk_chunk() {
    Largest largest = largest_;
    const uint32_t first_id = blob_.view.first_id() + static_cast<uint32_t>(starts_.size());
    const uint32_t* words = words_.data();
    size_t end = words_.size(), at = at_;
    std::array<uint32_t, chunk_size> starts;
    size_t count = 0;
    for (; count < chunk_size && at < end; ++count) {
      size_t size = end - at < common_words ? 0 : known_size(words + at);
      __builtin_prefetch(words + at + prefetch_distance);
      if (size == 0 || size > end - at) {
        size = TRY(unknown_or_cut_off_size(at, first_id + static_cast<uint32_t>(count)));
      }
      starts[count] = static_cast<uint32_t>(at);
      largest.type(words + at);
      list_special(words + at, first_id + static_cast<uint32_t>(count));
      at += size;
    }
    // A small blob is one chunk, and there may be thousands of blobs: reserve no more than needed.
    // For others, memory that is not written to costs nothing, and growing would copy.
    if (starts_.empty()) starts_.reserve(1 + (at == end ? count : end / common_words));
    starts_.insert(starts_.end(), starts.data(), starts.data() + count);
    at_ = at;
    largest_ = largest;
    return {};
  }

  /// The number of words of the type at words_[at], whose kind is unknown or which may be cut off.
  [[gnu::noinline]] std::expected<size_t, Error> unknown_or_cut_off_size(size_t at,
                                                                         uint32_t id) const {
    size_t left = words_.size() - at;
    if (left < common_words)
      return fail(fmt::format("type [{}] at offset {} of the type section is cut off", id, 4 * at));
    const uint32_t* words = &words_[at];
    size_t size = known_size(words);
    if (size == 0) {
      auto unknown = unknown_size(blob_, words, id, at);
      if (!unknown) return unknown;
      size = *unknown;
    }
    if (size <= left) return size;
    return fail(fmt::format(
        "type [{}] {} '{}' at offset {} of the type section has {}, but only {} {} left", id,
        btf_kind_name(kind_of(words)), blob_.view.string(words[0]), 4 * at,
        count_of(4 * size, "byte"), 4 * left, agree(4 * left, "is", "are")));
  }

  /// Lists a type if it has constraints or is an object. Few types are.
  void list_special(const uint32_t* words, uint32_t id) {
    BtfKind kind = kind_of(words);
    if (is_of_program(kind) && kind != BtfKind::Var) with_constraints_.push_back(id);
    if (is_object(kind)) blob_.objects.push_back(id);
  }

  BtfAccess::Impl& blob_;
  std::span<const uint32_t> words_;
  decltype(BtfAccess::Impl::starts)& starts_;
  size_t at_ = 0;  ///< how many words have been passed
  Largest largest_;
  std::vector<uint32_t> with_constraints_;  ///< see TypeSummary
};

}  // namespace

std::expected<void, Error> find_types(BtfAccess::Impl& blob) {
  return TypeWalk(blob).run();
}

}  // namespace bpflink
