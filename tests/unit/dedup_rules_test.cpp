// The rules of deduplication, one by one and often in pairs: types that must merge, and types that
// barely differ and must not.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <map>
#include <sstream>

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

/// A unit as text: types separated by ';', each a kind, its name or '-', its size or type, and its
/// other words, names among them. A kind in capitals has the kind flag.
Unit unit_of(const std::string& text) {
  static const std::map<std::string, BtfKind> kinds = {
      {"int", BtfKind::Int},          {"ptr", BtfKind::Ptr},          {"array", BtfKind::Array},
      {"struct", BtfKind::Struct},    {"union", BtfKind::Union},      {"enum", BtfKind::Enum},
      {"fwd", BtfKind::Fwd},          {"typedef", BtfKind::Typedef},  {"func", BtfKind::Func},
      {"proto", BtfKind::FuncProto},  {"var", BtfKind::Var},          {"datasec", BtfKind::Datasec},
      {"decl_tag", BtfKind::DeclTag}, {"type_tag", BtfKind::TypeTag}, {"enum64", BtfKind::Enum64}};
  static const std::map<BtfKind, uint32_t> words_of_element = {
      {BtfKind::Struct, 3}, {BtfKind::Union, 3},     {BtfKind::Enum, 2},
      {BtfKind::Enum64, 3}, {BtfKind::FuncProto, 2}, {BtfKind::Datasec, 3}};
  Unit unit;
  std::istringstream types(text);
  for (std::string type; std::getline(types, type, ';');) {
    std::istringstream line(type);
    std::string kind, name, word;
    uint32_t third = 0;
    line >> kind >> name >> third;
    bool has_flag = std::isupper(kind[0]) != 0;
    std::ranges::transform(kind, kind.begin(), [](unsigned char c) { return std::tolower(c); });
    std::vector<uint32_t> words;
    while (line >> word)
      words.push_back(std::isalpha(word[0]) ? unit.b.add_string(word)
                                            : static_cast<uint32_t>(std::stoll(word, nullptr, 0)));
    BtfKind of = kinds.at(kind);
    auto size = words_of_element.find(of);
    uint32_t vlen =
        size == words_of_element.end() ? 0 : static_cast<uint32_t>(words.size()) / size->second;
    if (of == BtfKind::Func) vlen = std::exchange(words, {}).at(0);
    unit.add(of, name == "-" ? "" : name, third, words, vlen, has_flag);
  }
  return unit;
}

/// Units, and how many types of which kinds they become
struct Row {
  const char* what;
  std::vector<std::string> units;
  std::map<BtfKind, uint32_t> counts;
  uint32_t types;
};

const std::string four = "int number 4 32", eight = "int number 8 64";
/// struct outer { struct inner *p; }, and struct inner with a number
const std::string nested = ";struct inner 8 x 1 0;ptr - 2;struct outer 8 p 3 0";
/// struct user { struct opaque *p; }, declared, and with the definition
const std::string declares = "fwd opaque 0;ptr - 1;struct user 8 p 2 0";
const std::string defines = ";struct opaque 8 x 1 0;ptr - 2;struct user 8 p 3 0";
/// struct user -> struct middle -> struct opaque
const std::string knows_middle =
    ";struct opaque 8 x 1 0;ptr - 2;struct middle 8 o 3 0;ptr - 4;struct user 16 m 5 0 o 3 64";
const std::string declares_middle =
    ";struct opaque 8 x 1 0;ptr - 2;fwd middle 0;ptr - 4;struct user 16 m 5 0 o 3 64";
const std::string knows_nothing =
    "fwd opaque 0;ptr - 1;fwd middle 0;ptr - 3;struct user 16 m 4 0 o 2 64";
const std::string agrees =
    "fwd opaque 0;ptr - 1;struct middle 8 o 2 0;ptr - 3;struct user 16 m 4 0 o 2 64";
/// Structs that refer to each other, through a prototype
const std::string circle =
    "struct a 16 b 2 0 n 6 64;ptr - 3;struct b 8 f 4 0;ptr - 5;proto - 0 p 7;";
const std::string tags = "struct s 16 x 1 0 y 1 64;type_tag inner 1;";

const std::vector<Row> rows = {
    {"of one name, different deep inside", {four + nested, four + nested}, {}, 4},
    {"and apart", {four + nested, eight + nested, four + nested}, {{BtfKind::Struct, 4}}, 8},
    {"a declaration alone", {declares}, {{BtfKind::Fwd, 1}}, 3},
    {"with a definition", {declares, four + defines}, {{BtfKind::Fwd, 0}}, 4},
    {"with two it may be either, and stays",
     {four + defines, eight + defines, declares},
     {{BtfKind::Fwd, 1}, {BtfKind::Struct, 5}},
     11},
    {"beside the only definition of its own unit",
     {eight + defines, "int number 4 32;struct opaque 8 x 1 0;fwd opaque 0;ptr - 3"},
     {{BtfKind::Fwd, 0}},
     7},
    // A unit that knows which opaque it means knows its middle; the others do not.
    {"a struct that can reach an ambiguous tag",
     {four + knows_middle, eight + knows_middle, four + declares_middle},
     {{BtfKind::Fwd, 0}, {BtfKind::Struct, 6}},
     12},
    {"a unit that knows neither",
     {four + knows_middle, eight + knows_middle, knows_nothing},
     {{BtfKind::Fwd, 2}},
     17},
    {"being only declared is a meaning of its own",
     {four + knows_middle, eight + knows_middle, knows_nothing, agrees},
     {{BtfKind::Fwd, 1}, {BtfKind::Struct, 8}},
     17},
    {"a declared union is not a struct",
     {"Fwd foo 0;ptr - 1", "struct foo 0;ptr - 1"},
     {{BtfKind::Fwd, 1}},
     4},
    {"structs that refer to each other",
     {circle + "int n 4 32;ptr - 1", circle + "int n 4 32;ptr - 1"},
     {},
     7},
    {"and differ", {circle + "int n 4 32;ptr - 1", circle + "int n 8 64;ptr - 1"}, {}, 14},
    {"typedefs in a cycle, entered anywhere",
     {"typedef t 2;ptr - 1", "ptr - 2;typedef t 1"},
     {},
     2},
    {"and another", {"typedef t 2;ptr - 1", "typedef t 2;ptr - 3;typedef other 2"}, {}, 5},
    {"anonymous structs in arrays",
     {"int n 4 32;struct - 8 x 1 0;array - 0 2 1 4", "int n 4 32;struct - 8 x 1 0;array - 0 2 1 4"},
     {},
     3},
    {"of another kind, and with another member",
     {"int n 4 32;struct - 8 x 1 0;array - 0 2 1 4", "int n 4 32;union - 8 x 1 0;array - 0 2 1 4",
      "int n 4 32;struct - 8 y 1 0;array - 0 2 1 4"},
     {{BtfKind::Array, 3}},
     7},
    {"the same type twice in one unit",
     {"int n 4 32;array - 0 1 1 3;array - 0 1 1 3;ptr - 1;ptr - 1;struct - 8 x 1 0;struct - 8 x 1 "
      "0"},
     {},
     4},
    {"tags of members and types, with and without the flag",
     {"int n 4 32;" + tags + "decl_tag t 2 0;type_tag t 3;ptr - 5",
      "int n 4 32;" + tags + "decl_tag t 2 0;type_tag t 3;ptr - 5",
      "int n 4 32;" + tags + "decl_tag t 2 1;type_tag u 3;ptr - 5",
      "int n 4 32;" + tags + "decl_tag t 2 -1;type_tag t 3;ptr - 5",
      "int n 4 32;" + tags + "Decl_tag t 2 0;Type_tag t 3;ptr - 5"},
     {{BtfKind::DeclTag, 4}, {BtfKind::TypeTag, 4}, {BtfKind::Ptr, 3}},
     13},
    {"bit-fields, with and without the flag",
     {"int n 4 32;struct s 8 x 1 0", "int n 4 32;struct s 8 x 1 0", "int n 4 32;Struct s 8 x 1 0",
      "int n 4 32;Struct s 8 x 1 0x3000000", "int n 4 32;Struct s 8 x 1 0x5000000"},
     {{BtfKind::Struct, 4}},
     5},
    {"integers with the old offset and bits",
     {"int n 4 0x01000020", "int n 4 0x01020004", "int n 4 0x01020004"},
     {},
     2},
    {"enums: values and sign",
     {"enum e 4 A 1;ptr - 1", "enum e 4 A 1;ptr - 1", "enum e 4 A 2;ptr - 1",
      "Enum e 4 A 1;ptr - 1"},
     {{BtfKind::Enum, 3}},
     6},
    {"a declared enum", {"enum e 4 A 1;ptr - 1", "enum e 4;ptr - 1"}, {}, 2},
    {"of either width", {"enum e 4;ptr - 1", "enum64 e 8 A 1 0"}, {{BtfKind::Enum, 0}}, 2},
    {"functions merge, but not across linkage; variables never",
     {"int n 4 32;proto - 1;func f 2 1;var v 1 1;datasec d 4 4 0 4",
      "int n 4 32;proto - 1;func f 2 1;var v 1 1;datasec d 4 4 0 4",
      "int n 4 32;proto - 1;func f 2 0;var v 1 1;datasec d 4 4 0 4"},
     {{BtfKind::Func, 2}, {BtfKind::Var, 3}, {BtfKind::Datasec, 3}},
     10},
};

}  // namespace

TEST_CASE("which types merge, and which do not") {
  for (const Row& row : rows) {
    CAPTURE(row.what);
    std::vector<Unit> units;
    for (const std::string& text : row.units) units.push_back(unit_of(text));
    std::vector<const Unit*> inputs;
    for (const Unit& unit : units) inputs.push_back(&unit);
    DedupResult result = dedup(inputs);
    CHECK(result.types.end_id() - 1 == row.types);
    for (auto [kind, wanted] : row.counts) CHECK(count(result, kind) == wanted);
  }
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
