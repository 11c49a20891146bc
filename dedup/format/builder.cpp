// Builds a blob of BTF type by type, and writes it out.
#include "dedup/format/builder.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <utility>

#include "dedup/format/kinds.hpp"
#include "dedup/format/string_table.hpp"
#include "dedup/format/type_section.hpp"
#include "dedup/messages.hpp"

namespace bpflink {

namespace {

// What the kernel's loader accepts: BTF_MAX_TYPE, BTF_MAX_NAME_OFFSET and
// BTF_MAX_VLEN of include/uapi/linux/btf.h.
constexpr uint32_t max_type_id = 0xfffff;
constexpr size_t longest_shown_string = 40;

/// Appends to a blob in the byte order asked for.
class Writer {
 public:
  Writer(std::endian order, size_t size) : swap_(order != std::endian::native) {
    bytes_.reserve(size);
  }

  void put_byte(uint8_t value) { bytes_.push_back(std::byte{value}); }

  void put_half(uint16_t value) {
    if (swap_) value = __builtin_bswap16(value);
    append(&value, sizeof value);
  }

  void put_word(uint32_t value) {
    if (swap_) value = __builtin_bswap32(value);
    append(&value, sizeof value);
  }

  void append(const void* bytes, size_t size) {
    const auto* first = static_cast<const std::byte*>(bytes);
    bytes_.insert(bytes_.end(), first, first + size);
  }

  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  bool swap_;
  std::vector<std::byte> bytes_;
};

}  // namespace

struct BPFLINK_INTERNAL BtfBuilder::Impl {
  const Btf* base = nullptr;
  uint32_t first_id = 1;
  uint32_t string_base = 0;
  std::vector<uint32_t> words;
  std::vector<uint32_t> starts{0};
  StringTable strings;
  /// Offsets of the base's strings, once the first string is asked for.
  HashIndex base_strings;
  bool base_is_indexed = false;
  std::vector<BtfKindLayout> layout;
  bool may_have_wide_vlen = false;

  uint32_t end_id() const { return first_id + static_cast<uint32_t>(starts.size()) - 1; }

  std::span<const uint32_t> words_of(uint32_t id) const {
    uint32_t i = id - first_id;
    return std::span(words).subspan(starts[i], starts[i + 1] - starts[i]);
  }

  void index_base_strings();
  uint32_t find_in_base(std::string_view string) const;
  std::string most_common_kind() const;
  std::string longest_string() const;
  std::string_view string(uint32_t offset) const;
  std::expected<void, Error> check_limits() const;
};

void BtfBuilder::Impl::index_base_strings() {
  base_is_indexed = true;
  for (uint32_t offset = 1; offset < string_base;) {
    std::string_view string = base->string(offset);
    if (!string.empty() && find_in_base(string) == 0)
      base_strings.insert(hash_bytes(string.data(), string.size()), offset);
    offset += static_cast<uint32_t>(string.size()) + 1;
  }
}

uint32_t BtfBuilder::Impl::find_in_base(std::string_view string) const {
  return base_strings.find(hash_bytes(string.data(), string.size()),
                           [&](uint32_t offset) { return base->string(offset) == string; });
}

std::string BtfBuilder::Impl::most_common_kind() const {
  std::array<uint32_t, 128> counts{};
  uint8_t most = 0;
  for (uint32_t id = first_id; id < end_id(); ++id) {
    uint8_t kind = std::to_underlying(kind_of(words_of(id).data()));
    if (++counts[kind] > counts[most]) most = kind;
  }
  return fmt::format("{} of them are of kind {}", counts[most], btf_kind_name(BtfKind(most)));
}

std::string BtfBuilder::Impl::longest_string() const {
  std::string_view longest;
  for (size_t offset = 1; offset < strings.bytes().size();) {
    std::string_view string = strings.at(static_cast<uint32_t>(offset));
    if (string.size() > longest.size()) longest = string;
    offset += string.size() + 1;
  }
  return fmt::format("the longest, of {} bytes, begins '{}'", longest.size(),
                     longest.substr(0, longest_shown_string));
}

std::string_view BtfBuilder::Impl::string(uint32_t offset) const {
  if (offset < string_base) return base->string(offset);
  offset -= string_base;
  return offset < strings.bytes().size() ? strings.at(offset) : std::string_view();
}

std::expected<void, Error> BtfBuilder::Impl::check_limits() const {
  if (end_id() - 1 > max_type_id)
    return fail(fmt::format("{} types are more than the kernel's limit of {}; {}", end_id() - 1,
                            max_type_id, most_common_kind()));
  size_t strings_end = string_base + strings.bytes().size();
  if (strings_end - 1 > max_string_offset)
    return fail(fmt::format("{} bytes of strings are more than the kernel's limit of {}; {}",
                            strings_end, max_string_offset + 1, longest_string()));
  // A layout section is the mark of a blob in the wide form, too.
  if (!layout.empty() || may_have_wide_vlen) return {};
  for (uint32_t id = first_id; id < end_id(); ++id) {
    const uint32_t* type = words_of(id).data();
    if (vlen_of(type) > max_classic_vlen)
      return fail(fmt::format(
          "type [{}] {} '{}' has {} elements, more than the kernel's limit of "
          "{}",
          id, btf_kind_name(kind_of(type)), string(type[0]), vlen_of(type), max_classic_vlen));
  }
  return {};
}

BtfBuilder::BtfBuilder(const Btf* base) : impl_(std::make_unique<Impl>()) {
  if (base == nullptr) return;
  impl_->base = base;
  impl_->first_id = base->end_id();
  impl_->string_base = base->string_end();
}

BtfBuilder::BtfBuilder(BtfBuilder&&) noexcept = default;
BtfBuilder& BtfBuilder::operator=(BtfBuilder&&) noexcept = default;
BtfBuilder::~BtfBuilder() = default;

uint32_t BtfBuilder::add_string(std::string_view string) {
  if (string.empty()) return 0;
  if (impl_->base == nullptr) return impl_->strings.intern(string);
  if (!impl_->base_is_indexed) impl_->index_base_strings();
  uint32_t in_base = impl_->find_in_base(string);
  return in_base != 0 ? in_base : impl_->string_base + impl_->strings.intern(string);
}

TypeSection type_section(const BtfBuilder& types) {
  return {types.impl_->words, types.impl_->starts, types.impl_->first_id};
}

std::string_view string_section(const BtfBuilder& types) {
  std::span<const char> bytes = types.impl_->strings.bytes();
  return {bytes.data(), bytes.size()};
}

void add_new_strings(BtfBuilder& types, std::string_view strings) {
  types.impl_->strings.append_all(strings);
}

void begin_with_strings(BtfBuilder& types, std::string_view strings) {
  types.impl_->strings.begin_with(strings);
}

std::vector<uint32_t> keep_types(BtfBuilder& types, const std::vector<bool>& kept) {
  std::vector<uint32_t> order;
  for (uint32_t id = types.first_id(); id < types.end_id(); ++id)
    if (kept[id]) order.push_back(id);
  return rearrange_types(types, order);
}

std::vector<uint32_t> rearrange_types(BtfBuilder& types, std::span<const uint32_t> order) {
  const BtfBuilder::Impl& old = *types.impl_;
  std::vector<uint32_t> ids(old.end_id());
  for (uint32_t id = 0; id < old.first_id; ++id) ids[id] = id;
  for (uint32_t next = old.first_id; uint32_t id : order) ids[id] = next++;
  BtfBuilder arranged(old.base);
  arranged.impl_->layout = old.layout;
  arranged.impl_->may_have_wide_vlen = old.may_have_wide_vlen;
  std::vector<uint32_t> words;
  for (uint32_t id : order) {
    words.assign(old.words_of(id).begin(), old.words_of(id).end());
    for_each_string(std::span(words),
                    [&](uint32_t& word) { word = arranged.add_string(old.string(word)); });
    for_each_reference(std::span(words), [&](uint32_t& word) { word = ids[word]; });
    arranged.add_type(words);
  }
  types = std::move(arranged);
  return ids;
}

void allow_wide_vlen(BtfBuilder& types) {
  types.impl_->may_have_wide_vlen = true;
}

void reserve(BtfBuilder& types, size_t count, size_t words, size_t string_bytes) {
  types.impl_->starts.reserve(count + 1);
  types.impl_->words.reserve(words);
  types.impl_->strings.reserve(string_bytes);
}

uint32_t BtfBuilder::add_type(uint32_t name_off, uint32_t info, uint32_t size_or_type,
                              std::span<const uint32_t> extra) {
  const uint32_t common[] = {name_off, info, size_or_type};
  impl_->words.insert(impl_->words.end(), common, common + common_words);
  impl_->words.insert(impl_->words.end(), extra.begin(), extra.end());
  impl_->starts.push_back(static_cast<uint32_t>(impl_->words.size()));
  return impl_->end_id() - 1;
}

uint32_t BtfBuilder::add_type(std::span<const uint32_t> words) {
  return add_type(words[0], words[1], words[2], words.subspan(common_words));
}

void BtfBuilder::set_layout(std::vector<BtfKindLayout> layout) {
  impl_->layout = std::move(layout);
}

BtfType BtfBuilder::type(uint32_t id) const {
  return BtfType(impl_->words_of(id));
}

std::span<uint32_t> BtfBuilder::mutable_words(uint32_t id) {
  uint32_t i = id - impl_->first_id;
  return std::span(impl_->words).subspan(impl_->starts[i], impl_->starts[i + 1] - impl_->starts[i]);
}

std::string_view BtfBuilder::string(uint32_t offset) const {
  return impl_->string(offset);
}

uint32_t BtfBuilder::first_id() const {
  return impl_->first_id;
}

uint32_t BtfBuilder::end_id() const {
  return impl_->end_id();
}

std::expected<std::vector<std::byte>, Error> BtfBuilder::finish(std::endian order) const {
  if (auto ok = impl_->check_limits(); !ok) return std::unexpected(ok.error());

  auto types = std::as_bytes(std::span(impl_->words));
  auto strings = std::as_bytes(impl_->strings.bytes());
  auto layout_size = static_cast<uint32_t>(4 * impl_->layout.size());
  uint32_t header_size = layout_size == 0 ? 24 : 32;
  Writer out(order, header_size + layout_size + types.size() + strings.size());
  out.put_half(0xeb9f);
  out.put_byte(1);
  out.put_byte(0);
  out.put_word(header_size);
  // Types, layout, strings: libbpf refuses a blob with another order. All but the strings is
  // made of words, so nothing needs padding.
  out.put_word(0);
  out.put_word(static_cast<uint32_t>(types.size()));
  out.put_word(static_cast<uint32_t>(types.size()) + layout_size);
  out.put_word(static_cast<uint32_t>(strings.size()));
  if (layout_size != 0) {
    out.put_word(static_cast<uint32_t>(types.size()));
    out.put_word(layout_size);
  }
  if (order == std::endian::native)
    out.append(types.data(), types.size());
  else
    for (uint32_t word : impl_->words) out.put_word(word);
  for (const BtfKindLayout& kind : impl_->layout) {
    out.put_byte(kind.info_size);
    out.put_byte(kind.element_size);
    out.put_half(kind.flags);
  }
  out.append(strings.data(), strings.size());
  return out.take();
}

}  // namespace bpflink
