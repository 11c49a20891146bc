// Btf::parse and BtfBuilder: parsing returns what was built. tests/messages has the errors.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "bpflink/btf.hpp"
#include "units.hpp"

using namespace bpflink;
using namespace bpflink::test;

namespace {

std::string error_of(const std::vector<std::byte>& blob) {
  auto btf = Btf::parse(blob);
  REQUIRE(!btf);
  return btf.error().message;
}

/// One type of each kind
BtfBuilder every_kind() {
  Unit u;
  u.integer("int");
  u.ptr(1);
  u.array(1, 1, 7);
  u.record("s", {{"x", 1, 0}, {"y", 2, 32}});
  u.record("u", {{"x", 1, 3u << 24}}, BtfKind::Union, true);
  u.enumeration("e", {{"x", 5}});
  u.fwd("f", true);
  u.add(BtfKind::Typedef, "t", 4);
  u.add(BtfKind::Volatile, "", 1);
  u.add(BtfKind::Const, "", 1);
  u.add(BtfKind::Restrict, "", 2);
  u.function("fn", 13, BtfLinkage::Global);
  u.prototype(1, {"x"}, 1);
  u.add(BtfKind::Var, "v", 1, {2});
  u.add(BtfKind::Datasec, ".data", 4, {14, 0, 4}, 1);
  u.add(BtfKind::Float, "double", 8);
  u.tag("tag", 4, 1);
  u.add(BtfKind::TypeTag, "user", 1);
  u.add(BtfKind::Enum64, "e64", 8, {u.b.add_string("x"), 1, 2}, 1, true);
  return std::move(u.b);
}

}  // namespace

TEST_CASE("every kind is parsed in both byte orders") {
  BtfBuilder b = every_kind();
  for (std::endian order : {std::endian::little, std::endian::big}) {
    auto blob = finish(b, order);
    auto btf = Btf::parse(blob);
    REQUIRE(btf);
    CHECK(btf->byte_order() == order);
    REQUIRE(btf->end_id() == 20);
    for (uint32_t id = 1; id < 20; ++id) {
      CHECK(btf->type(id).kind() == BtfKind(id));
      CHECK(std::ranges::equal(btf->type(id).words(), b.type(id).words()));
      CHECK(btf->name(btf->type(id)) == b.name(b.type(id)));
    }
    CHECK(btf->type(5).member_bitfield_size(0) == 3);
    CHECK(btf->type(19).enumerator(0).value == (uint64_t{2} << 32 | 1));
    CHECK(btf->type(17).component_idx() == 1);
  }
}

TEST_CASE("an unaligned blob is parsed from a copy") {
  auto blob = finish(every_kind());
  std::vector<std::byte> shifted(blob.size() + 1);
  std::memcpy(shifted.data() + 1, blob.data(), blob.size());
  auto btf = Btf::parse(std::span(shifted).subspan(1));
  REQUIRE(btf);
  CHECK(btf->end_id() == 20);
}

TEST_CASE("an unknown kind needs a layout") {
  BtfBuilder b;
  b.add_type(b.add_string("new"), 25u << 24 | 2, 0, std::vector<uint32_t>{1, 2, 3});
  CHECK(error_of(finish(b)).find("has unknown kind 25") != std::string::npos);
  std::vector<BtfKindLayout> layout(26);
  layout[25] = {4, 4, 0};
  b.set_layout(layout);
  auto blob = finish(b);
  auto btf = Btf::parse(blob);
  REQUIRE(btf);
  CHECK(btf->type(1).words().size() == 6);
  CHECK(std::ranges::equal(btf->layout(), layout));
}

TEST_CASE("a layout section is written between types and strings, and parsed anywhere") {
  BtfBuilder b = every_kind();
  b.set_layout(std::vector<BtfKindLayout>(20, BtfKindLayout{4, 8, 1}));
  for (std::endian order : {std::endian::little, std::endian::big}) {
    auto blob = finish(b, order);
    auto word = [&](size_t at) -> uint32_t {
      uint32_t value = 0;
      std::memcpy(&value, &blob[at], sizeof value);
      return order == std::endian::native ? value : __builtin_bswap32(value);
    };
    auto put = [&](std::vector<std::byte>& to, size_t at, uint32_t value) {
      if (order != std::endian::native) value = __builtin_bswap32(value);
      std::memcpy(&to[at], &value, sizeof value);
    };
    constexpr size_t header_size = 32;
    REQUIRE(word(4) == header_size);
    uint32_t types_size = word(12), strings_size = word(20), layout_size = word(28);
    CHECK(word(8) == 0);
    CHECK(word(24) == types_size);
    CHECK(word(16) == types_size + layout_size);
    CHECK(layout_size == 80);
    CHECK(blob.size() == header_size + types_size + layout_size + strings_size);

    // The same sections in any order; strings are padded if a section follows them.
    struct Section {
      size_t field;
      uint32_t begin, size;
    };
    std::vector<Section> sections{
        {8, 0, types_size}, {16, word(16), strings_size}, {24, types_size, layout_size}};
    std::ranges::sort(sections, {}, &Section::field);
    do {
      std::vector<std::byte> other(blob.begin(), blob.begin() + header_size);
      for (const Section& section : sections) {
        other.resize((other.size() + 3) / 4 * 4);
        put(other, section.field, static_cast<uint32_t>(other.size() - header_size));
        auto from = blob.begin() + header_size + section.begin;
        other.insert(other.end(), from, from + section.size);
      }
      auto btf = Btf::parse(other);
      REQUIRE(btf);
      CHECK(btf->end_id() == 20);
      CHECK(btf->name(btf->type(4)) == "s");
      CHECK(std::ranges::equal(btf->layout(), std::vector<BtfKindLayout>(20, {4, 8, 1})));
    } while (std::ranges::next_permutation(sections, {}, &Section::field).found);
  }
}

TEST_CASE("the kernel's limits are checked on output") {
  BtfBuilder b;
  for (int i = 0; i < 0x100000; ++i) b.add_type(0, BtfBuilder::info(BtfKind::Ptr), 0);
  auto blob = b.finish(std::endian::native);
  REQUIRE(!blob);
  CHECK(blob.error().message ==
        "1048576 types are more than the kernel's limit of 1048575; 1048576 of them are of kind "
        "PTR");
}
