// The BTF of linked programs, in C++ and C: types from units, the rest from symbols.
#include "bpflink/linked.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "bpflink/bpflink.h"
#include "bpflink/btf_query.hpp"
#include "bpflink/print.hpp"

using namespace bpflink;

namespace {

constexpr uint32_t signed_int = 1U << 24 | 32, signed_char = 3U << 24 | 8;

/// What a compiler writes of a unit: functions and variables that are there, and others.
class Unit {
 public:
  uint32_t add_int(std::string_view name = "int", uint32_t size = 4, uint32_t data = signed_int) {
    uint32_t words[] = {data};
    return types.add_type(types.add_string(name), types.info(BtfKind::Int), size, words);
  }
  uint32_t add_prototype(uint32_t result, std::vector<std::string> names, uint32_t type) {
    std::vector<uint32_t> words;
    for (const std::string& name : names) words.insert(words.end(), {types.add_string(name), type});
    return types.add_type(0, types.info(BtfKind::FuncProto, static_cast<uint32_t>(names.size())),
                          result, words);
  }
  uint32_t add_function(std::string_view name, uint32_t prototype,
                        BtfLinkage linkage = BtfLinkage::Static) {
    return types.add_type(types.add_string(name), types.info(BtfKind::Func, linkage), prototype);
  }
  uint32_t add_variable(std::string_view name, uint32_t type) {
    uint32_t words[] = {std::to_underlying(BtfLinkage::Global)};
    return types.add_type(types.add_string(name), types.info(BtfKind::Var), type, words);
  }
  uint32_t add_array(uint32_t type, uint32_t index, uint32_t length) {
    uint32_t words[] = {type, index, length};
    return types.add_type(0, types.info(BtfKind::Array), 0, words);
  }
  uint32_t add_tag(std::string_view text, uint32_t type, int32_t component = -1) {
    uint32_t words[] = {static_cast<uint32_t>(component)};
    return types.add_type(types.add_string(text), types.info(BtfKind::DeclTag), type, words);
  }

  std::vector<std::byte> finish() const { return *types.finish(std::endian::native); }

  BtfBuilder types;
};

/// The BTF that comes of it, a line a type.
std::string listed(const LinkedResult& result, const Btf* base = nullptr) {
  auto blob = *result.dedup.types.finish(std::endian::native);
  auto btf = *Btf::parse(blob, base);
  std::string text;
  for (uint32_t id = btf.first_id(); id < btf.end_id(); ++id) text += print_raw(btf, id);
  return text;
}

using Omitted = std::vector<std::pair<std::string, LinkedOmission>>;

Omitted omitted(const LinkedResult& result) {
  Omitted list;
  for (const OmittedSymbol& symbol : result.omitted) list.emplace_back(symbol.name, symbol.reason);
  return list;
}

}  // namespace

TEST_CASE("functions are those of the symbols") {
  Unit one, two;
  uint32_t number = one.add_int();
  one.add_function("gone", one.add_prototype(0, {"never"}, number));
  one.add_function("kept", one.add_prototype(number, {"a", "b"}, number));
  one.add_function("declared", one.add_prototype(number, {""}, number));
  one.add_function("differs", one.add_prototype(number, {"a"}, number));
  one.add_function("weak", one.add_prototype(number, {"unused", "b"}, number));
  one.add_function("wrong", one.add_prototype(0, {""}, number));
  one.add_function("twice", one.add_prototype(0, {""}, number));
  one.add_function("cloned", one.add_prototype(0, {"a"}, number));
  one.add_function("extern", one.add_prototype(0, {"a"}, number), BtfLinkage::Extern);
  number = two.add_int();
  two.add_function("wrong", two.add_prototype(number, {"right"}, number));
  two.add_function("twice", two.add_prototype(number, {"a"}, number));
  two.add_function("kept", two.add_prototype(number, {"", ""}, number));
  two.add_function("differs", two.add_prototype(0, {"a"}, number));
  two.add_function("weak", two.add_prototype(number, {"a", "b"}, number));
  two.add_function("extern", two.add_prototype(number, {"b"}, number));

  LinkedDeduplicator linked;
  REQUIRE(linked.add_blob("one", one.finish()));
  REQUIRE(linked.add_blob("two", two.finish()));
  auto result =
      linked.run({.functions = {"weak", "wrong", "twice", "twice", "kept", "declared", "differs",
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
  CHECK(omitted(*result) == Omitted{{"cloned.isra.0", LinkedOmission::clone},
                                    {"differs", LinkedOmission::several_prototypes},
                                    {"twice", LinkedOmission::several_prototypes}});
  CHECK(result->dedup.type_maps[0][5] == 3);
  CHECK(result->dedup.type_maps[1][7] == 3);
  CHECK(result->dedup.type_maps[0][3] == 0);
}

TEST_CASE("variables are those of the symbols, at their places") {
  Unit unit;
  uint32_t number = unit.add_int(), letter = unit.add_int("char", 1, 8);
  uint32_t pointer = unit.types.add_type(0, unit.types.info(BtfKind::Ptr), number);
  unit.add_variable("number", number);
  unit.add_variable("array", unit.add_array(letter, number, 0));
  unit.add_variable("array", unit.add_array(letter, number, 6));
  unit.add_variable("either", number);
  unit.add_variable("either", unit.add_array(letter, number, 4));
  unit.add_variable("pointers", unit.add_array(pointer, number, 2));
  unit.add_variable("larger", number);
  unit.add_variable("elsewhere", number);
  uint32_t words[] = {4, 0, 4};
  unit.types.add_type(unit.types.add_string(".data"), unit.types.info(BtfKind::Datasec, 1), 4,
                      words);

  LinkedDeduplicator linked;
  REQUIRE(linked.add_blob("unit", unit.finish()));
  auto result = linked.run({.variables = {{"pointers", 32, 16},
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
  CHECK(omitted(*result) == Omitted{{"either", LinkedOmission::several_types},
                                    {"larger", LinkedOmission::other_size},
                                    {"number", LinkedOmission::overlap}});
}

TEST_CASE("tags follow what they are of") {
  Unit unit;
  uint32_t number = unit.add_int();
  uint32_t kept = unit.add_function("kept", unit.add_prototype(0, {"a"}, number));
  uint32_t gone = unit.add_function("gone", unit.add_prototype(0, {"b"}, number));
  uint32_t variable = unit.add_variable("variable", number);
  unit.add_tag("first", kept, 0);
  unit.add_tag("bpf_kfunc", kept);
  unit.add_tag("second", gone, 0);
  unit.add_tag("third", variable);
  LinkedDeduplicator linked;
  REQUIRE(linked.add_blob("unit", unit.finish()));
  auto result = linked.run({.functions = {"kept"},
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
  CHECK(omitted(*result) == Omitted{{"gone", LinkedOmission::tag_without_function}});
}

TEST_CASE("types are what a kernel takes") {
  Unit unit;
  uint32_t number = unit.add_int();
  uint32_t letter = unit.add_int("signed char", 1, signed_char);
  unit.add_array(letter, number, 3);
  unit.add_array(letter, 0, 0);
  unit.types.add_type(unit.types.add_string("declared"), unit.types.info(BtfKind::Fwd), 7);
  Unit other;
  number = other.add_int();
  letter = other.add_int("signed char", 1, 1U << 24 | 8);
  other.add_array(letter, number, 0);
  LinkedDeduplicator linked;
  REQUIRE(linked.add_blob("unit", unit.finish()));
  REQUIRE(linked.add_blob("other", other.finish()));
  auto result = linked.run({});
  REQUIRE(result);
  CHECK(listed(*result) ==
        "[1] INT 'int' size=4 bits_offset=0 nr_bits=32 encoding=SIGNED\n"
        "[2] INT 'signed char' size=1 bits_offset=0 nr_bits=8 encoding=SIGNED\n"
        "[3] ARRAY '(anon)' type_id=2 index_type_id=1 nr_elems=3\n"
        "[4] ARRAY '(anon)' type_id=2 index_type_id=1 nr_elems=0\n"
        "[5] FWD 'declared' fwd_kind=struct\n");
  CHECK(result->dedup.types.type(5).size() == 0);
  CHECK(result->dedup.type_maps[1][3] == 4);
}

TEST_CASE("a module is split from the base") {
  Unit kernel;
  uint32_t number = kernel.add_int();
  kernel.add_function("shared", kernel.add_prototype(number, {"a"}, number));
  LinkedDeduplicator base_linked;
  REQUIRE(base_linked.add_blob("kernel", kernel.finish()));
  auto base_blob =
      *base_linked.run({.functions = {"shared"}})->dedup.types.finish(std::endian::native);
  auto base = *Btf::parse(base_blob);

  Unit module;
  uint32_t flag = module.add_int("_Bool", 1, 4U << 24 | 8);
  number = module.add_int();
  module.add_function("own", module.add_prototype(number, {"a"}, number));
  module.add_function("other", module.add_prototype(number, {"a"}, flag));
  LinkedDeduplicator linked({.base = &base});
  auto blob = module.finish();
  auto btf = *Btf::parse(blob);
  auto input = linked.add("module", btf);
  REQUIRE(input);
  CHECK(input->first_id() == base.end_id());
  CHECK(input->name(input->type(base.end_id())) == "_Bool");
  auto result = linked.run({.functions = {"own", "other"}});
  REQUIRE(result);
  CHECK(listed(*result, &base) ==
        "[4] INT '_Bool' size=1 bits_offset=0 nr_bits=8 encoding=BOOL\n"
        "[5] FUNC 'own' type_id=2 linkage=static\n"
        "[6] FUNC_PROTO '(anon)' ret_type_id=1 vlen=1\n\t'a' type_id=4\n"
        "[7] FUNC 'other' type_id=6 linkage=static\n");

  auto split_blob = *result->dedup.types.finish(std::endian::native);
  auto split = *Btf::parse(split_blob, &base);
  auto refused = LinkedDeduplicator().add("split", split);
  REQUIRE(!refused);
  CHECK(refused.error().message == "is split BTF, not what a compiler makes of a unit");

  Unit unknown;
  unknown.types.set_layout(std::vector<BtfKindLayout>(24, {4, 0, 0}));
  unknown.types.add_type(0, 23U << 24, 0, std::vector<uint32_t>{1});
  auto unknown_blob = unknown.finish();
  auto no_ids = LinkedDeduplicator({.base = &base}).add_blob("unknown", unknown_blob);
  REQUIRE(!no_ids);
  CHECK(no_ids.error().message ==
        "type [1] UNKNOWN has unknown kind 23, which may refer to any type or string, and types "
        "would go on from the base's");
}

TEST_CASE("the same in C") {
  Unit unit;
  uint32_t number = unit.add_int();
  unit.add_function("kept", unit.add_prototype(number, {"a"}, number));
  unit.add_function("gone", unit.add_prototype(0, {"a"}, number));
  unit.add_function("differs", unit.add_prototype(0, {"a"}, number));
  unit.add_function("differs", unit.add_prototype(number, {"a"}, number));
  unit.add_variable("variable", number);
  auto unit_blob = unit.finish();
  bpflink_btf* btf = nullptr;
  REQUIRE(bpflink_btf_parse(unit_blob.data(), unit_blob.size(), &btf, nullptr) == BPFLINK_OK);

  bpflink_linked* linked = nullptr;
  REQUIRE(bpflink_linked_new(nullptr, &linked) == BPFLINK_OK);
  CHECK(bpflink_linked_add(linked, "unit", btf) == BPFLINK_OK);
  std::string name = "kept";  // is copied
  CHECK(bpflink_linked_add_function(linked, name.c_str()) == BPFLINK_OK);
  CHECK(bpflink_linked_tag_function(linked, name.c_str(), "bpf_kfunc") == BPFLINK_OK);
  name = "differs";
  CHECK(bpflink_linked_add_function(linked, name.c_str()) == BPFLINK_OK);
  name = "variable";
  CHECK(bpflink_linked_add_variable(linked, name.c_str(), 8, 4, 1) == BPFLINK_OK);
  name = "";
  const char* symbol = nullptr;
  bpflink_linked_omission reason = BPFLINK_LINKED_OVERLAP;
  CHECK(bpflink_linked_omitted(linked, 0, &symbol, &reason) == BPFLINK_ERROR_ARGUMENT);

  void* blob = nullptr;
  size_t size = 0;
  char* error = nullptr;
  REQUIRE(bpflink_linked_run(linked, &blob, &size, &error) == BPFLINK_OK);
  CHECK(error == nullptr);
  bpflink_btf* output = nullptr;
  REQUIRE(bpflink_btf_parse(blob, size, &output, nullptr) == BPFLINK_OK);
  uint32_t id = 0;
  CHECK(bpflink_btf_find(output, std::to_underlying(BtfKind::Func), "kept", &id) == BPFLINK_OK);
  CHECK(bpflink_btf_find(output, std::to_underlying(BtfKind::Func), "gone", &id) ==
        BPFLINK_ERROR_NOT_FOUND);
  CHECK(bpflink_btf_find(output, std::to_underlying(BtfKind::Var), "variable", &id) == BPFLINK_OK);
  CHECK(bpflink_btf_find(output, std::to_underlying(BtfKind::Datasec), ".data..percpu", &id) ==
        BPFLINK_OK);
  CHECK(bpflink_btf_find(output, std::to_underlying(BtfKind::DeclTag), "bpf_kfunc", &id) ==
        BPFLINK_OK);
  CHECK(bpflink_btf_end_id(output) == 7);
  CHECK(bpflink_linked_omitted(linked, 0, &symbol, &reason) == BPFLINK_OK);
  CHECK(std::string(symbol) == "differs");
  CHECK(reason == BPFLINK_LINKED_SEVERAL_PROTOTYPES);
  CHECK(bpflink_linked_omitted(linked, 1, &symbol, &reason) == BPFLINK_ERROR_NOT_FOUND);

  CHECK(bpflink_linked_run(linked, &blob, &size, &error) == BPFLINK_ERROR_ARGUMENT);
  CHECK(bpflink_linked_add(linked, "late", btf) == BPFLINK_ERROR_ARGUMENT);
  CHECK(bpflink_linked_add_function(linked, "late") == BPFLINK_ERROR_ARGUMENT);
  CHECK(bpflink_linked_add_variable(linked, "late", 0, 1, 0) == BPFLINK_ERROR_ARGUMENT);
  CHECK(bpflink_linked_tag_function(linked, "late", "tag") == BPFLINK_ERROR_ARGUMENT);
  bpflink_linked_free(linked);
  bpflink_linked_free(nullptr);
  CHECK(bpflink_linked_new(nullptr, nullptr) == BPFLINK_ERROR_ARGUMENT);

  // A module of the same types has none of its own.
  bpflink_dedup_options options = BPFLINK_DEDUP_OPTIONS_INIT;
  options.base = output;
  REQUIRE(bpflink_linked_new(&options, &linked) == BPFLINK_OK);
  CHECK(bpflink_linked_add(linked, "module", btf) == BPFLINK_OK);
  void* module_blob = nullptr;
  REQUIRE(bpflink_linked_run(linked, &module_blob, &size, nullptr) == BPFLINK_OK);
  bpflink_btf* split = nullptr;
  REQUIRE(bpflink_btf_parse_split(module_blob, size, output, &split, nullptr) == BPFLINK_OK);
  CHECK(bpflink_btf_end_id(split) == bpflink_btf_end_id(output));
  bpflink_linked_free(linked);
  REQUIRE(bpflink_linked_new(nullptr, &linked) == BPFLINK_OK);
  CHECK(bpflink_linked_add(linked, "split", split) == BPFLINK_ERROR_ARGUMENT);
  bpflink_linked_free(linked);
  bpflink_btf_free(split);
  bpflink_btf_free(output);
  bpflink_btf_free(btf);
  bpflink_free(module_blob);
  bpflink_free(blob);
}
