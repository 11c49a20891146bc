// Builds a blob of BTF type by type, and writes it out.
#include "dedup/format/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "dedup/format/access.hpp"
#include "dedup/format/check_types.hpp"
#include "dedup/format/header.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/format/string_table.hpp"
#include "dedup/messages.hpp"
#include "dedup/try.hpp"

namespace bpflink {

namespace {

constexpr size_t longest_shown_string = 40;

}  // namespace

struct BtfBuilder::Impl {
  const Btf* base = nullptr;
  std::vector<uint32_t> words;
  std::vector<uint32_t> starts{0};
  StringTable strings;
  std::vector<BtfKindLayout> layout;
  bool may_have_wide_vlen = false;

  BtfView view() const {
    std::span<const char> bytes = strings.bytes();
    return {words,
            starts,
            {bytes.data(), bytes.size()},
            base != nullptr ? &BtfAccess::impl(*base)->view : nullptr};
  }

  std::string most_common_kind() const {
    std::array<uint32_t, 128> counts{};
    uint8_t most = 0;
    const BtfView types = view();
    for (uint32_t id = types.first_id(); id < types.end_id(); ++id) {
      uint8_t kind = std::to_underlying(types.type(id).kind());
      if (++counts[kind] > counts[most]) most = kind;
    }
    return fmt::format("{} of them are of kind {}", counts[most], btf_kind_name(BtfKind(most)));
  }

  std::string longest_string() const {
    std::string_view longest;
    for (uint32_t offset = strings.begin() + 1; offset < strings.size();) {
      std::string_view string = strings.at(offset);
      if (string.size() > longest.size()) longest = string;
      offset += static_cast<uint32_t>(string.size()) + 1;
    }
    return fmt::format("the longest, of {} bytes, begins '{}'", longest.size(),
                       longest.substr(0, longest_shown_string));
  }

  std::expected<void, Error> check_limits() const {
    const BtfView types = view();
    if (types.end_id() - 1 > max_type_id)
      return fail("{} types are more than the kernel's limit of {}; {}", types.end_id() - 1,
                  max_type_id, most_common_kind());
    size_t strings_end = types.string_begin() + strings.bytes().size();
    if (strings_end - 1 > max_string_offset)
      return fail("{} bytes of strings are more than the kernel's limit of {}; {}", strings_end,
                  max_string_offset + 1, longest_string());
    // A blob with a layout section may have a wide vlen.
    if (!layout.empty() || may_have_wide_vlen) return {};
    for (uint32_t id = types.first_id(); id < types.end_id(); ++id)
      if (uint32_t vlen = types.type(id).vlen(); vlen > max_classic_vlen)
        return fail("{} has {} elements, more than the kernel's limit of {}",
                    describe_type(types, id), vlen, max_classic_vlen);
    return {};
  }
};

BtfBuilder::BtfBuilder(const Btf* base) : impl_(std::make_unique<Impl>()) {
  impl_->base = base;
  impl_->strings = StringTable(base);
  BtfAccess::show(*this);
}

BtfBuilder::BtfBuilder(BtfBuilder&&) noexcept = default;
BtfBuilder& BtfBuilder::operator=(BtfBuilder&&) noexcept = default;
BtfBuilder::~BtfBuilder() = default;

uint32_t BtfBuilder::add_string(std::string_view string) {
  uint32_t offset = impl_->strings.intern(string);
  BtfAccess::show(*this);
  return offset;
}

void BtfAccess::show(BtfBuilder& types) {
  static_cast<BtfView&>(types) = types.impl_->view();
}

void add_new_strings(BtfBuilder& types, std::string_view strings) {
  BtfAccess::impl(types).strings.append_all(strings);
  BtfAccess::show(types);
}

void begin_with_strings(BtfBuilder& types, std::string_view strings) {
  BtfAccess::impl(types).strings.begin_with(strings);
  BtfAccess::show(types);
}

std::vector<uint32_t> rearrange_types(BtfBuilder& types, std::span<const uint32_t> order) {
  const BtfAccess::BuilderImpl& old = BtfAccess::impl(types);
  std::vector<uint32_t> ids(types.end_id());
  for (uint32_t id = 0; id < types.first_id(); ++id) ids[id] = id;
  for (uint32_t next = types.first_id(); uint32_t id : order) ids[id] = next++;
  BtfBuilder arranged(old.base);
  arranged.set_layout(old.layout);
  if (old.may_have_wide_vlen) allow_wide_vlen(arranged);
  for (uint32_t id : order) copy_type(arranged, types, id, [&](uint32_t to) { return ids[to]; });
  types = std::move(arranged);
  return ids;
}

void allow_wide_vlen(BtfBuilder& types) {
  BtfAccess::impl(types).may_have_wide_vlen = true;
}

void reserve(BtfBuilder& types, size_t count, size_t words, size_t string_bytes) {
  BtfAccess::impl(types).starts.reserve(count + 1);
  BtfAccess::impl(types).words.reserve(words);
  BtfAccess::impl(types).strings.reserve(string_bytes);
  BtfAccess::show(types);
}

uint32_t BtfBuilder::add_type(uint32_t name_off, uint32_t info, uint32_t size_or_type,
                              std::span<const uint32_t> extra) {
  const uint32_t common[] = {name_off, info, size_or_type};
  impl_->words.insert(impl_->words.end(), common, common + common_words);
  impl_->words.insert(impl_->words.end(), extra.begin(), extra.end());
  impl_->starts.push_back(static_cast<uint32_t>(impl_->words.size()));
  BtfAccess::show(*this);
  return end_id() - 1;
}

uint32_t BtfBuilder::add_type(std::span<const uint32_t> words) {
  return add_type(words[0], words[1], words[2], words.subspan(common_words));
}

void BtfBuilder::set_layout(std::vector<BtfKindLayout> layout) {
  impl_->layout = std::move(layout);
}

std::span<uint32_t> BtfBuilder::mutable_words(uint32_t id) {
  uint32_t i = id - first_id();
  return std::span(impl_->words).subspan(impl_->starts[i], impl_->starts[i + 1] - impl_->starts[i]);
}

std::expected<std::vector<std::byte>, Error> BtfBuilder::finish(std::endian order) const {
  TRY(impl_->check_limits());
  return write_blob(order, impl_->words, impl_->layout, impl_->strings.bytes());
}

}  // namespace bpflink
