// Finds where the types of a section begin, and checks that what they refer to is there.
//
// The beginning of a type is known once the type before it has been read, so one thread walks over
// the section and checks each type. Checking in other threads behind it made no kernel's
// deduplication faster.
#include "dedup/format/type_section.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "dedup/format/access.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/messages.hpp"

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

/// The walk over a section.
class Walk {
 public:
  explicit Walk(const Btf& btf)
      : btf_(btf),
        found_(*BtfAccess::impl(btf)),
        words_(found_.view.words()),
        starts_(found_.starts) {}

  std::expected<void, Error> run();

 private:
  std::expected<void, Error> walk_chunk();
  std::expected<size_t, Error> unusual_size(size_t at, uint32_t id) const;
  void note(const uint32_t* words, uint32_t id);

  const Btf& btf_;
  BtfAccess::Impl& found_;
  std::span<const uint32_t> words_;
  boost::container::vector<uint32_t>& starts_;
  size_t at_ = 0;  ///< how many words have been passed
  Largest largest_;
  std::vector<uint32_t> demanding_;  ///< see TypeSummary
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

/// Lists a type of those few that others ask for.
void Walk::note(const uint32_t* words, uint32_t id) {
  constexpr KindSet of_note{BtfKind::Func, BtfKind::Var, BtfKind::Datasec, BtfKind::DeclTag};
  BtfKind kind = kind_of(words);
  if (is_known(kind) && !of_note.contains(kind)) return;
  if (is_known(kind) && kind != BtfKind::Var) demanding_.push_back(id);
  if (is_object(kind)) found_.objects.push_back(id);
}

std::expected<void, Error> Walk::walk_chunk() {
  Largest largest = largest_;
  const uint32_t first_id = found_.view.first_id() + static_cast<uint32_t>(starts_.size());
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
    largest.type(words + at);
    note(words + at, first_id + static_cast<uint32_t>(count));
    at += size;
  }
  // Of small blobs there may be thousands, and one chunk has all of their types. Of others, memory
  // that is not written to costs nothing, and growing would copy.
  if (starts_.empty()) starts_.reserve(1 + (at == end ? count : end / common_words));
  starts_.insert(starts_.end(), starts.data(), starts.data() + count);
  at_ = at;
  largest_ = largest;
  return {};
}

/// Walks to the end, and checks what takes more than one type.
std::expected<void, Error> Walk::run() {
  read_ahead(words_);
  while (at_ < words_.size())
    if (auto ok = walk_chunk(); !ok) return ok;
  starts_.push_back(static_cast<uint32_t>(words_.size()));
  found_.show(words_, btf_.strings());
  return check_references(btf_, {largest_.id, largest_.string, demanding_});
}

}  // namespace

std::expected<void, Error> find_types(const Btf& btf) {
  return Walk(btf).run();
}

}  // namespace bpflink
