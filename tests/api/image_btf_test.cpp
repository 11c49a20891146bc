// The BTF of executable images, in C++: types from units, the rest from symbols
#include "bpflink/image_btf.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../unit/units.hpp"
#include "bpflink/btf_query.hpp"
#include "bpflink/print.hpp"

using namespace bpflink;
using namespace bpflink::test;

namespace {

/// The resulting BTF, one type a line
std::string listed(const ImageResult& result, const Btf* base = nullptr) {
  auto blob = finish(result.dedup.types);
  auto btf = *Btf::parse(blob, base);
  std::string text;
  for (uint32_t id = btf.first_id(); id < btf.end_id(); ++id) text += print_raw(btf, id);
  return text;
}

using Omitted = std::vector<std::pair<std::string, ImageOmission>>;

Omitted omitted(const ImageResult& result) {
  Omitted list;
  for (const OmittedSymbol& symbol : result.omitted) list.emplace_back(symbol.name, symbol.reason);
  return list;
}

}  // namespace

TEST_CASE("symbols select the functions") {
  Unit one, two;
  uint32_t number = one.integer("int");
  one.function("gone", one.prototype(0, {"never"}, number));
  one.function("kept", one.prototype(number, {"a", "b"}, number));
  one.function("declared", one.prototype(number, {""}, number));
  one.function("differs", one.prototype(number, {"a"}, number));
  one.function("weak", one.prototype(number, {"unused", "b"}, number));
  one.function("wrong", one.prototype(0, {""}, number));
  one.function("twice", one.prototype(0, {""}, number));
  one.function("cloned", one.prototype(0, {"a"}, number));
  one.function("extern", one.prototype(0, {"a"}, number), BtfLinkage::Extern);
  number = two.integer("int");
  two.function("wrong", two.prototype(number, {"right"}, number));
  two.function("twice", two.prototype(number, {"a"}, number));
  two.function("kept", two.prototype(number, {"", ""}, number));
  two.function("differs", two.prototype(0, {"a"}, number));
  two.function("weak", two.prototype(number, {"a", "b"}, number));
  two.function("extern", two.prototype(number, {"b"}, number));

  ImageDeduplicator image;
  REQUIRE(image.add_blob("one", finish(one.b)));
  REQUIRE(image.add_blob("two", finish(two.b)));
  auto result =
      image.run({.functions = {"weak", "wrong", "twice", "twice", "kept", "declared", "differs",
                               "unknown", "cloned.isra.0", "kept.cold", "extern", ""}});
  REQUIRE(result);
  CHECK(result->function_count == 5);
  CHECK(listed(*result) ==
        "[1] INT 'int' size=4 bits_offset=0 nr_bits=32 encoding=SIGNED\n"
        "[2] FUNC_PROTO '(anon)' ret_type_id=1 vlen=2\n\t'a' type_id=1\n\t'b' type_id=1\n"
        "[3] FUNC 'kept' type_id=2 linkage=static\n"
        "[4] FUNC_PROTO '(anon)' ret_type_id=1 vlen=1\n\t'arg1' type_id=1\n"
        "[5] FUNC 'declared' type_id=4 linkage=static\n"
        "[6] FUNC_PROTO '(anon)' ret_type_id=1 vlen=2\n\t'arg1' type_id=1\n\t'b' type_id=1\n"
        "[7] FUNC 'weak' type_id=6 linkage=static\n"
        "[8] FUNC_PROTO '(anon)' ret_type_id=1 vlen=1\n\t'right' type_id=1\n"
        "[9] FUNC 'wrong' type_id=8 linkage=static\n"
        "[10] FUNC_PROTO '(anon)' ret_type_id=1 vlen=1\n\t'b' type_id=1\n"
        "[11] FUNC 'extern' type_id=10 linkage=static\n");
  CHECK(omitted(*result) == Omitted{{"cloned.isra.0", ImageOmission::Clone},
                                    {"differs", ImageOmission::SeveralPrototypes},
                                    {"twice", ImageOmission::SeveralPrototypes}});
  CHECK(result->dedup.type_maps[0][5] == 3);
  CHECK(result->dedup.type_maps[1][7] == 3);
  CHECK(result->dedup.type_maps[0][3] == 0);
}

TEST_CASE("a definition that is not weak describes the function") {
  Unit weak, strong, other;
  uint32_t number = weak.integer("int");
  weak.function("f", weak.prototype(number, {"a"}, number));
  number = strong.integer("int");
  strong.function("f", strong.prototype(number, {"b", "c"}, number));
  number = other.integer("int");
  other.function("f", other.prototype(0, {"d"}, number));
  // add(UNIT, weak) for the units in this order
  auto found = [](std::vector<std::pair<Unit*, bool>> units) {
    ImageDeduplicator image;
    for (auto [unit, is_weak] : units) {
      REQUIRE(image.add_blob("unit", finish(unit->b)));
      if (is_weak) image.add_weak_function("f");
    }
    auto result = image.run({.functions = {"f"}});
    REQUIRE(result);
    return listed(*result);
  };
  constexpr const char* of_strong = "vlen=2\n\t'b' type_id=1\n\t'c' type_id=1\n[3] FUNC 'f'";
  CHECK(found({{&weak, true}, {&strong, false}}).find(of_strong) != std::string::npos);
  CHECK(found({{&strong, false}, {&other, true}, {&weak, true}}).find(of_strong) !=
        std::string::npos);
  CHECK(found({{&weak, true}}).find("vlen=1\n\t'a' type_id=1\n[3] FUNC 'f'") != std::string::npos);
  CHECK(found({{&weak, true}, {&other, true}}).find("FUNC 'f'") == std::string::npos);
  CHECK(found({{&strong, false}, {&other, false}, {&weak, true}}).find("FUNC 'f'") ==
        std::string::npos);
}

TEST_CASE("symbols select the variables and give their offsets") {
  Unit unit;
  uint32_t number = unit.integer("int"), letter = unit.integer("char", 1, false);
  uint32_t pointer = unit.ptr(number);
  unit.variable("number", number);
  unit.variable("array", unit.array(letter, number, 0));
  unit.variable("array", unit.array(letter, number, 6));
  unit.variable("either", number);
  unit.variable("either", unit.array(letter, number, 4));
  unit.variable("pointers", unit.array(pointer, number, 2));
  unit.variable("larger", number);
  unit.variable("elsewhere", number);
  unit.add(BtfKind::Datasec, ".data", 4, {4, 0, 4}, 1);

  ImageDeduplicator image;
  REQUIRE(image.add_blob("unit", finish(unit.b)));
  auto result = image.run({.variables = {{"pointers", 32, 16, true},  // by link-time optimization
                                         {"number", 0, 4},
                                         {"number", 8, 4, true},
                                         {"number", 2, 4},
                                         {"array", 16, 6},
                                         {"either", 24, 4},
                                         {"larger", 64, 8},
                                         {"unknown", 72, 4},
                                         {"start", 0, 0}}});
  REQUIRE(result);
  CHECK(result->variable_count == 4);
  std::string text = listed(*result);
  CHECK(text.substr(text.find("[8]")) ==
        "[8] VAR 'number' type_id=1, linkage=global\n"
        "[9] VAR 'number' type_id=1, linkage=static\n"
        "[10] VAR 'array' type_id=5, linkage=global\n"
        "[11] VAR 'pointers' type_id=7, linkage=global\n"
        "[12] DATASEC '.data..percpu' size=48 vlen=4\n"
        "\ttype_id=8 offset=0 size=4 (VAR 'number')\n"
        "\ttype_id=9 offset=8 size=4 (VAR 'number')\n"
        "\ttype_id=10 offset=16 size=6 (VAR 'array')\n"
        "\ttype_id=11 offset=32 size=16 (VAR 'pointers')\n");
  CHECK(omitted(*result) == Omitted{{"either", ImageOmission::SeveralTypes},
                                    {"larger", ImageOmission::OtherSize},
                                    {"number", ImageOmission::Overlap}});
}

TEST_CASE("tags follow the types that they mark") {
  Unit unit;
  uint32_t number = unit.integer("int");
  uint32_t kept = unit.function("kept", unit.prototype(0, {"a"}, number));
  uint32_t gone = unit.function("gone", unit.prototype(0, {"b"}, number));
  uint32_t variable = unit.variable("variable", number);
  unit.tag("first", kept, 0);
  unit.tag("bpf_kfunc", kept);
  unit.tag("second", gone, 0);
  unit.tag("third", variable);
  ImageDeduplicator image;
  REQUIRE(image.add_blob("unit", finish(unit.b)));
  auto result = image.run({.functions = {"kept"},
                           .variables = {{"variable", 0, 4}},
                           .tags = {{"kept", "bpf_kfunc"}, {"gone", "bpf_kfunc"}}});
  REQUIRE(result);
  std::string text = listed(*result);
  CHECK(text.substr(text.find("[4]")) ==
        "[4] DECL_TAG 'bpf_kfunc' type_id=3 component_idx=-1\n"
        "[5] VAR 'variable' type_id=1, linkage=global\n"
        "[6] DATASEC '.data..percpu' size=4 vlen=1\n"
        "\ttype_id=5 offset=0 size=4 (VAR 'variable')\n"
        "[7] DECL_TAG 'first' type_id=3 component_idx=0\n"
        "[8] DECL_TAG 'third' type_id=5 component_idx=-1\n");
  CHECK(omitted(*result) == Omitted{{"gone", ImageOmission::TagWithoutFunction}});
}

TEST_CASE("the types obey the kernel's rules") {
  Unit unit;
  uint32_t number = unit.integer("int");
  uint32_t letter = unit.add(BtfKind::Int, "signed char", 1, {3U << 24 | 8});
  unit.array(letter, number, 3);
  unit.array(letter, 0, 0);
  unit.add(BtfKind::Fwd, "declared", 7);
  unit.add(BtfKind::Enum, "listed", 0);
  Unit other;
  number = other.integer("int");
  letter = other.integer("signed char", 1);
  other.array(letter, number, 0);
  ImageDeduplicator image;
  REQUIRE(image.add_blob("unit", finish(unit.b)));
  REQUIRE(image.add_blob("other", finish(other.b)));
  auto result = image.run({});
  REQUIRE(result);
  CHECK(listed(*result) ==
        "[1] INT 'int' size=4 bits_offset=0 nr_bits=32 encoding=SIGNED\n"
        "[2] INT 'signed char' size=1 bits_offset=0 nr_bits=8 encoding=SIGNED\n"
        "[3] ARRAY '(anon)' type_id=2 index_type_id=1 nr_elems=3\n"
        "[4] ARRAY '(anon)' type_id=2 index_type_id=1 nr_elems=0\n"
        "[5] FWD 'declared' fwd_kind=struct\n"
        "[6] ENUM 'listed' encoding=UNSIGNED size=4 vlen=0\n");
  CHECK(result->dedup.types.type(5).size() == 0);
  CHECK(result->dedup.type_maps[1][3] == 4);
}

TEST_CASE("arrays are those of the base, whatever type their index has") {
  Unit kernel, module;
  uint32_t number = kernel.integer("int");
  kernel.record("s", {{"numbers", kernel.array(number, number, 3)}});
  uint32_t index = module.integer("long", 8);
  number = module.integer("int");
  module.record("s", {{"numbers", module.array(number, index, 3)}});
  module.array(number, index, 4);
  auto base_blob = finish(kernel.b), blob = finish(module.b);
  auto base = *Btf::parse(base_blob);
  ImageDeduplicator image({.base = &base});
  REQUIRE(image.add_blob("module", blob));
  auto result = image.run({});
  REQUIRE(result);
  CHECK(listed(*result, &base) ==
        "[4] INT 'long' size=8 bits_offset=0 nr_bits=64 encoding=SIGNED\n"
        "[5] ARRAY '(anon)' type_id=1 index_type_id=1 nr_elems=4\n");
}

TEST_CASE("a module is split from the base") {
  Unit kernel;
  uint32_t number = kernel.integer("int");
  kernel.function("shared", kernel.prototype(number, {"a"}, number));
  ImageDeduplicator base_image;
  REQUIRE(base_image.add_blob("kernel", finish(kernel.b)));
  auto base_blob =
      *base_image.run({.functions = {"shared"}})->dedup.types.finish(std::endian::native);
  auto base = *Btf::parse(base_blob);

  Unit module;
  uint32_t flag = module.add(BtfKind::Int, "_Bool", 1, {4U << 24 | 8});
  number = module.integer("int");
  module.function("own", module.prototype(number, {"a"}, number));
  module.function("other", module.prototype(number, {"a"}, flag));
  ImageDeduplicator image({.base = &base});
  auto blob = finish(module.b);
  auto btf = *Btf::parse(blob);
  auto input = image.add("module", btf);
  REQUIRE(input);
  CHECK(input->first_id() == base.end_id());
  CHECK(input->name(input->type(base.end_id())) == "_Bool");
  auto result = image.run({.functions = {"own", "other"}});
  REQUIRE(result);
  CHECK(listed(*result, &base) ==
        "[4] INT '_Bool' size=1 bits_offset=0 nr_bits=8 encoding=BOOL\n"
        "[5] FUNC 'own' type_id=2 linkage=static\n"
        "[6] FUNC_PROTO '(anon)' ret_type_id=1 vlen=1\n\t'a' type_id=4\n"
        "[7] FUNC 'other' type_id=6 linkage=static\n");

  auto split_blob = finish(result->dedup.types);
  auto split = *Btf::parse(split_blob, &base);
  auto refused = ImageDeduplicator().add("split", split);
  REQUIRE(!refused);
  CHECK(refused.error().message == "is split BTF, not a compiler's BTF of one unit");

  Unit unknown;
  unknown.b.set_layout(std::vector<BtfKindLayout>(24, {4, 0, 0}));
  unknown.b.add_type(0, 23U << 24, 0, std::vector<uint32_t>{1});
  auto unknown_blob = finish(unknown.b);
  auto no_ids = ImageDeduplicator({.base = &base}).add_blob("unknown", unknown_blob);
  REQUIRE(!no_ids);
  CHECK(no_ids.error().message ==
        "type [1] UNKNOWN has unknown kind 23, which may refer to any type or string, so it "
        "cannot be split from a base");
}
