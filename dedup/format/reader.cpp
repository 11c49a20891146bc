// Reads a blob of BTF: the header, the sections, and where each type begins.
//
// Everything is checked here, once, so that no accessor needs to. The type
// section is walked in one pass that finds where each type starts and keeps the
// largest id and string offset seen, which are compared with their limits at
// the end (type_section.cpp). Only when that comparison fails does a second pass
// look for the type at fault, to name it (check_types.cpp); a good blob never
// pays for messages.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ranges>
#include <utility>

#include "dedup/format/builder.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/format/type_section.hpp"
#include "dedup/messages.hpp"
#include "dedup/run_threads.hpp"

namespace bpflink {

namespace {

constexpr uint16_t btf_magic = 0xeb9f;
constexpr uint8_t btf_version = 1;
constexpr size_t classic_header_size = 24;
constexpr size_t layout_header_size = 32;

/// The header with its offsets made relative to the blob's first byte.
struct Header {
  std::endian order;
  size_t size;
  size_t types_offset;
  size_t types_size;
  size_t strings_offset;
  size_t strings_size;
  size_t layout_offset;
  size_t layout_size;
};

/// Reads `count` words at `offset`, of whatever alignment and byte order.
void read_words(std::span<const std::byte> blob, size_t offset, std::span<uint32_t> words,
                std::endian order) {
  if (words.empty()) return;  // then data() may be null
  std::memcpy(words.data(), blob.data() + offset, words.size_bytes());
  if (order == std::endian::native) return;
  for (uint32_t& word : words) word = __builtin_bswap32(word);
}

std::expected<Header, Error> read_fields(std::span<const std::byte> blob, std::endian order) {
  uint32_t header_size = 0;
  read_words(blob, 4, {&header_size, 1}, order);
  if (header_size < classic_header_size)
    return fail(fmt::format("header length {} is less than {}", header_size, classic_header_size));
  if (header_size > blob.size())
    return fail(
        fmt::format("header length {} is more than the blob's {} bytes", header_size, blob.size()));

  // A header longer than we know is readable if what we do not know is unused.
  size_t known = header_size < layout_header_size ? classic_header_size : layout_header_size;
  for (size_t i = known; i < header_size; ++i)
    if (blob[i] != std::byte{0})
      return fail(fmt::format("unknown header field at offset {} is not zero", i));

  uint32_t fields[6] = {};
  read_words(blob, 8, {fields, (known - 8) / 4}, order);
  return Header{order,
                header_size,
                size_t{header_size} + fields[0],
                fields[1],
                size_t{header_size} + fields[2],
                fields[3],
                size_t{header_size} + fields[4],
                fields[5]};
}

std::expected<void, Error> check_section(const char* name, size_t offset, size_t size,
                                         size_t alignment, const Header& header, size_t blob_size) {
  if (offset > blob_size || size > blob_size - offset)
    return fail(fmt::format("{} section at offset {} with {} bytes exceeds the blob's {} bytes",
                            name, offset, size, blob_size));
  if ((offset - header.size) % alignment != 0 || size % alignment != 0)
    return fail(fmt::format("{} section at offset {} with {} bytes is not aligned to {}", name,
                            offset, size, alignment));
  return {};
}

std::expected<void, Error> check_sections(const Header& h, size_t blob_size) {
  struct Section {
    const char* name;
    size_t offset, size, alignment;
  };
  // Padding between sections is as good as none: the kernel refuses it, but
  // user-space tools write it and read it.
  Section sections[] = {{"type", h.types_offset, h.types_size, 4},
                        {"string", h.strings_offset, h.strings_size, 1},
                        {"layout", h.layout_offset, h.layout_size, 4}};
  for (const Section& s : sections)
    if (auto ok = check_section(s.name, s.offset, s.size, s.alignment, h, blob_size); !ok)
      return ok;
  std::ranges::sort(sections, {}, [](const Section& s) { return std::pair(s.offset, s.size); });
  for (int i = 0; i < 2; ++i)
    if (sections[i].offset + sections[i].size > sections[i + 1].offset)
      return fail(fmt::format("{} section at offset {} overlaps the {} section at offset {}",
                              sections[i].name, sections[i].offset, sections[i + 1].name,
                              sections[i + 1].offset));
  return {};
}

std::expected<Header, Error> read_header(std::span<const std::byte> blob) {
  if (blob.size() < classic_header_size)
    return fail(
        fmt::format("{} bytes are too few for a header of {}", blob.size(), classic_header_size));
  uint16_t magic = 0;
  std::memcpy(&magic, blob.data(), sizeof magic);
  std::endian order = std::endian::native;
  if (magic == __builtin_bswap16(btf_magic))
    order = order == std::endian::little ? std::endian::big : std::endian::little;
  else if (magic != btf_magic)
    return fail(fmt::format("not BTF: magic number is {:#06x}, not {:#06x}", magic, btf_magic));
  if (auto version = static_cast<uint8_t>(blob[2]); version != btf_version)
    return fail(fmt::format("BTF version {} is not {}", version, btf_version));

  auto header = read_fields(blob, order);
  if (!header) return header;
  if (auto ok = check_sections(*header, blob.size()); !ok) return std::unexpected(ok.error());
  return header;
}

std::expected<void, Error> check_strings(std::string_view strings, bool is_split) {
  // A split blob may add no string; offset 0 is then the base's empty one.
  if (is_split && strings.empty()) return {};
  if (strings.empty()) return fail("string section is empty");
  if (!is_split && strings.front() != '\0') return fail("string section does not begin with NUL");
  if (strings.back() != '\0') return fail("string section does not end with NUL");
  return {};
}

std::vector<BtfKindLayout> read_layout(std::span<const std::byte> section, std::endian order) {
  std::vector<BtfKindLayout> layout(section.size() / 4);
  for (size_t i = 0; i < layout.size(); ++i) {
    uint16_t flags = 0;
    std::memcpy(&flags, &section[4 * i + 2], sizeof flags);
    if (order != std::endian::native) flags = __builtin_bswap16(flags);
    layout[i] = {static_cast<uint8_t>(section[4 * i]), static_cast<uint8_t>(section[4 * i + 1]),
                 flags};
  }
  return layout;
}

}  // namespace

std::string_view btf_kind_name(BtfKind kind) {
  static constexpr std::array<std::string_view, known_kinds> names = {
      "VOID", "INT",     "PTR",      "ARRAY",    "STRUCT",   "UNION", "ENUM",
      "FWD",  "TYPEDEF", "VOLATILE", "CONST",    "RESTRICT", "FUNC",  "FUNC_PROTO",
      "VAR",  "DATASEC", "FLOAT",    "DECL_TAG", "TYPE_TAG", "ENUM64"};
  return is_known(kind) ? names[static_cast<size_t>(kind)] : "UNKNOWN";
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
      return fail(
          fmt::format("at offset {}, behind a blob of BTF: {}", begin, header.error().message));
    size_t end = std::max({header->size, header->types_offset + header->types_size,
                           header->strings_offset + header->strings_size,
                           header->layout_offset + header->layout_size});
    blobs.push_back(rest.first(end));
    // Zeros align what comes next, or the end.
    auto is_set = [](std::byte byte) { return byte != std::byte{0}; };
    auto set = std::ranges::find_if(rest.subspan(end), is_set);
    next = begin + end + static_cast<size_t>(set - rest.subspan(end).begin());
  } while (next < contents.size());
  return blobs;
}

struct BPFLINK_INTERNAL Btf::Impl {
  const Btf* base = nullptr;
  std::endian order = std::endian::native;
  TypeSection types;
  FoundTypes found;                 ///< what `types` shows, but for the words
  std::vector<uint32_t> own_words;  ///< what types.words shows, if not the blob
  std::string_view strings;
  std::string own_strings;  ///< what `strings` shows, if not the blob
  uint32_t string_base = 0;
  std::vector<BtfKindLayout> layout;
};

Btf::Btf(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Btf::Btf(Btf&&) noexcept = default;
Btf& Btf::operator=(Btf&&) noexcept = default;
Btf::~Btf() = default;

Btf share(const Btf& btf) {
  return Btf(btf.impl_);
}

Btf copy(const Btf& btf) {
  auto impl = std::make_shared<Btf::Impl>(*btf.impl_);
  impl->own_words.assign(impl->types.words.begin(), impl->types.words.end());
  impl->own_strings = impl->strings;
  impl->types = impl->found.show(impl->own_words, impl->types.first_id);
  impl->strings = impl->own_strings;
  return Btf(std::move(impl));
}

std::expected<Btf, Error> join(const Btf& base, const BtfBuilder& types,
                               std::span<const BtfKindLayout> layout, unsigned threads) {
  auto impl = std::make_shared<Btf::Impl>();
  std::vector<const Btf*> chain;
  for (const Btf* btf = &base; btf != nullptr; btf = btf->base()) chain.push_back(btf);
  auto append = [&](std::span<const uint32_t> words, std::string_view strings) {
    impl->own_words.insert(impl->own_words.end(), words.begin(), words.end());
    impl->own_strings += strings;
  };
  for (const Btf* btf : chain | std::views::reverse)
    append(type_section(*btf).words, btf->strings());
  append(type_section(types).words, string_section(types));
  if (impl->own_strings.size() > UINT32_MAX)
    return fail("string offsets, with those of the base, exceed 32 bits");
  impl->strings = impl->own_strings;
  impl->layout.assign(layout.begin(), layout.end());
  impl->types.words = impl->own_words;
  Btf btf(std::move(impl));
  TypeSection& section = btf.impl_->types;
  unsigned workers = choose_workers(section.words.size_bytes(), threads);
  if (auto ok = find_types(btf, section, btf.impl_->found, workers); !ok)
    return std::unexpected(ok.error());
  return btf;
}

std::expected<Btf, Error> split_off(const Btf& btf, const Btf& base) {
  if (btf.impl_->strings.size() > UINT32_MAX - base.string_end())
    return fail("string offsets, with those of the base, exceed 32 bits");
  Btf split = copy(btf);
  Btf::Impl& impl = *split.impl_;
  uint32_t first_id = base.end_id(), string_base = base.string_end();
  for (uint32_t id = 1; id < impl.types.end_id(); ++id) {
    std::span<uint32_t> words =
        std::span(impl.own_words)
            .subspan(impl.types.starts[id - 1], impl.types.words_of(id).size());
    if (!is_known(kind_of(words.data())))
      return fail(
          fmt::format("{} has unknown kind {}, which may refer to any type or string, and "
                      "types would go on from the base's",
                      describe_type(btf, id), std::to_underlying(kind_of(words.data()))));
    for_each_string(words, [&](uint32_t& offset) { offset += offset != 0 ? string_base : 0; });
    for_each_reference(words, [&](uint32_t& ref) { ref += ref != 0 ? first_id - 1 : 0; });
  }
  for (uint32_t& id : impl.found.objects) id += first_id - 1;
  impl.base = &base;
  impl.string_base = string_base;
  impl.types = impl.found.show(impl.own_words, first_id);
  return split;
}

std::expected<std::shared_ptr<Btf::Impl>, Error> Btf::read_sections(std::span<const std::byte> blob,
                                                                    const Btf* base) {
  auto header = read_header(blob);
  if (!header) return std::unexpected(header.error());

  auto impl = std::make_shared<Impl>();
  impl->base = base;
  impl->order = header->order;
  impl->layout =
      read_layout(blob.subspan(header->layout_offset, header->layout_size), header->order);
  auto strings = blob.subspan(header->strings_offset, header->strings_size);
  // The one place where bytes of the input become something else without a
  // copy: characters always may, words where alignment and byte order agree.
  impl->strings = {reinterpret_cast<const char*>(strings.data()), strings.size()};
  impl->string_base = base ? base->string_end() : 0;
  if (auto ok = check_strings(impl->strings, base != nullptr); !ok)
    return std::unexpected(ok.error());
  if (impl->strings.size() > UINT32_MAX - impl->string_base)
    return fail("string offsets, with those of the base, exceed 32 bits");

  const std::byte* first = blob.data() + header->types_offset;
  if (header->order == std::endian::native &&
      reinterpret_cast<uintptr_t>(first) % alignof(uint32_t) == 0) {
    impl->types.words = {reinterpret_cast<const uint32_t*>(first), header->types_size / 4};
  } else {
    impl->own_words.resize(header->types_size / 4);
    read_words(blob, header->types_offset, impl->own_words, header->order);
    impl->types.words = impl->own_words;
  }
  impl->types.first_id = base ? base->end_id() : 1;

  return impl;
}

std::expected<Btf, Error> parse_but_for_containment(std::span<const std::byte> blob,
                                                    const Btf* base, unsigned threads) {
  auto impl = Btf::read_sections(blob, base);
  if (!impl) return std::unexpected(impl.error());
  Btf btf(std::move(*impl));
  TypeSection& types = btf.impl_->types;
  unsigned workers = choose_workers(types.words.size_bytes(), threads);
  if (auto ok = find_types(btf, types, btf.impl_->found, workers); !ok)
    return std::unexpected(ok.error());
  return btf;
}

std::expected<Btf, Error> Btf::parse(std::span<const std::byte> blob, const Btf* base,
                                     unsigned threads) {
  auto btf = parse_but_for_containment(blob, base, threads);
  if (!btf) return btf;
  if (auto id = find_self_containing(btf->impl_->types))
    return std::unexpected(contains_itself(describe_type(*btf, *id)));
  return btf;
}

const TypeSection& type_section(const Btf& btf) {
  return btf.impl_->types;
}

std::endian Btf::byte_order() const {
  return impl_->order;
}

const Btf* Btf::base() const {
  return impl_->base;
}

uint32_t Btf::first_id() const {
  return impl_->types.first_id;
}

uint32_t Btf::end_id() const {
  return impl_->types.end_id();
}

BtfType Btf::type(uint32_t id) const {
  const Btf* btf = this;
  while (id < btf->impl_->types.first_id) btf = btf->impl_->base;
  return BtfType(btf->impl_->types.words_of(id));
}

std::string_view Btf::string(uint32_t offset) const {
  const Btf* btf = this;
  while (offset < btf->impl_->string_base) btf = btf->impl_->base;
  std::string_view strings = btf->impl_->strings;
  offset -= btf->impl_->string_base;
  return offset < strings.size() ? std::string_view(strings.data() + offset) : std::string_view();
}

std::string_view Btf::strings() const {
  return impl_->strings;
}

uint32_t Btf::string_end() const {
  return impl_->string_base + static_cast<uint32_t>(impl_->strings.size());
}

std::span<const BtfKindLayout> Btf::layout() const {
  return impl_->layout;
}

}  // namespace bpflink
