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

/// The number of words of the type that begins at words[at], which has its
/// common words; or why that cannot be known.
///
/// vlen and kind are read in their wide form whatever the header's length.
/// Producers of the classic form leave the additional bits zero, as the
/// specification has always called them unused, so nothing is lost; and a bit
/// set there by mistake gives a kind or a size that the checks refuse.
std::expected<size_t, Error> type_size(const Btf& btf, const TypeSection& types, size_t at) {
  const uint32_t* words = &types.words[at];
  uint8_t kind = kind_of(words);
  uint32_t id = types.first_id + static_cast<uint32_t>(types.starts.size());
  if (kind == BTF_KIND_UNKN)
    return fail(fmt::format("type [{}] at offset {} of the type section has kind 0", id, 4 * at));
  if (kind < BTF_KIND_END) {
    KindShape shape = kind_shapes[kind];
    return common_words + shape.fixed_words + size_t{vlen_of(words)} * shape.element_words;
  }
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

void summarize_elements(const uint32_t* words, size_t size, KindShape shape, TypeSummary& summary) {
  uint32_t largest_id = summary.largest_id;
  uint32_t largest_string = summary.largest_string;
  if (shape.element_name == 0 && shape.element_type == 1) {
    for (size_t i = common_words; i < size; i += shape.element_words) {
      largest_string = std::max(largest_string, words[i]);
      largest_id = std::max(largest_id, words[i + 1]);
    }
  } else if (shape.element_name == 0) {
    for (size_t i = common_words; i < size; i += shape.element_words)
      largest_string = std::max(largest_string, words[i]);
  } else if (shape.element_type == 0) {
    for (size_t i = common_words; i < size; i += shape.element_words)
      largest_id = std::max(largest_id, words[i]);
  }
  summary.largest_id = largest_id;
  summary.largest_string = largest_string;
}

void summarize(const uint32_t* words, size_t size, uint32_t id, TypeSummary& summary) {
  uint8_t kind = kind_of(words);
  KindShape shape = kind_shape(kind);
  summary.largest_string = std::max(summary.largest_string, words[0]);
  if (shape.refers) summary.largest_id = std::max(summary.largest_id, words[2]);
  if (kind == BTF_KIND_ARRAY)
    summary.largest_id = std::max({summary.largest_id, words[3], words[4]});
  if (kind == BTF_KIND_FUNC || kind == BTF_KIND_DATASEC || kind == BTF_KIND_DECL_TAG)
    summary.demanding.push_back(id);
  if (shape.element_words != 0) summarize_elements(words, size, shape, summary);
}

}  // namespace

std::expected<void, Error> index_types(const Btf& btf, TypeSection& types) {
  std::span<const uint32_t> words = types.words;
  TypeSummary summary;
  // Room for the most types that there can be: memory that is not written to
  // costs nothing, and growing would copy.
  types.starts.reserve(words.size() / common_words + 1);
  size_t at = 0;
  while (at < words.size()) {
    uint32_t id = types.first_id + static_cast<uint32_t>(types.starts.size());
    if (words.size() - at < common_words)
      return fail(fmt::format("type [{}] at offset {} of the type section is cut off", id, 4 * at));
    auto size = type_size(btf, types, at);
    if (!size) return std::unexpected(size.error());
    if (*size > words.size() - at)
      return fail(
          fmt::format("type [{}] {} '{}' at offset {} of the type section has {} bytes, "
                      "but only {} are left",
                      id, btf_kind_name(kind_of(&words[at])), btf.string(words[at]), 4 * at,
                      4 * *size, 4 * (words.size() - at)));
    types.starts.push_back(static_cast<uint32_t>(at));
    summarize(&words[at], *size, id, summary);
    at += *size;
  }
  types.starts.push_back(static_cast<uint32_t>(at));
  // Of small blobs there may be thousands.
  if (types.starts.size() < 100'000) types.starts.shrink_to_fit();

  if (auto ok = check_references(btf, types, summary); !ok) return ok;
  return check_cycles(btf, types);
}

}  // namespace bpflink
