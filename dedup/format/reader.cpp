// Reads a blob of BTF: the header (header.cpp), the sections, and where each type begins.
//
// All is checked here, once, so that no accessor needs to check. One pass over the type section
// finds where types begin and keeps the largest id and string offset, which are compared with their
// limits in the end (type_section.cpp). Only if that fails, a second pass finds and names the type
// at fault (check_types.cpp), so a good blob does not pay for messages.
#include "dedup/format/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "dedup/format/access.hpp"
#include "dedup/format/check_types.hpp"
#include "dedup/format/header.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/messages.hpp"
#include "dedup/try.hpp"

namespace bpflink {

namespace {

std::expected<void, Error> check_strings(std::string_view strings, bool is_split) {
  // A split blob may have no strings; offset 0 is the base's empty one.
  if (is_split && strings.empty()) return {};
  if (strings.empty()) return fail("string section is empty");
  if (!is_split && strings.front() != '\0') return fail("string section does not begin with NUL");
  if (strings.back() != '\0') return fail("string section does not end with NUL");
  return {};
}

}  // namespace

std::string_view btf_kind_name(BtfKind kind) {
  return is_known(kind) ? kind_row(kind).name : "UNKNOWN";
}

std::expected<std::vector<std::span<const std::byte>>, Error> find_btf_blobs(
    std::span<const std::byte> contents) {
  std::vector<std::span<const std::byte>> blobs;
  size_t begin = 0, next = 0;
  do {
    begin = next;
    auto rest = contents.subspan(begin);
    auto header = read_header(rest);
    if (!header && begin == 0) return std::vector{contents};
    if (!header)
      return fail("at offset {}, after a blob of BTF: {}", begin, header.error().message);
    size_t end = std::max({header->size, header->types_offset + header->types_size,
                           header->strings_offset + header->strings_size,
                           header->layout_offset + header->layout_size});
    blobs.push_back(rest.first(end));
    // Zeros pad to the next blob or the end.
    auto is_set = [](std::byte byte) { return byte != std::byte{0}; };
    auto set = std::ranges::find_if(rest.subspan(end), is_set);
    next = begin + end + static_cast<size_t>(set - rest.subspan(end).begin());
  } while (next < contents.size());
  return blobs;
}

Btf::Btf(std::shared_ptr<Impl> impl) : BtfView(impl->view), impl_(std::move(impl)) {}
Btf::Btf(Btf&&) noexcept = default;
Btf& Btf::operator=(Btf&&) noexcept = default;
Btf::~Btf() = default;

Btf share(const Btf& btf) {
  return BtfAccess::wrap(BtfAccess::impl(btf));
}

Btf copy(const Btf& btf) {
  auto impl = std::make_shared<BtfAccess::Impl>(*BtfAccess::impl(btf));
  impl->own_words.assign(btf.words().begin(), btf.words().end());
  impl->own_strings = btf.strings();
  impl->show(impl->own_words, impl->own_strings);
  return BtfAccess::wrap(std::move(impl));
}

std::expected<Btf, Error> join(const BtfBuilder& types, std::span<const BtfKindLayout> layout) {
  auto impl = std::make_shared<BtfAccess::Impl>();
  std::vector<const BtfView*> chain;
  for (const BtfView* view = &types; view != nullptr; view = view->base()) chain.push_back(view);
  for (const BtfView* view : chain | std::views::reverse) {
    impl->own_words.insert(impl->own_words.end(), view->words().begin(), view->words().end());
    impl->own_strings += view->strings();
  }
  if (impl->own_strings.size() > UINT32_MAX)
    return fail("string offsets, with those of the base, exceed 32 bits");
  impl->layout.assign(layout.begin(), layout.end());
  impl->show(impl->own_words, impl->own_strings);
  TRY(find_types(*impl));
  return BtfAccess::wrap(std::move(impl));
}

std::expected<Btf, Error> split_off(const Btf& btf, const Btf& base, bool borrow_strings) {
  if (btf.strings().size() > UINT32_MAX - base.string_end())
    return fail("string offsets, with those of the base, exceed 32 bits");
  auto split = std::make_shared<BtfAccess::Impl>(*BtfAccess::impl(btf));
  BtfAccess::Impl& impl = *split;
  impl.own_words.assign(btf.words().begin(), btf.words().end());
  if (!borrow_strings) impl.own_strings = btf.strings();
  uint32_t first_id = base.end_id(), string_base = base.string_end();
  for (uint32_t id = 1; id < impl.view.end_id(); ++id) {
    std::span<uint32_t> words =
        std::span(impl.own_words).subspan(impl.starts[id - 1], impl.view.words_of(id).size());
    if (!is_known(kind_of(words.data())))
      return fail(
          fmt::format("{} has unknown kind {}, which may refer to any type or string, so "
                      "it cannot be split from a base",
                      describe_type(btf, id), std::to_underlying(kind_of(words.data()))));
    for_each_string(words, [&](uint32_t& offset) { offset += offset != 0 ? string_base : 0; });
    for_each_reference(words, [&](uint32_t& ref) { ref += ref != 0 ? first_id - 1 : 0; });
  }
  for (uint32_t& id : impl.objects) id += first_id - 1;
  impl.base = &base;
  impl.show(impl.own_words, borrow_strings ? btf.strings() : std::string_view(impl.own_strings));
  return BtfAccess::wrap(std::move(split));
}

std::expected<Btf, Error> parse_without_cycle_check(std::span<const std::byte> blob,
                                                    const Btf* base) {
  auto header = TRY(read_header(blob));

  auto impl = std::make_shared<BtfAccess::Impl>();
  impl->base = base;
  impl->order = header.order;
  impl->layout = read_layout(blob, header);
  auto string_bytes = blob.subspan(header.strings_offset, header.strings_size);
  // The one place that casts bytes of the input. Characters may always be used in place; words only
  // if alignment and byte order agree.
  std::string_view strings(reinterpret_cast<const char*>(string_bytes.data()), string_bytes.size());
  TRY(check_strings(strings, base != nullptr));
  if (base != nullptr && strings.size() > UINT32_MAX - base->string_end())
    return fail("string offsets, with those of the base, exceed 32 bits");

  const std::byte* first = blob.data() + header.types_offset;
  if (header.order == std::endian::native &&
      reinterpret_cast<uintptr_t>(first) % alignof(uint32_t) == 0) {
    impl->show({reinterpret_cast<const uint32_t*>(first), header.types_size / 4}, strings);
  } else {
    impl->own_words.resize(header.types_size / 4);
    read_words(first, impl->own_words, header.order);
    impl->show(impl->own_words, strings);
  }
  TRY(find_types(*impl));
  return BtfAccess::wrap(std::move(impl));
}

std::expected<Btf, Error> Btf::parse(std::span<const std::byte> blob, const Btf* base) {
  auto btf = parse_without_cycle_check(blob, base);
  if (!btf) return btf;
  if (auto id = find_self_containing(*btf))
    return std::unexpected(contains_itself(describe_type(*btf, *id)));
  return btf;
}

std::endian Btf::byte_order() const {
  return impl_->order;
}

const Btf* Btf::base() const {
  return impl_->base;
}

std::span<const BtfKindLayout> Btf::layout() const {
  return impl_->layout;
}

}  // namespace bpflink
