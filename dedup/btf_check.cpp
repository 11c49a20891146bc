// Where the types of a section begin, and whether what they refer to is there.
#include "dedup/btf_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dedup/kinds.hpp"

namespace bpflink {

namespace {

std::unexpected<Error> fail(std::string message) {
  return std::unexpected(Error{std::move(message)});
}

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

/// Walks a type section once, noting where types begin and what is largest.
class Indexer {
 public:
  Indexer(const Btf& btf, TypeSection& types) : btf_(btf), types_(types) {
    // Room for the most types that there can be: memory that is not written to
    // costs nothing, and growing would copy.
    types_.starts.reserve(types_.words.size() / common_words + 1);
    summary_.sound.reserve(types_.words.size() / common_words + 1);
  }

  std::expected<void, Error> run();
  const TypeSummary& summary() const { return summary_; }

 private:
  /// Notes a reference, and returns whether it is to a type before this one
  /// that is known to be sound.
  bool refer(uint32_t id) {
    largest_id_ = std::max(largest_id_, id);
    uint32_t index = id - types_.first_id;
    return id < types_.first_id || (index < summary_.sound.size() && summary_.sound[index] != 0);
  }
  void name(uint32_t offset) { largest_string_ = std::max(largest_string_, offset); }

  template <int Words, int Name, int Type>
  bool elements(const uint32_t* words, size_t size) {
    bool sound = true;
    for (size_t i = common_words; i < size; i += Words) {
      if constexpr (Name >= 0) name(words[i + Name]);
      if constexpr (Type >= 0) sound &= refer(words[i + Type]);
    }
    return sound;
  }

  bool summarize(const uint32_t* words, size_t size);

  const Btf& btf_;
  TypeSection& types_;
  TypeSummary summary_;
  uint32_t largest_id_ = 0;
  uint32_t largest_string_ = 0;
};

/// Notes what a type refers to, and returns whether it is known to be sound.
bool Indexer::summarize(const uint32_t* words, size_t size) {
  name(words[0]);
  switch (kind_of(words)) {
    case BTF_KIND_PTR:
      refer(words[2]);
      return true;
    case BTF_KIND_FUNC_PROTO:
      refer(words[2]);
      elements<2, 0, 1>(words, size);
      return true;
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
      return elements<3, 0, 1>(words, size);
    case BTF_KIND_ENUM:
      return elements<2, 0, -1>(words, size);
    case BTF_KIND_ENUM64:
      return elements<3, 0, -1>(words, size);
    case BTF_KIND_ARRAY: {
      bool element = refer(words[3]);
      return refer(words[4]) && element;
    }
    case BTF_KIND_DATASEC:
      summary_.demanding.push_back(types_.first_id + static_cast<uint32_t>(summary_.sound.size()));
      return elements<3, -1, 0>(words, size);
    case BTF_KIND_FUNC:
    case BTF_KIND_DECL_TAG:
      summary_.demanding.push_back(types_.first_id + static_cast<uint32_t>(summary_.sound.size()));
      return refer(words[2]);
    default:
      return !kind_shape(kind_of(words)).refers || refer(words[2]);
  }
}

std::expected<void, Error> Indexer::run() {
  std::span<const uint32_t> words = types_.words;
  size_t at = 0;
  while (at < words.size()) {
    uint32_t id = types_.first_id + static_cast<uint32_t>(types_.starts.size());
    if (words.size() - at < common_words)
      return fail(fmt::format("type [{}] at offset {} of the type section is cut off", id, 4 * at));
    uint8_t kind = kind_of(&words[at]);
    size_t size = common_words;
    if (kind != BTF_KIND_UNKN && kind < BTF_KIND_END) {
      KindShape shape = kind_shapes[kind];
      size += shape.fixed_words + size_t{vlen_of(&words[at])} * shape.element_words;
    } else {
      auto unknown = unknown_size(btf_, types_, at);
      if (!unknown) return std::unexpected(unknown.error());
      size = *unknown;
    }
    if (size > words.size() - at)
      return fail(fmt::format(
          "type [{}] {} '{}' at offset {} of the type section has {} bytes, but only {} are left",
          id, btf_kind_name(kind), btf_.string(words[at]), 4 * at, 4 * size,
          4 * (words.size() - at)));
    types_.starts.push_back(static_cast<uint32_t>(at));
    summary_.sound.push_back(summarize(&words[at], size));
    at += size;
  }
  types_.starts.push_back(static_cast<uint32_t>(at));
  summary_.largest_id = largest_id_;
  summary_.largest_string = largest_string_;
  return {};
}

}  // namespace

std::expected<void, Error> index_types(const Btf& btf, TypeSection& types) {
  Indexer indexer(btf, types);
  if (auto ok = indexer.run(); !ok) return ok;
  // Of small blobs there may be thousands.
  if (types.starts.size() < 100'000) types.starts.shrink_to_fit();

  if (auto ok = check_references(btf, types, indexer.summary()); !ok) return ok;
  return check_cycles(btf, types, indexer.summary());
}

}  // namespace bpflink
