// The rules of deduplication, one by one and often in pairs: types that must merge, and types that
// barely differ and must not.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "meaning.hpp"
#include "units.hpp"

namespace bpflink::test {

DedupResult dedup(const std::vector<const Unit*>& units) {
  Names names;
  std::vector<PlainInput> inputs;
  Deduplicator d;
  for (const Unit* unit : units) {
    auto blob = finish(unit->b);
    auto btf = Btf::parse(blob);
    REQUIRE(btf);
    d.add("unit", *btf);
    inputs.push_back({decode(blob, nullptr, names), {}});
  }
  auto result = d.run();
  REQUIRE(result);
  auto output = finish(result->types);
  REQUIRE(Btf::parse(output));
  std::vector<std::vector<uint32_t>> images;
  for (const TypeMap& map : result->type_maps) {
    images.emplace_back();
    for (uint32_t id = 0; id < map.end_id(); ++id) images.back().push_back(map[id]);
  }
  CHECK(find_fault(inputs, find_meaning(inputs, nullptr), images, decode(output, nullptr, names)) ==
        "");
  return std::move(*result);
}

uint32_t count(const DedupResult& result, BtfKind kind) {
  uint32_t count = 0;
  for (uint32_t id = 1; id < result.types.end_id(); ++id)
    count += result.types.type(id).kind() == kind;
  return count;
}

namespace {

/// struct outer { struct inner *p; }, and struct inner with a member of `size` bytes
Unit nested(uint32_t size) {
  Unit u;
  uint32_t number = u.integer("number", size);
  u.record("outer", {{"p", u.ptr(u.record("inner", {{"x", number}}))}});
  return u;
}

/// struct user { struct opaque *p; }, opaque only declared
Unit declaring() {
  Unit u;
  u.record("user", {{"p", u.ptr(u.fwd("opaque"))}});
  return u;
}

/// The same, with a definition
Unit defining(uint32_t size) {
  Unit u;
  uint32_t number = u.integer("number", size);
  u.record("user", {{"p", u.ptr(u.record("opaque", {{"x", number}}))}});
  return u;
}

}  // namespace

TEST_CASE("structs of one name that differ deep inside") {
  Unit four = nested(4), also_four = nested(4), eight = nested(8);
  CHECK(count(dedup({&four, &also_four}), BtfKind::Struct) == 2);
  auto apart = dedup({&four, &eight, &also_four});
  CHECK(count(apart, BtfKind::Struct) == 4);
  CHECK(count(apart, BtfKind::Ptr) == 2);
  CHECK(apart.type_maps[0][4] == apart.type_maps[2][4]);
  CHECK(apart.type_maps[0][4] != apart.type_maps[1][4]);
}

TEST_CASE("a declaration with no, one or two definitions") {
  Unit declares = declaring(), four = defining(4), eight = defining(8);
  CHECK(count(dedup({&declares}), BtfKind::Fwd) == 1);
  CHECK(count(dedup({&declares, &four}), BtfKind::Fwd) == 0);
  // It may be either, so it stays a declaration.
  auto apart = dedup({&four, &eight, &declares});
  CHECK(count(apart, BtfKind::Fwd) == 1);
  CHECK(count(apart, BtfKind::Struct) == 5);
}

TEST_CASE("a declaration beside the only definition of its own unit") {
  Unit both, eight = defining(8);
  uint32_t number = both.integer("number");
  both.record("opaque", {{"x", number}});
  uint32_t declared = both.fwd("opaque");
  uint32_t pointer = both.ptr(declared);
  auto result = dedup({&eight, &both});
  CHECK(count(result, BtfKind::Fwd) == 0);
  CHECK(result.type_maps[1][declared] == result.type_maps[1][number + 1]);
  CHECK(result.types.type(result.type_maps[1][pointer]).type() == result.type_maps[1][number + 1]);
}

TEST_CASE("a declaration of a struct that can reach an ambiguous tag") {
  // struct user -> struct middle -> struct opaque, which has two definitions
  auto make = [](uint32_t size, bool has_middle) {
    Unit u;
    uint32_t opaque =
        size ? u.record("opaque", {{"x", u.integer("number", size)}}) : u.fwd("opaque");
    uint32_t to_opaque = u.ptr(opaque);
    uint32_t middle = has_middle ? u.record("middle", {{"o", to_opaque}}) : u.fwd("middle");
    u.record("user", {{"m", u.ptr(middle)}, {"o", to_opaque}});
    return u;
  };
  Unit four = make(4, true), eight = make(8, true);
  Unit knows_four = make(4, false), knows_none = make(0, false), agrees = make(0, true);
  // A unit that knows which opaque it means knows its middle; the others do not.
  auto known = dedup({&four, &eight, &knows_four});
  CHECK(count(known, BtfKind::Fwd) == 0);
  CHECK(count(known, BtfKind::Struct) == 6);
  CHECK(count(dedup({&four, &eight, &knows_none}), BtfKind::Fwd) == 2);
  // Being only declared is a meaning of its own.
  auto declared = dedup({&four, &eight, &knows_none, &agrees});
  CHECK(count(declared, BtfKind::Fwd) == 1);
  CHECK(count(declared, BtfKind::Struct) == 8);
}

TEST_CASE("a declared union is not a struct") {
  Unit u, s;
  u.ptr(u.fwd("foo", true));
  s.ptr(s.record("foo", {}));
  auto result = dedup({&u, &s});
  CHECK(count(result, BtfKind::Fwd) == 1);
  CHECK(count(result, BtfKind::Ptr) == 2);
}

TEST_CASE("structs that refer to each other, including through prototypes") {
  auto make = [](uint32_t size) {
    Unit u;
    u.record("a", {{"b", 2}, {"n", 6}});
    u.ptr(3);
    u.record("b", {{"f", 4}});
    u.ptr(5);
    u.add(BtfKind::FuncProto, "", 0, {u.b.add_string("p"), 7}, 1);
    u.integer("n", size);
    u.ptr(1);
    return u;
  };
  Unit x = make(4), y = make(4), z = make(8);
  CHECK(dedup({&x, &y}).types.end_id() == x.b.end_id());
  CHECK(dedup({&x, &z}).types.end_id() == 2 * x.b.end_id() - 1);
}

TEST_CASE("typedefs in a cycle through a pointer, entered anywhere") {
  auto make = [](bool rotated) {
    Unit u;
    if (rotated) {
      u.ptr(2);
      u.add(BtfKind::Typedef, "t", 1);
    } else {
      u.add(BtfKind::Typedef, "t", 2);
      u.ptr(1);
    }
    return u;
  };
  Unit a = make(false), b = make(true);
  CHECK(dedup({&a, &b}).types.end_id() == 3);
  Unit c;
  c.add(BtfKind::Typedef, "t", 2);
  c.ptr(3);
  c.add(BtfKind::Typedef, "other", 2);
  CHECK(dedup({&a, &c}).types.end_id() > 4);
}

TEST_CASE("anonymous structs and unions, in arrays and members") {
  auto make = [](BtfKind kind, const char* member) {
    Unit u;
    uint32_t n = u.integer("int");
    u.array(u.record("", {{member, n}}, kind), n, 4);
    return u;
  };
  Unit a = make(BtfKind::Struct, "x"), b = make(BtfKind::Struct, "x");
  Unit c = make(BtfKind::Union, "x"), d = make(BtfKind::Struct, "y");
  CHECK(dedup({&a, &b}).types.end_id() == 4);
  CHECK(count(dedup({&a, &c}), BtfKind::Array) == 2);
  CHECK(count(dedup({&a, &d}), BtfKind::Array) == 2);
}

TEST_CASE("the same type twice in one unit") {
  Unit u;
  uint32_t n = u.integer("int");
  u.array(n, n, 3);
  u.array(n, n, 3);
  u.ptr(n);
  u.ptr(n);
  u.record("", {{"x", n}});
  u.record("", {{"x", n}});
  CHECK(dedup({&u}).types.end_id() == 5);
}

TEST_CASE("tags on members, parameters and types") {
  auto make = [](uint32_t component, const char* tag, bool flag) {
    Unit u;
    uint32_t n = u.integer("int");
    uint32_t s = u.record("s", {{"x", n}, {"y", n}});
    u.add(BtfKind::DeclTag, tag, s, {component}, 0, flag);
    u.ptr(u.add(BtfKind::TypeTag, tag, u.add(BtfKind::TypeTag, "inner", n), {}, 0, flag));
    return u;
  };
  Unit a = make(0, "t", false), b = make(0, "t", false);
  Unit other_member = make(1, "t", false), whole = make(UINT32_MAX, "t", false);
  Unit other_tag = make(0, "u", false), attribute = make(0, "t", true);
  CHECK(dedup({&a, &b}).types.end_id() == a.b.end_id());
  CHECK(count(dedup({&a, &other_member}), BtfKind::DeclTag) == 2);
  CHECK(count(dedup({&a, &whole}), BtfKind::DeclTag) == 2);
  CHECK(count(dedup({&a, &other_tag}), BtfKind::TypeTag) == 3);
  auto flagged = dedup({&a, &attribute});
  CHECK(count(flagged, BtfKind::DeclTag) == 2);
  CHECK(count(flagged, BtfKind::TypeTag) == 3);
  CHECK(count(flagged, BtfKind::Ptr) == 2);
}

TEST_CASE("bitfields with and without kind_flag") {
  auto make = [](bool flag, uint32_t offset) {
    Unit u;
    u.record("s", {{"x", u.integer("int"), offset}}, BtfKind::Struct, flag);
    return u;
  };
  Unit plain = make(false, 0), same = make(false, 0), flagged = make(true, 0);
  Unit three_bits = make(true, 3u << 24), five_bits = make(true, 5u << 24);
  CHECK(count(dedup({&plain, &same}), BtfKind::Struct) == 1);
  CHECK(count(dedup({&plain, &flagged}), BtfKind::Struct) == 2);
  CHECK(count(dedup({&three_bits, &five_bits}), BtfKind::Struct) == 2);
}

TEST_CASE("integers with the old offset and bits") {
  Unit whole, part, also_part;
  whole.add(BtfKind::Int, "int", 4, {0x01000020});
  part.add(BtfKind::Int, "int", 4, {0x01020004});
  also_part.add(BtfKind::Int, "int", 4, {0x01020004});
  CHECK(dedup({&part, &also_part}).types.end_id() == 2);
  CHECK(dedup({&whole, &part}).types.end_id() == 3);
}

TEST_CASE("enums: values, sign, width and declarations") {
  auto make = [](uint32_t value, bool is_signed) {
    Unit u;
    u.ptr(u.enumeration("e", {{"A", value}}, is_signed));
    return u;
  };
  Unit a = make(1, false), b = make(1, false), value = make(2, false), sign = make(1, true);
  CHECK(dedup({&a, &b}).types.end_id() == 3);
  CHECK(count(dedup({&a, &value}), BtfKind::Enum) == 2);
  CHECK(count(dedup({&a, &sign}), BtfKind::Ptr) == 2);
  Unit wide, declared;
  wide.add(BtfKind::Enum64, "e", 8, {wide.b.add_string("A"), 1, 0}, 1);
  declared.ptr(declared.enumeration("e", {}));
  CHECK(dedup({&a, &wide}).types.end_id() == 4);
  CHECK(dedup({&a, &declared}).types.end_id() == 3);
  CHECK(count(dedup({&declared, &wide}), BtfKind::Enum64) == 1);
  CHECK(count(dedup({&declared, &wide}), BtfKind::Enum) == 0);
}

TEST_CASE("functions merge, but not across linkage; variables never") {
  auto make = [](uint32_t linkage) {
    Unit u;
    uint32_t n = u.integer("int");
    u.add(BtfKind::Func, "f", u.add(BtfKind::FuncProto, "", n), {}, linkage);
    uint32_t var = u.add(BtfKind::Var, "v", n, {1});
    u.add(BtfKind::Datasec, ".data", 4, {var, 0, 4}, 1);
    return u;
  };
  Unit global = make(1), also_global = make(1), local = make(0);
  auto same = dedup({&global, &also_global});
  CHECK(count(same, BtfKind::Func) == 1);
  CHECK(count(same, BtfKind::Var) == 2);
  CHECK(count(same, BtfKind::Datasec) == 2);
  CHECK(count(dedup({&global, &local}), BtfKind::Func) == 2);
}

TEST_CASE("types of a base are used and do not change") {
  Unit base_unit;
  uint32_t n = base_unit.integer("int");
  base_unit.ptr(n);
  uint32_t foo = base_unit.record("foo", {{"x", n}});
  uint32_t opaque = base_unit.fwd("opaque");
  uint32_t to_opaque = base_unit.ptr(opaque);
  auto base_blob = base_unit.b.finish(std::endian::native);
  auto base = Btf::parse(*base_blob);
  REQUIRE(base);

  BtfBuilder split(&*base);
  uint32_t own = split.add_type(split.add_string("own"), BtfBuilder::info(BtfKind::Typedef), foo);
  uint32_t copy = split.add_type(0, BtfBuilder::info(BtfKind::Ptr), n);
  uint32_t definition =
      split.add_type(split.add_string("opaque"), BtfBuilder::info(BtfKind::Struct), 16);
  uint32_t pointer = split.add_type(0, BtfBuilder::info(BtfKind::Ptr), definition);
  auto blob = split.finish(std::endian::native);
  auto btf = Btf::parse(*blob, &*base);
  REQUIRE(btf);
  Deduplicator d({.base = &*base});
  d.add("module", *btf);
  auto result = d.run();
  REQUIRE(result);
  const TypeMap& map = result->type_maps[0];
  CHECK(map[foo] == foo);
  CHECK(map[copy] == 2);
  CHECK(map[own] == base->end_id());
  // The base only declares it, and must not change.
  CHECK(map[definition] == base->end_id() + 1);
  CHECK(map[pointer] != to_opaque);
  CHECK(result->types.type(map[pointer]).type() == map[definition]);
}

/// A blob with types of unknown kinds, which refer to types and strings in their words: possible
/// forms of LOC_PARAM, LOC_PROTO and LOCSEC, and one more. Some types and strings occur twice.
std::vector<std::byte> with_unknown_kinds(const Btf* base = nullptr) {
  constexpr uint32_t loc_param = 20, loc_proto = 21, locsec = 22, other = 40;
  BtfBuilder b(base);
  auto info = [](uint32_t kind, uint32_t vlen) { return kind << 24 | vlen; };
  uint32_t first = b.first_id();
  b.add_type(b.add_string("unused by any type that is known"), info(other, 0), 0,
             std::vector<uint32_t>{b.add_string("neither")});
  b.add_type(b.add_string("number"), BtfBuilder::info(BtfKind::Int), 4, std::vector<uint32_t>{32});
  for (int copy = 0; copy < 2; ++copy) {
    uint32_t parameter = b.add_type(0, info(loc_param, 1), 0, std::vector<uint32_t>{1, 7});
    uint32_t prototype = b.add_type(0, info(loc_proto, 2), 0, std::vector{parameter, parameter});
    b.add_type(b.add_string(".loc"), info(locsec, 1), 0,
               std::vector<uint32_t>{first + 1, prototype, 16});
  }
  std::vector<BtfKindLayout> layout(41);
  layout[loc_param] = {4, 4, 0};
  layout[loc_proto] = {0, 4, 0};
  layout[locsec] = {0, 12, 0};
  layout[other] = {4, 0, 0};
  b.set_layout(layout);
  return finish(b);
}

std::expected<DedupResult, Error> dedup_blobs(const std::vector<std::vector<std::byte>>& blobs,
                                              const Btf* base = nullptr) {
  Deduplicator d({.base = base});
  for (size_t i = 0; i < blobs.size(); ++i)
    d.add("input" + std::to_string(i), *Btf::parse(blobs[i], base));
  return d.run();
}

TEST_CASE("types of unknown kinds stay if no id changes") {
  auto blob = with_unknown_kinds();
  auto result = dedup_blobs({blob});
  REQUIRE(result);
  CHECK(finish(result->types) == blob);

  Unit more;
  more.integer("number");
  more.integer("later");
  auto both = dedup_blobs({blob, finish(more.b)});
  REQUIRE(both);
  auto output = both->types.finish(std::endian::native);
  auto before = Btf::parse(blob), after = Btf::parse(*output);
  REQUIRE(after);
  CHECK(after->strings().starts_with(before->strings()));
  CHECK(after->layout().size() == 41);
  REQUIRE(after->end_id() >= before->end_id());
  for (uint32_t id = 1; id < before->end_id(); ++id)
    CHECK(std::ranges::equal(after->type(id).words(), before->type(id).words()));
}

TEST_CASE("types of unknown kinds in split BTF stay as well") {
  Unit first;
  first.integer("int");
  auto base_blob = finish(first.b);
  auto base = Btf::parse(base_blob);
  auto blob = with_unknown_kinds(&*base);
  auto result = dedup_blobs({blob}, &*base);
  REQUIRE(result);
  CHECK(finish(result->types) == blob);

  // As libbpf writes it, without an empty string of its own
  std::vector<std::byte> bare = blob;
  uint32_t strings_offset = 0, strings_size = 0;
  std::memcpy(&strings_offset, &bare[16], sizeof strings_offset);
  std::memcpy(&strings_size, &bare[20], sizeof strings_size);
  bare.erase(bare.begin() + 32 + strings_offset);
  --strings_size;
  std::memcpy(&bare[20], &strings_size, sizeof strings_size);
  auto with_empty = Btf::parse(blob, &*base);
  for (uint32_t id = base->end_id(), at = 32; id < with_empty->end_id(); ++id) {
    uint32_t name = with_empty->type(id).name_off();
    if (name != 0) --name;
    std::memcpy(&bare[at], &name, sizeof name);
    at += static_cast<uint32_t>(with_empty->type(id).words().size_bytes());
  }
  auto before = Btf::parse(bare, &*base);
  REQUIRE(before);
  auto again = dedup_blobs({bare}, &*base);
  REQUIRE(again);
  auto output = again->types.finish(std::endian::native);
  auto after = Btf::parse(*output, &*base);
  REQUIRE(after);
  CHECK(after->strings().starts_with(before->strings()));
  for (uint32_t id = base->end_id(); id < before->end_id(); ++id) {
    CHECK(std::ranges::equal(after->type(id).extra(), before->type(id).extra()));
    CHECK(after->name(after->type(id)) == before->name(before->type(id)));
  }
}

TEST_CASE("a split blob shares the layout of its base") {
  auto base_blob = with_unknown_kinds();
  auto base = Btf::parse(base_blob);
  BtfBuilder b(&*base);
  b.add_type(b.add_string("odd"), 40u << 24, 0, std::vector<uint32_t>{1});
  auto blob = finish(b);
  auto btf = Btf::parse(blob, &*base);
  REQUIRE(btf);
  CHECK(btf->layout().empty());
  CHECK(btf->type(base->end_id()).words().size() == 4);
  auto result = dedup_blobs({blob}, &*base);
  REQUIRE(result);
  CHECK(finish(result->types) == blob);
}

TEST_CASE("ids to which unknown kinds may refer never change") {
  auto odd = with_unknown_kinds();
  Unit more;
  more.integer("more");
  auto blob = finish(more.b);
  std::string what = " has unknown kind 40, which may refer to any type or string, and type [1] ";
  std::string name = "type [1] 'unused by any type that is known'";
  auto second = dedup_blobs({blob, odd});
  REQUIRE(!second);
  CHECK(second.error().message == "input1: " + name + what + "would become [2]");
  auto twice = dedup_blobs({odd, odd});
  REQUIRE(!twice);
  CHECK(twice.error().message == "input1: " + name + what + "would become [9]");

  Deduplicator d;
  std::vector<bool> omit(9);
  omit[1] = true;
  d.add("input", *Btf::parse(odd), omit);
  auto omitted = d.run();
  REQUIRE(!omitted);
  CHECK(omitted.error().message.ends_with("type [1] would be omitted"));
}

TEST_CASE("an input that is split from another base is an error") {
  auto blob_of = [](uint32_t count, const Btf* base) {
    BtfBuilder b(base);
    for (uint32_t i = 0; i < count; ++i)
      b.add_type(b.add_string("t" + std::to_string(i)), BtfBuilder::info(BtfKind::Int), 4,
                 std::array{32u});
    return *b.finish(std::endian::native);
  };
  std::vector<std::byte> small_blob = blob_of(1, nullptr), large_blob = blob_of(9, nullptr);
  Btf small = *Btf::parse(small_blob), large = *Btf::parse(large_blob);
  std::vector<std::byte> split_blob = blob_of(3, &large);
  Btf split = *Btf::parse(split_blob, &large);
  auto error_of = [](const Btf& input, const Btf* base) {
    Deduplicator d({.base = base});
    d.add("input", input);
    auto result = d.run();
    return result ? "" : result.error().message;
  };
  CHECK(error_of(split, &large).empty());
  CHECK(error_of(split, nullptr) == "input: is split, and no base is given");
  CHECK(error_of(split, &small) == "input: is not split from the given base");
  CHECK(error_of(small, &large) == "input: is not split from the given base");
}

TEST_CASE("an object that stays may not refer to an omitted type") {
  BtfBuilder b;
  uint32_t number =
      b.add_type(b.add_string("int"), BtfBuilder::info(BtfKind::Int), 4, std::array{32u});
  uint32_t var =
      b.add_type(b.add_string("v"), BtfBuilder::info(BtfKind::Var), number, std::array{1u});
  uint32_t section = b.add_type(b.add_string(".data"), BtfBuilder::info(BtfKind::Datasec, 1), 4,
                                std::array{var, 0u, 4u});
  std::vector<std::byte> blob = *b.finish(std::endian::native);
  for (auto [omitted, message] :
       {std::pair{number,
                  "input: type [2] VAR 'v': refers to type [1] INT 'int', which is omitted"},
        {var, "input: type [3] DATASEC '.data': refers to type [2] VAR 'v', which is omitted"}})
    for (unsigned threads : {1, 2}) {
      Deduplicator d({.threads = threads});
      std::vector<bool> omit(section + 1);
      omit[omitted] = true;
      d.add("input", *Btf::parse(blob), omit);
      auto result = d.run();
      REQUIRE(!result);
      CHECK(result.error().message == std::string_view(message));
    }
}

TEST_CASE("a vlen above 0xffff needs no layout if an input has it") {
  BtfBuilder b;
  constexpr uint32_t vlen = 70'000;
  uint32_t name = b.add_string("wide");
  std::vector<uint32_t> values;
  for (uint32_t i = 0; i < vlen; ++i) values.insert(values.end(), {name, i});
  uint32_t info = BtfBuilder::info(BtfKind::Enum, vlen);
  b.add_type(name, info, 4, values);
  CHECK(!b.finish(std::endian::native));  // the wide form was not requested
  b.set_layout(std::vector<BtfKindLayout>(1));
  auto with_layout = finish(b);

  // The same without a layout: a header of 24 bytes
  std::vector<std::byte> blob = with_layout;
  uint32_t strings_offset = 0;
  std::memcpy(&strings_offset, &blob[16], sizeof strings_offset);
  blob.erase(blob.begin() + 32 + strings_offset - 4, blob.begin() + 32 + strings_offset);
  strings_offset -= 4;
  std::memcpy(&blob[16], &strings_offset, sizeof strings_offset);
  blob.erase(blob.begin() + 24, blob.begin() + 32);
  uint32_t header_size = 24;
  std::memcpy(&blob[4], &header_size, sizeof header_size);
  auto result = dedup_blobs({blob, blob});
  REQUIRE(result);
  auto output = finish(result->types);
  CHECK(output == blob);
}

TEST_CASE("types are sorted by name on request") {
  Unit unit;
  uint32_t zebra = unit.integer("zebra");
  uint32_t to_apple = unit.ptr(4);
  unit.record("apple", {{"stripes", zebra}, {"next", to_apple}});
  uint32_t apple = unit.add(BtfKind::Typedef, "apple", 3);
  uint32_t to_zebra = unit.ptr(zebra);
  unit.add(BtfKind::Typedef, "Zebra", to_zebra);
  CHECK(apple == 4);
  auto blob = finish(unit.b);
  auto before = Btf::parse(blob);
  CHECK(!is_sorted_by_name(*before));
  for (bool again : {false, true}) {
    Deduplicator d({.sort = true});
    d.add("a", *before);
    if (again) d.add("b", *before);
    auto result = d.run();
    REQUIRE(result);
    auto output = finish(result->types);
    auto after = Btf::parse(output);
    REQUIRE(after);
    CHECK(is_sorted_by_name(*after));
    std::vector<std::string> names;
    for (uint32_t id = 1; id < after->end_id(); ++id)
      names.emplace_back(after->name(after->type(id)));
    CHECK(names == std::vector<std::string>{"", "", "Zebra", "apple", "apple", "zebra"});
    // Types of one name keep their order, and references follow.
    const TypeMap& map = result->type_maps.back();
    CHECK(map[to_apple] == 1);
    CHECK(map[to_zebra] == 2);
    CHECK(map[3] == 4);
    CHECK(map[apple] == 5);
    CHECK(after->type(1).type() == 5);
    CHECK(after->type(2).type() == 6);
    CHECK(after->type(4).member(1).type == 1);
  }
}

TEST_CASE("concatenated blobs are found") {
  auto blob = [](const char* name, std::endian order) {
    Unit unit;
    unit.integer(name);
    return *unit.b.finish(order);
  };
  auto a = blob("a", std::endian::little), b = blob("second", std::endian::big);
  for (size_t padding : {0, 1, 7, 100}) {
    std::vector<std::byte> all = a;
    all.insert(all.end(), padding, std::byte{0});
    size_t second = all.size();
    all.insert(all.end(), b.begin(), b.end());
    all.insert(all.end(), padding, std::byte{0});
    auto blobs = find_btf_blobs(all);
    REQUIRE(blobs);
    REQUIRE(blobs->size() == 2);
    CHECK(std::ranges::equal((*blobs)[0], a));
    CHECK(std::ranges::equal((*blobs)[1], b));
    all[second + 2] = std::byte{9};
    blobs = find_btf_blobs(all);
    REQUIRE(!blobs);
    CHECK(blobs.error().message ==
          "at offset " + std::to_string(second) + ", after a blob of BTF: BTF version 9 is not 1");
  }
  // The parser reports what is wrong with the first blob.
  std::vector<std::byte> bad(7);
  CHECK(find_btf_blobs(bad)->size() == 1);
  CHECK(find_btf_blobs({})->size() == 1);
}

TEST_CASE("a blob that is not split from the given base is an error") {
  Unit first, second;
  for (const char* name : {"one", "two", "three", "four"}) first.integer(name);
  for (const char* name : {"longer_name", "x", "another"}) second.integer(name);
  auto base_blob = finish(first.b);
  auto other_blob = finish(second.b);
  auto base = Btf::parse(base_blob), other = Btf::parse(other_blob);
  auto error = [](const std::vector<std::byte>& blob, const Btf& given) {
    auto btf = Btf::parse(blob, &given);
    REQUIRE(!btf);
    CHECK(btf.error().message.starts_with("is not split from the given base: "));
    return btf.error().message;
  };
  CHECK(error(base_blob, *base) == "is not split from the given base: it stands alone");

  BtfBuilder split(&*base);
  split.add_type(split.add_string("a_name_of_the_module"), BtfBuilder::info(BtfKind::Typedef), 4);
  auto split_blob = finish(split);
  REQUIRE(Btf::parse(split_blob, &*base));
  error(split_blob, *other);
}

}  // namespace bpflink::test
