// The C interface's own rules: options of other sizes, arguments, ownership.
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <thread>

#include "bpflink/bpflink.h"
#include "bpflink/btf.hpp"
#include "fixtures.hpp"

namespace {

struct Counter {
  int undefined = 0;
  std::string symbol, text;
};

void count(void* context, const bpflink_diagnostic* diagnostic) {
  auto* counter = static_cast<Counter*>(context);
  if (diagnostic->code != BPFLINK_DIAGNOSTIC_UNDEFINED_SYMBOL) return;
  counter->undefined++;
  counter->symbol = diagnostic->symbol;
  CHECK(diagnostic->size == sizeof *diagnostic);
  REQUIRE(diagnostic->location_count >= 1);
  counter->text = diagnostic->location_texts[0];
}

struct Image {
  void* bytes = nullptr;
  size_t size = 0;
  Image() {
    bpflink_linker* linker = nullptr;
    REQUIRE(bpflink_linker_new(nullptr, &linker) == BPFLINK_OK);
    CHECK(bpflink_linker_add_file(linker, fixture("counters.o").c_str()) == BPFLINK_OK);
    auto state = read_file(fixture("state.o"));
    CHECK(bpflink_linker_add_memory(linker, "state", state.data(), state.size()) == BPFLINK_OK);
    CHECK(bpflink_linker_link_to_memory(linker, &bytes, &size) == BPFLINK_OK);
    bpflink_linker_free(linker);
  }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  ~Image() { bpflink_free(bytes); }
};

}  // namespace

TEST_CASE("options of an older and of a newer program") {
  struct {
    bpflink_link_options known = BPFLINK_LINK_OPTIONS_INIT;
    uint64_t unknown = 0;
  } options;
  bpflink_linker* linker = nullptr;

  options.known.size = sizeof options;
  CHECK(bpflink_linker_new(&options.known, &linker) == BPFLINK_OK);
  bpflink_linker_free(linker);
  options.unknown = 1;
  CHECK(bpflink_linker_new(&options.known, &linker) == BPFLINK_ERROR_ARGUMENT);
  CHECK(linker == nullptr);

  options.known.flags = uint64_t{1} << 40;
  options.known.size = offsetof(bpflink_link_options, flags);  // does not reach the flags
  CHECK(bpflink_linker_new(&options.known, &linker) == BPFLINK_OK);
  bpflink_linker_free(linker);
  options.known.size = sizeof options.known;
  CHECK(bpflink_linker_new(&options.known, &linker) == BPFLINK_ERROR_ARGUMENT);
  options.known.size = 4;
  CHECK(bpflink_linker_new(&options.known, &linker) == BPFLINK_ERROR_ARGUMENT);
}

TEST_CASE("descriptions of an older and of a newer program") {
  Image image;
  bpflink_object* object = nullptr;
  REQUIRE(bpflink_object_parse(image.bytes, image.size, &object, nullptr) == BPFLINK_OK);
  unsigned char bytes[sizeof(bpflink_map) + 8];
  std::memset(bytes, 0xff, sizeof bytes);
  auto* map = reinterpret_cast<bpflink_map*>(bytes);
  CHECK(bpflink_object_map(object, 0, map, 8) == BPFLINK_OK);
  CHECK(std::strlen(map->name) > 0);
  CHECK(bytes[8] == 0xff);  // no further than asked
  CHECK(bpflink_object_map(object, 0, map, sizeof bytes) == BPFLINK_OK);
  CHECK(bytes[sizeof(bpflink_map)] == 0);
  CHECK(bpflink_object_map(object, 99, map, sizeof *map) == BPFLINK_ERROR_ARGUMENT);
  bpflink_object_free(object);
}

TEST_CASE("diagnostics reach the callback, and flags the linker") {
  Counter counter;
  bpflink_link_options options = BPFLINK_LINK_OPTIONS_INIT;
  options.on_diagnostic = count;
  options.context = &counter;
  for (uint64_t flags : {uint64_t{0}, uint64_t{BPFLINK_LINK_PARTIAL}}) {
    options.flags = flags;
    options.threads = flags ? 2 : SIZE_MAX;
    bpflink_linker* linker = nullptr;
    REQUIRE(bpflink_linker_new(&options, &linker) == BPFLINK_OK);
    CHECK(bpflink_linker_add_file(linker, fixture("counters.o").c_str()) == BPFLINK_OK);
    void* bytes = nullptr;
    size_t size = 0;
    auto expected = flags ? BPFLINK_OK : BPFLINK_ERROR_LINK;
    CHECK(bpflink_linker_link_to_memory(linker, &bytes, &size) == expected);
    CHECK((bytes != nullptr) == (flags != 0));
    bpflink_free(bytes);
    bpflink_linker_free(linker);
  }
  CHECK(counter.undefined == 2);
  CHECK_FALSE(counter.symbol.empty());
  CHECK(counter.text.find(counter.symbol) != std::string::npos);
}

TEST_CASE("an output that is checked is the same, and without source lines smaller") {
  bpflink_link_options options = BPFLINK_LINK_OPTIONS_INIT;
  std::vector<std::vector<std::byte>> outputs;
  for (unsigned flags : {0, BPFLINK_LINK_VERIFY | BPFLINK_LINK_PRUNE_TYPES,
                         BPFLINK_LINK_VERIFY | BPFLINK_LINK_STRIP_LINE_INFO}) {
    options.flags = BPFLINK_LINK_PARTIAL | flags;
    bpflink_linker* linker = nullptr;
    REQUIRE(bpflink_linker_new(&options, &linker) == BPFLINK_OK);
    CHECK(bpflink_linker_add_file(linker, fixture("counters.o").c_str()) == BPFLINK_OK);
    void* bytes = nullptr;
    size_t size = 0;
    REQUIRE(bpflink_linker_link_to_memory(linker, &bytes, &size) == BPFLINK_OK);
    auto first = static_cast<const std::byte*>(bytes);
    outputs.emplace_back(first, first + size);
    bpflink_free(bytes);
    bpflink_linker_free(linker);
  }
  CHECK(outputs[0] == outputs[1]);  // it has nothing to prune
  CHECK(outputs[0].size() > outputs[2].size());

  bpflink_linker* linker = nullptr;
  options.flags = 2 * BPFLINK_LINK_PRUNE_TYPES;  // unknown as yet
  CHECK(bpflink_linker_new(&options, &linker) == BPFLINK_ERROR_ARGUMENT);
  options.flags = BPFLINK_LINK_NO_WARN_ODR;
  CHECK(bpflink_linker_new(&options, &linker) == BPFLINK_OK);
  bpflink_linker_free(linker);
}

TEST_CASE("each status has a text") {
  auto text = [](int status) {
    return std::string(bpflink_status_text(static_cast<bpflink_status>(status)));
  };
  CHECK(text(BPFLINK_OK) == "done");
  CHECK(text(BPFLINK_ERROR_ARGUMENT) == "invalid argument");
  CHECK(text(BPFLINK_ERROR_MEMORY) == "out of memory");
  CHECK(text(BPFLINK_ERROR_INPUT) == "invalid input");
  CHECK(text(BPFLINK_ERROR_LINK) == "link failed");
  CHECK(text(BPFLINK_ERROR_NOT_FOUND) == "not found");
  CHECK(text(-6) == "unknown status");
}

TEST_CASE("arguments that are missing are refused") {
  char* error = nullptr;
  bpflink_object* object = nullptr;
  CHECK(bpflink_linker_new(nullptr, nullptr) == BPFLINK_ERROR_ARGUMENT);
  CHECK(bpflink_linker_add_file(nullptr, "x") == BPFLINK_ERROR_ARGUMENT);
  CHECK(bpflink_linker_add_library(nullptr, "x") == BPFLINK_ERROR_ARGUMENT);
  CHECK(bpflink_object_open(nullptr, &object, &error) == BPFLINK_ERROR_ARGUMENT);
  CHECK(error == nullptr);
  CHECK(bpflink_object_open("/nonexistent", &object, &error) == BPFLINK_ERROR_INPUT);
  REQUIRE(error != nullptr);
  CHECK(std::strlen(error) > 0);
  bpflink_free(error);
  CHECK(bpflink_object_program_count(nullptr) == 0);
  bpflink_linker_free(nullptr);
  bpflink_object_free(nullptr);
  bpflink_btf_free(nullptr);
  bpflink_dedup_free(nullptr);
  bpflink_free(nullptr);
}

TEST_CASE("Types are described") {
  Image image;
  bpflink_object* object = nullptr;
  REQUIRE(bpflink_object_parse(image.bytes, image.size, &object, nullptr) == BPFLINK_OK);
  const bpflink_btf* btf = bpflink_object_btf(object);
  uint32_t id = 0;
  bpflink_type type;
  bpflink_member member;
  bpflink_enumerator enumerator;

  REQUIRE(bpflink_btf_find(btf, 4, "value", &id) == BPFLINK_OK);
  REQUIRE(bpflink_btf_type(btf, id, &type, sizeof type) == BPFLINK_OK);
  CHECK(std::string(type.name) == "value");
  CHECK(type.kind == 4);
  CHECK(type.type_size == 40);
  CHECK(type.alignment == 8);
  REQUIRE(type.member_count == 2);
  CHECK(bpflink_btf_member(btf, id, 2, &member, sizeof member) == BPFLINK_ERROR_ARGUMENT);
  REQUIRE(bpflink_btf_member(btf, id, 1, &member, sizeof member) == BPFLINK_OK);
  CHECK(std::string(member.name) == "bytes");
  CHECK(member.bit_offset == 64);
  CHECK(member.bit_size == 0);
  CHECK(bpflink_btf_enumerator(btf, id, 0, &enumerator, sizeof enumerator) ==
        BPFLINK_ERROR_ARGUMENT);
  REQUIRE(bpflink_btf_type(btf, member.type_id, &type, sizeof type) == BPFLINK_OK);
  CHECK(type.element_count == 4);
  CHECK(type.type_size == 32);

  REQUIRE(bpflink_btf_find(btf, 1, "int", &id) == BPFLINK_OK);
  REQUIRE(bpflink_btf_type(btf, id, &type, sizeof type) == BPFLINK_OK);
  CHECK(type.encoding == 1);
  CHECK(type.member_count == 0);

  CHECK(bpflink_btf_type(btf, 0, &type, sizeof type) == BPFLINK_ERROR_ARGUMENT);
  CHECK(bpflink_btf_type(btf, id, nullptr, sizeof type) == BPFLINK_ERROR_ARGUMENT);
  bpflink_object_free(object);
}

TEST_CASE("Enumerators are extended by the sign of their enum") {
  bpflink::BtfBuilder builder;
  uint32_t words[] = {builder.add_string("MINUS"), 0xffffffff};
  uint32_t words64[] = {builder.add_string("LARGE"), 1, 2};
  uint32_t name = builder.add_string("e");
  builder.add_type(name, builder.info(bpflink::BtfKind::Enum, 1, true), 4, words);
  builder.add_type(name, builder.info(bpflink::BtfKind::Enum, 1), 4, words);
  builder.add_type(name, builder.info(bpflink::BtfKind::Enum64, 1), 8, words64);
  auto blob = *builder.finish(std::endian::native);
  bpflink_btf* btf = nullptr;
  REQUIRE(bpflink_btf_parse(blob.data(), blob.size(), &btf, nullptr) == BPFLINK_OK);
  const uint64_t values[] = {UINT64_MAX, UINT32_MAX, 0x200000001};
  for (uint32_t i = 0; i < 3; ++i) {
    bpflink_enumerator enumerator;
    REQUIRE(bpflink_btf_enumerator(btf, i + 1, 0, &enumerator, sizeof enumerator) == BPFLINK_OK);
    CHECK(std::string(enumerator.name) == (i < 2 ? "MINUS" : "LARGE"));
    CHECK(enumerator.value == values[i]);
    CHECK(bpflink_btf_enumerator(btf, i + 1, 1, &enumerator, sizeof enumerator) ==
          BPFLINK_ERROR_ARGUMENT);
  }
  bpflink_btf_free(btf);
}

TEST_CASE("BTF is found, measured and printed, and deduplicated") {
  Image image;
  bpflink_object* object = nullptr;
  REQUIRE(bpflink_object_parse(image.bytes, image.size, &object, nullptr) == BPFLINK_OK);
  const bpflink_btf* btf = bpflink_object_btf(object);
  uint32_t id = 0;
  uint64_t size = 0;
  CHECK(bpflink_btf_find(btf, 4, "value", &id) == BPFLINK_OK);
  CHECK(bpflink_btf_kind(btf, id) == 4);
  CHECK(std::string(bpflink_btf_name(btf, id)) == "value");
  CHECK(bpflink_btf_size(btf, id, &size) == BPFLINK_OK);
  CHECK(size == 40);
  CHECK(bpflink_btf_find(btf, 5, "value", &id) == BPFLINK_ERROR_NOT_FOUND);
  char* text = bpflink_btf_declaration(btf, id, "v");
  CHECK(std::string(text) == "struct value v");
  bpflink_free(text);

  bpflink_dedup* dedup = nullptr;
  REQUIRE(bpflink_dedup_new(nullptr, &dedup) == BPFLINK_OK);
  CHECK(bpflink_dedup_add(dedup, "one", btf) == BPFLINK_OK);
  void* blob = nullptr;
  size_t blob_size = 0;
  CHECK(bpflink_dedup_run(dedup, &blob, &blob_size, nullptr) == BPFLINK_OK);
  bpflink_btf* again = nullptr;
  CHECK(bpflink_btf_parse(blob, blob_size, &again, nullptr) == BPFLINK_OK);
  CHECK(bpflink_btf_end_id(again) == bpflink_btf_end_id(btf));  // idempotent
  CHECK(bpflink_dedup_add(dedup, "late", btf) == BPFLINK_ERROR_ARGUMENT);

  // Split from that: an array of the last type, and a typedef of the array, with a name.
  bpflink::Btf whole =
      *bpflink::Btf::parse({static_cast<const std::byte*>(blob), blob_size}, nullptr);
  bpflink::BtfBuilder builder(&whole);
  uint32_t words[] = {id, id, 3};
  uint32_t array = builder.add_type(0, builder.info(bpflink::BtfKind::Array), 0, words);
  builder.add_type(builder.add_string("values_of_a_module"),
                   builder.info(bpflink::BtfKind::Typedef), array);
  auto split_blob = *builder.finish(std::endian::native);
  bpflink_btf* split = nullptr;
  char* error = nullptr;
  REQUIRE(bpflink_btf_parse_split(split_blob.data(), split_blob.size(), again, &split, &error) ==
          BPFLINK_OK);
  CHECK(error == nullptr);
  uint32_t values = 0, value = 0;
  CHECK(bpflink_btf_find(split, 8, "values_of_a_module", &values) == BPFLINK_OK);
  CHECK(values == bpflink_btf_end_id(again) + 1);
  CHECK(bpflink_btf_find(split, 4, "value", &value) == BPFLINK_OK);
  bpflink_btf* wrong = nullptr;
  CHECK(bpflink_btf_parse_split(blob, blob_size, again, &wrong, &error) == BPFLINK_ERROR_INPUT);
  CHECK(wrong == nullptr);
  CHECK(std::string(error).starts_with("is not split from the given base: "));
  bpflink_free(error);
  CHECK(bpflink_btf_parse(split_blob.data(), split_blob.size(), &wrong, nullptr) ==
        BPFLINK_ERROR_INPUT);

  // The same without a base, and with a small one.
  bpflink_dedup_options options = BPFLINK_DEDUP_OPTIONS_INIT;
  options.base = again;
  options.flatten = 2;
  bpflink_dedup* flat = nullptr;
  CHECK(bpflink_dedup_new(&options, &flat) == BPFLINK_ERROR_ARGUMENT);
  options.flatten = 1;
  REQUIRE(bpflink_dedup_new(&options, &flat) == BPFLINK_OK);
  CHECK(bpflink_dedup_add(flat, "split", split) == BPFLINK_OK);
  void* flat_blob = nullptr;
  size_t flat_size = 0;
  CHECK(bpflink_dedup_run(flat, &flat_blob, &flat_size, nullptr) == BPFLINK_OK);
  bpflink_btf* all = nullptr;
  REQUIRE(bpflink_btf_parse(flat_blob, flat_size, &all, nullptr) == BPFLINK_OK);
  CHECK(bpflink_btf_end_id(all) == bpflink_btf_end_id(split));
  bpflink_distilled distilled;
  CHECK(bpflink_btf_distill(all, 0, nullptr, 0, &distilled, sizeof distilled, &error) ==
        BPFLINK_ERROR_INPUT);
  CHECK(std::string(error) == "is not split BTF: there is no base to distill");
  bpflink_free(error);
  bpflink_btf_free(all);
  bpflink_free(flat_blob);
  bpflink_dedup_free(flat);

  uint32_t needed = bpflink_btf_end_id(split);
  CHECK(bpflink_btf_distill(split, 0, &needed, 1, &distilled, sizeof distilled, nullptr) ==
        BPFLINK_ERROR_ARGUMENT);
  needed = value;
  REQUIRE(bpflink_btf_distill(split, 0, &needed, 1, &distilled, sizeof distilled, &error) ==
          BPFLINK_OK);
  REQUIRE(distilled.id_count == bpflink_btf_end_id(split));
  bpflink_btf *base = nullptr, *small = nullptr;
  REQUIRE(bpflink_btf_parse(distilled.base, distilled.base_size, &base, nullptr) == BPFLINK_OK);
  CHECK(bpflink_btf_end_id(base) < bpflink_btf_end_id(again));
  CHECK(std::string(bpflink_btf_name(base, distilled.ids[value])) == "value");
  REQUIRE(bpflink_btf_parse_split(distilled.types, distilled.types_size, base, &small, nullptr) ==
          BPFLINK_OK);
  CHECK(std::string(bpflink_btf_name(small, distilled.ids[values])) == "values_of_a_module");
  bpflink_btf_free(small);
  bpflink_btf_free(base);
  bpflink_free(distilled.base);
  bpflink_free(distilled.types);
  bpflink_free(distilled.ids);
  bpflink_btf_free(split);
  bpflink_btf_free(again);
  bpflink_free(blob);
  bpflink_dedup_free(dedup);
  bpflink_object_free(object);
}

TEST_CASE("handles that are not shared may be used in several threads") {
  Image expected;
  std::vector<std::thread> threads;
  std::vector<int> same(4);
  for (int& result : same)
    threads.emplace_back([&] {
      for (int i = 0; i < 5; i++) {
        Image image;
        result += image.size == expected.size &&
                  std::memcmp(image.bytes, expected.bytes, image.size) == 0;
      }
    });
  for (auto& thread : threads) thread.join();
  for (int result : same) CHECK(result == 5);
}

TEST_CASE("libraries in C") {
  const char* paths[] = {"/nowhere", FIXTURES};
  bpflink_link_options options = BPFLINK_LINK_OPTIONS_INIT;
  options.library_paths = paths;
  options.library_path_count = 2;
  bpflink_linker* linker = nullptr;
  REQUIRE(bpflink_linker_new(&options, &linker) == BPFLINK_OK);
  CHECK(bpflink_linker_add_library(linker, nullptr) == BPFLINK_ERROR_ARGUMENT);
  CHECK(bpflink_linker_add_library(linker, ":counters.o") == BPFLINK_OK);
  CHECK(bpflink_linker_add_library(linker, ":state.o") == BPFLINK_OK);
  void* image = nullptr;
  size_t size = 0;
  CHECK(bpflink_linker_link_to_memory(linker, &image, &size) == BPFLINK_OK);
  CHECK(size > 0);
  bpflink_free(image);
  CHECK(bpflink_linker_add_library(linker, "absent") == BPFLINK_OK);
  CHECK(bpflink_linker_link_to_memory(linker, &image, &size) == BPFLINK_ERROR_LINK);
  bpflink_linker_free(linker);
}

TEST_CASE("other names for symbols in C") {
  const char* names[] = {"counters=tallies", "absent"};
  const char* prefixes[] = {FIXTURES "/counters.o=x_"};
  bpflink_link_options options = BPFLINK_LINK_OPTIONS_INIT;
  options.flags = BPFLINK_LINK_PARTIAL;
  options.redefine_symbols = names;
  options.redefine_symbol_count = 2;
  options.prefix_symbols_of = prefixes;
  options.prefix_symbols_of_count = 1;
  bpflink_linker* linker = nullptr;
  CHECK(bpflink_linker_new(&options, &linker) == BPFLINK_ERROR_ARGUMENT);
  options.redefine_symbol_count = 1;
  options.prefix_symbols = "y_";
  REQUIRE(bpflink_linker_new(&options, &linker) == BPFLINK_OK);
  CHECK(bpflink_linker_add_file(linker, FIXTURES "/counters.o") == BPFLINK_OK);
  void* image = nullptr;
  size_t size = 0;
  REQUIRE(bpflink_linker_link_to_memory(linker, &image, &size) == BPFLINK_OK);
  bpflink_object* object = nullptr;
  REQUIRE(bpflink_object_parse(image, size, &object, nullptr) == BPFLINK_OK);
  size_t found = 0;
  for (size_t i = 0; i < bpflink_object_map_count(object); ++i) {
    bpflink_map map;
    REQUIRE(bpflink_object_map(object, i, &map, sizeof map) == BPFLINK_OK);
    found += std::string(map.name) == "x_y_tallies";
  }
  CHECK(found == 1);
  bpflink_object_free(object);
  bpflink_free(image);
  bpflink_linker_free(linker);
}

TEST_CASE("what kernels take") {
  bpflink::BtfBuilder types;
  types.add_type(types.add_string("int"), types.info(bpflink::BtfKind::Int), 4,
                 std::vector<uint32_t>{32});
  types.add_type(types.add_string("two words"), types.info(bpflink::BtfKind::Typedef), 1);
  types.add_type(types.add_string("user"), types.info(bpflink::BtfKind::TypeTag), 1);
  auto blob = *types.finish(std::endian::native);

  bpflink_verdict* verdict = nullptr;
  CHECK(bpflink_btf_check(nullptr, 0, BPFLINK_BTF_OF_PROGRAM, nullptr, &verdict) ==
        BPFLINK_ERROR_ARGUMENT);
  CHECK(bpflink_btf_check(blob.data(), blob.size(), 2, nullptr, &verdict) ==
        BPFLINK_ERROR_ARGUMENT);
  REQUIRE(bpflink_btf_check(blob.data(), blob.size(), BPFLINK_BTF_OF_PROGRAM, nullptr, &verdict) ==
          BPFLINK_OK);
  REQUIRE(bpflink_verdict_fault_count(verdict) == 1);
  bpflink_fault fault;
  CHECK(bpflink_verdict_fault(verdict, 1, &fault, sizeof fault) == BPFLINK_ERROR_ARGUMENT);
  REQUIRE(bpflink_verdict_fault(verdict, 0, &fault, sizeof fault) == BPFLINK_OK);
  CHECK(std::string(fault.rule) == "name");
  CHECK(std::string(fault.kernel) == "Invalid name");
  CHECK(std::string(fault.advice) == "rename it");
  CHECK(fault.type_id == 2);
  CHECK(fault.since_major == 4);
  CHECK(fault.since_minor == 18);
  bpflink_requirement needs;
  REQUIRE(bpflink_verdict_needs(verdict, &needs, sizeof needs) == BPFLINK_OK);
  CHECK(std::string(needs.what) == "TYPE_TAG");
  CHECK(needs.major == 5);
  CHECK(needs.minor == 17);
  CHECK(needs.type_id == 3);
  bpflink_verdict_free(verdict);
  bpflink_verdict_free(nullptr);
  CHECK(bpflink_verdict_fault_count(nullptr) == 0);
}
