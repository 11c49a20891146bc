// The C interface's own rules: structs of other sizes, arguments, ownership
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <thread>

#include "bpflink/bpflink.h"
#include "bpflink/btf.hpp"
#include "bpflink/btf_file.hpp"
#include "fixtures.hpp"

namespace {

struct Counter {
  int undefined = 0;
  std::string symbol, text, rendered;
};

void count(void* context, const bpflink_diagnostic* diagnostic) {
  auto* counter = static_cast<Counter*>(context);
  if (diagnostic->code != BPFLINK_DIAGNOSTIC_UNDEFINED_SYMBOL) return;
  counter->undefined++;
  counter->symbol = diagnostic->symbol;
  CHECK(diagnostic->size == sizeof *diagnostic);
  REQUIRE(diagnostic->location_count >= 1);
  bpflink_location location;
  CHECK(bpflink_diagnostic_location(diagnostic, diagnostic->location_count, &location,
                                    sizeof location) == BPFLINK_ERROR_ARGUMENT);
  CHECK(bpflink_diagnostic_location(diagnostic, 0, &location, sizeof location) == BPFLINK_OK);
  CHECK(std::string(location.object) == fixture("counters.o"));
  CHECK(location.line > 0);
  bpflink_diagnostic copy = *diagnostic, made{};
  CHECK(bpflink_diagnostic_location(&copy, 0, &location, sizeof location) == BPFLINK_OK);
  made.size = sizeof made;
  made.location_count = 1;
  CHECK(bpflink_diagnostic_location(&made, 0, &location, sizeof location) ==
        BPFLINK_ERROR_ARGUMENT);
  CHECK(bpflink_diagnostic_render(&made, "me", 0) == nullptr);
  counter->text = location.text;
  CHECK(bpflink_diagnostic_render(diagnostic, nullptr, 0) == nullptr);
  CHECK(take(bpflink_diagnostic_render(diagnostic, "me", 1)).find("\033[") != std::string::npos);
  counter->rendered = take(bpflink_diagnostic_render(diagnostic, "me", 0));
}

struct Image {
  void* bytes = nullptr;
  size_t size = 0;
  Image() {
    bpflink_linker* linker = linker_with({});
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

TEST_CASE("descriptions of older and newer programs") {
  Image image;
  bpflink_object* object = nullptr;
  REQUIRE(bpflink_object_parse(image.bytes, image.size, &object, nullptr) == BPFLINK_OK);
  unsigned char bytes[sizeof(bpflink_map) + 8];
  std::memset(bytes, 0xff, sizeof bytes);
  auto* map = reinterpret_cast<bpflink_map*>(bytes);
  CHECK(bpflink_object_map(object, 0, map, 8) == BPFLINK_OK);
  CHECK(std::strlen(map->name) > 0);
  CHECK(bytes[8] == 0xff);  // nothing written past the size
  CHECK(bpflink_object_map(object, 0, map, sizeof bytes) == BPFLINK_OK);
  CHECK(bytes[sizeof(bpflink_map)] == 0);
  CHECK(bpflink_object_map(object, 99, map, sizeof *map) == BPFLINK_ERROR_ARGUMENT);
  bpflink_object_free(object);
}

TEST_CASE("diagnostics reach the callback") {
  Counter counter;
  for (const Options& options : {Options{"--threads=1024"}, Options{"-r", "--threads", "2"}}) {
    bool is_partial = options[0] == "-r";
    bpflink_linker* linker = linker_with(options, count, &counter);
    CHECK(bpflink_linker_add_file(linker, fixture("counters.o").c_str()) == BPFLINK_OK);
    void* bytes = nullptr;
    size_t size = 0;
    auto expected = is_partial ? BPFLINK_OK : BPFLINK_ERROR_LINK;
    CHECK(bpflink_linker_link_to_memory(linker, &bytes, &size) == expected);
    CHECK((bytes != nullptr) == is_partial);
    bpflink_free(bytes);
    bpflink_linker_free(linker);
  }
  CHECK(counter.undefined == 2);
  CHECK_FALSE(counter.symbol.empty());
  CHECK(counter.text.find(counter.symbol) != std::string::npos);
  CHECK(counter.rendered.find("error: undefined symbol: " + counter.symbol + "\n") !=
        std::string::npos);
  CHECK(counter.rendered.find(counter.text) != std::string::npos);
}

TEST_CASE("verification does not change the output; stripping source lines makes it smaller") {
  std::vector<std::vector<std::byte>> outputs;
  for (const Options& options : {Options{"-r"}, Options{"-r", "--verify", "--prune-types"},
                                 Options{"-r", "--verify", "--strip-line-info"}}) {
    bpflink_linker* linker = linker_with(options);
    CHECK(bpflink_linker_add_file(linker, fixture("counters.o").c_str()) == BPFLINK_OK);
    void* bytes = nullptr;
    size_t size = 0;
    REQUIRE(bpflink_linker_link_to_memory(linker, &bytes, &size) == BPFLINK_OK);
    auto first = static_cast<const std::byte*>(bytes);
    outputs.emplace_back(first, first + size);
    bpflink_free(bytes);
    bpflink_linker_free(linker);
  }
  CHECK(outputs[0] == outputs[1]);  // nothing to prune
  CHECK(outputs[0].size() > outputs[2].size());
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

TEST_CASE("missing arguments are errors") {
  char* error = nullptr;
  bpflink_object* object = nullptr;
  CHECK(bpflink_linker_new(nullptr, 0, nullptr, nullptr, nullptr, &error) ==
        BPFLINK_ERROR_ARGUMENT);
  CHECK(error == nullptr);
  CHECK(bpflink_linker_add_file(nullptr, "x") == BPFLINK_ERROR_ARGUMENT);
  CHECK(bpflink_linker_add_library(nullptr, "x") == BPFLINK_ERROR_ARGUMENT);
  object = reinterpret_cast<bpflink_object*>(&error);  // a stale value
  CHECK(bpflink_object_open(nullptr, &object, &error) == BPFLINK_ERROR_ARGUMENT);
  CHECK(object == nullptr);
  auto* btf = reinterpret_cast<bpflink_btf*>(&error);
  CHECK(bpflink_btf_parse(nullptr, 0, &btf, &error) == BPFLINK_ERROR_ARGUMENT);
  CHECK(btf == nullptr);
  void* image = &error;
  size_t size = 1;
  CHECK(bpflink_linker_link_to_memory(nullptr, &image, &size) == BPFLINK_ERROR_ARGUMENT);
  CHECK((image == nullptr && size == 0));
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

TEST_CASE("types are described") {
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
  CHECK(type.size == 40);
  CHECK(type.alignment == 8);
  REQUIRE(type.vlen == 2);
  CHECK(bpflink_btf_member(btf, id, 2, &member, sizeof member) == BPFLINK_ERROR_ARGUMENT);
  REQUIRE(bpflink_btf_member(btf, id, 1, &member, sizeof member) == BPFLINK_OK);
  CHECK(std::string(member.name) == "bytes");
  CHECK(member.bit_offset == 64);
  CHECK(member.bitfield_size == 0);
  CHECK(bpflink_btf_enumerator(btf, id, 0, &enumerator, sizeof enumerator) ==
        BPFLINK_ERROR_ARGUMENT);
  REQUIRE(bpflink_btf_type(btf, member.type_id, &type, sizeof type) == BPFLINK_OK);
  CHECK(type.array_length == 4);
  CHECK(type.size == 32);

  REQUIRE(bpflink_btf_find(btf, 1, "int", &id) == BPFLINK_OK);
  REQUIRE(bpflink_btf_type(btf, id, &type, sizeof type) == BPFLINK_OK);
  CHECK(type.encoding == 1);
  CHECK(type.vlen == 0);

  REQUIRE(bpflink_btf_find(btf, BPFLINK_BTF_VAR, "counters", &id) == BPFLINK_OK);
  REQUIRE(bpflink_btf_type(btf, id, &type, sizeof type) == BPFLINK_OK);
  CHECK(type.linkage == BPFLINK_LINKAGE_GLOBAL);

  REQUIRE(bpflink_btf_find(btf, BPFLINK_BTF_FUNC, "count_packets", &id) == BPFLINK_OK);
  REQUIRE(bpflink_btf_type(btf, id, &type, sizeof type) == BPFLINK_OK);
  CHECK(type.linkage == BPFLINK_LINKAGE_GLOBAL);
  id = type.type_id;
  REQUIRE(bpflink_btf_type(btf, id, &type, sizeof type) == BPFLINK_OK);
  REQUIRE(type.vlen == 1);

  CHECK(take(bpflink_btf_declaration(btf, 0, "")) == "void");
  CHECK(take(bpflink_btf_declaration(btf, bpflink_btf_end_id(btf), "")) == "(null)");
  REQUIRE(bpflink_btf_type(btf, 0, &type, sizeof type) == BPFLINK_OK);
  CHECK(type.kind == BPFLINK_BTF_VOID);
  CHECK(std::string(type.name).empty());
  CHECK(bpflink_btf_type(btf, bpflink_btf_end_id(btf), &type, sizeof type) ==
        BPFLINK_ERROR_ARGUMENT);
  CHECK(bpflink_btf_type(btf, id, nullptr, sizeof type) == BPFLINK_ERROR_ARGUMENT);
  bpflink_object_free(object);
}

TEST_CASE("items are found by name and described completely") {
  Image image;
  bpflink_object* object = nullptr;
  REQUIRE(bpflink_object_parse(image.bytes, image.size, &object, nullptr) == BPFLINK_OK);
  CHECK(bpflink_object_byte_order(object) == BPFLINK_LITTLE_ENDIAN);

  size_t index = 99, variable = 99;
  CHECK(bpflink_object_find_program(object, "absent", &index) == BPFLINK_ERROR_NOT_FOUND);
  CHECK(bpflink_object_find_program(object, nullptr, &index) == BPFLINK_ERROR_ARGUMENT);
  REQUIRE(bpflink_object_find_program(object, "count_packets", &index) == BPFLINK_OK);
  bpflink_program program;
  REQUIRE(bpflink_object_program(object, index, &program, sizeof program) == BPFLINK_OK);
  CHECK(std::string(program.name) == "count_packets");
  CHECK(std::string(bpflink_program_type_name(program.type)) == "xdp");

  REQUIRE(bpflink_object_find_map(object, "counters", &index) == BPFLINK_OK);
  bpflink_map map;
  REQUIRE(bpflink_object_map(object, index, &map, sizeof map) == BPFLINK_OK);
  CHECK(std::string(map.name) == "counters");
  CHECK(std::string(bpflink_map_type_name(map.type)) == "hash");
  CHECK(std::string(bpflink_map_type_name(9999)) == "unknown");
  CHECK(std::string(bpflink_attach_type_name(program.attach_type)) == "xdp");
  CHECK(map.is_static == 0);

  size_t ops_index = 99;
  REQUIRE(bpflink_object_find_struct_ops(object, "my_ops", &ops_index) == BPFLINK_OK);
  bpflink_struct_ops ops;
  REQUIRE(bpflink_object_struct_ops(object, ops_index, &ops, sizeof ops) == BPFLINK_OK);
  CHECK(ops.autoload == 1);
  CHECK(ops.contents != nullptr);
  REQUIRE(ops.member_count > 0);
  bpflink_struct_ops_member member;
  REQUIRE(bpflink_object_struct_ops_member(object, ops_index, 0, &member, sizeof member) ==
          BPFLINK_OK);
  CHECK(bpflink_object_find_program(object, member.program, &index) == BPFLINK_OK);
  CHECK(bpflink_object_struct_ops_member(object, ops_index, ops.member_count, &member,
                                         sizeof member) == BPFLINK_ERROR_ARGUMENT);

  size_t names = 0;
  for (size_t i = 0; i < bpflink_object_data_section_count(object); ++i) {
    bpflink_data_section section;
    REQUIRE(bpflink_object_data_section(object, i, &section, sizeof section) == BPFLINK_OK);
    CHECK(section.alignment > 0);
    bool is_rodata = std::string(section.name).starts_with(".rodata");
    CHECK((section.kind == BPFLINK_DATA_SECTION_RODATA) == is_rodata);
    bool is_percpu = std::string(section.name).starts_with(".percpu");
    CHECK((section.kind == BPFLINK_DATA_SECTION_PERCPU) == is_percpu);
    for (size_t j = 0; j < section.variable_count; ++j) {
      bpflink_variable described;
      REQUIRE(bpflink_object_variable(object, i, j, &described, sizeof described) == BPFLINK_OK);
      REQUIRE(bpflink_object_find_variable(object, described.name, &index, &variable) ==
              BPFLINK_OK);
      CHECK((index == i && variable == j));
      ++names;
    }
  }
  CHECK(names > 0);
  for (size_t i = 0; i < bpflink_object_extern_count(object); ++i) {
    bpflink_extern symbol;
    REQUIRE(bpflink_object_extern(object, i, &symbol, sizeof symbol) == BPFLINK_OK);
    REQUIRE(bpflink_object_find_extern(object, symbol.name, &index) == BPFLINK_OK);
    CHECK(index == i);
  }
  bpflink_object_free(object);
}

TEST_CASE("a module for Rust") {
  Image image;
  char *text = nullptr, *error = nullptr;
  CHECK(bpflink_rust_module(image.bytes, image.size, "my-object", &text, &error) == BPFLINK_OK);
  CHECK(error == nullptr);
  CHECK(take(text).find("pub mod my_object {") != std::string::npos);
  CHECK(bpflink_libbpf_rs_module(image.bytes, image.size, "my-object", &text, &error) ==
        BPFLINK_OK);
  CHECK(take(text).find("pub struct MyObjectSkelBuilder {") != std::string::npos);
  CHECK(bpflink_rust_module("no object", 9, "name", &text, &error) == BPFLINK_ERROR_INPUT);
  CHECK(text == nullptr);
  CHECK(take(error) != "(null)");
  CHECK(bpflink_rust_module(image.bytes, image.size, nullptr, &text, &error) ==
        BPFLINK_ERROR_ARGUMENT);
}

TEST_CASE("a link fills its report and writes report files") {
  TemporaryDirectory directory;
  std::string json = directory.file("report.json");
  bpflink_linker* linker = linker_with(
      {"--json=" + json, "--print-sizes=3", "--explain=counters", "--explain", "struct value"});
  for (const char* name : {"counters.o", "state.o"})
    CHECK(bpflink_linker_add_file(linker, fixture(name).c_str()) == BPFLINK_OK);
  bpflink_link_report report;
  CHECK(bpflink_linker_report(linker, &report, sizeof report) == BPFLINK_ERROR_NOT_FOUND);
  REQUIRE(bpflink_linker_link_to_file(linker, directory.file("out.o").c_str()) == BPFLINK_OK);
  REQUIRE(bpflink_linker_report(linker, &report, sizeof report) == BPFLINK_OK);
  CHECK(report.objects == 2);
  CHECK(report.output_types > 0);
  CHECK(std::string(report.explanations).find("struct value") != std::string::npos);
  CHECK(std::string(report.sizes).find("count_packets") != std::string::npos);
  REQUIRE(report.file_count == 2);
  const char* path = nullptr;
  REQUIRE(bpflink_linker_report_file(linker, 1, &path) == BPFLINK_OK);
  CHECK(std::string(path) == fixture("state.o"));
  CHECK(bpflink_linker_report_file(linker, 2, &path) == BPFLINK_ERROR_ARGUMENT);
  double seconds = -1;
  REQUIRE(bpflink_linker_report_pass(linker, 0, &path, &seconds) == BPFLINK_OK);
  CHECK(seconds >= 0);
  CHECK_FALSE(read_file(json).empty());
  bpflink_linker_free(linker);
}

TEST_CASE("enumerators are extended by the sign of their enum") {
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

TEST_CASE("BTF is found, printed and deduplicated") {
  Image image;
  bpflink_object* object = nullptr;
  REQUIRE(bpflink_object_parse(image.bytes, image.size, &object, nullptr) == BPFLINK_OK);
  const bpflink_btf* btf = bpflink_object_btf(object);
  uint32_t id = 0;
  CHECK(bpflink_btf_find(btf, 4, "value", &id) == BPFLINK_OK);
  CHECK(bpflink_btf_find(btf, 5, "value", &id) == BPFLINK_ERROR_NOT_FOUND);
  char* text = bpflink_btf_declaration(btf, id, "v");
  CHECK(std::string(text) == "struct value v");
  bpflink_free(text);

  bpflink_dedup* dedup = nullptr;
  CHECK(bpflink_dedup_new(2, &dedup) == BPFLINK_ERROR_ARGUMENT);
  REQUIRE(bpflink_dedup_new(BPFLINK_LITTLE_ENDIAN, &dedup) == BPFLINK_OK);
  CHECK(bpflink_dedup_add(dedup, "one", btf) == BPFLINK_OK);
  void* blob = nullptr;
  size_t blob_size = 0;
  CHECK(bpflink_dedup_run(dedup, &blob, &blob_size, nullptr) == BPFLINK_OK);
  bpflink_btf* again = nullptr;
  CHECK(bpflink_btf_parse(blob, blob_size, &again, nullptr) == BPFLINK_OK);
  CHECK(bpflink_btf_end_id(again) == bpflink_btf_end_id(btf));  // idempotent
  CHECK(bpflink_dedup_add(dedup, "late", btf) == BPFLINK_ERROR_ARGUMENT);
  bpflink_btf_free(again);
  bpflink_free(blob);
  bpflink_dedup_free(dedup);
  bpflink_object_free(object);
}

TEST_CASE("BTF is read from files") {
  TemporaryDirectory directory;
  std::string raw = directory.file("raw.btf"), program = directory.file("program");
  char* error = nullptr;
  bpflink_object* object = nullptr;
  REQUIRE(bpflink_object_open(fixture("counters.o").c_str(), &object, nullptr) == BPFLINK_OK);
  bpflink_object_free(object);
  auto counters = bpflink::read_btf_file(fixture("counters.o"));
  REQUIRE(counters);
  std::ofstream(raw, std::ios::binary)
      .write(reinterpret_cast<const char*>(counters->data()), std::ssize(*counters));
  // A program of the host's machine, as vmlinux is one
  REQUIRE(std::system(("objcopy --add-section .BTF=" + raw + " /bin/true " + program).c_str()) ==
          0);
  for (const std::string& path : {fixture("counters.o"), fixture("counters-be.o"), raw, program}) {
    CAPTURE(path);
    bpflink_btf* btf = nullptr;
    REQUIRE(bpflink_btf_open(path.c_str(), nullptr, &btf, &error) == BPFLINK_OK);
    uint32_t id = 0;
    CHECK(bpflink_btf_find(btf, BPFLINK_BTF_STRUCT, "value", &id) == BPFLINK_OK);
    bpflink_btf_free(btf);
  }

  bpflink_btf* btf = nullptr;
  auto refusal = [&](const std::string& path) {
    CHECK(bpflink_btf_open(path.c_str(), nullptr, &btf, &error) == BPFLINK_ERROR_INPUT);
    CHECK(btf == nullptr);
    return take(error);
  };
  CHECK(refusal("/bin/true") == "/bin/true: has no section .BTF");
  CHECK(refusal("/no/such") == "/no/such: cannot open: No such file or directory");
  for (std::string text : {"", "a text", "\x1f\x8b compressed"}) {
    std::ofstream(raw) << text;
    CHECK(refusal(raw) == raw + ": is neither BTF nor an ELF file");
  }
  REQUIRE(std::system(("objcopy --add-section .BTF.base=" + raw + ' ' + program).c_str()) == 0);
  CHECK(refusal(program) ==
        program + ": is split from its section .BTF.base: btfdedup --base resolves that");
}

TEST_CASE("several threads may use handles that they do not share") {
  Image expected;
  std::vector<std::thread> threads;
  std::vector<int> same(4);
  for (int& result : same)
    threads.emplace_back([&] {
      for (int i = 0; i < 5; i++) {
        Image image;
        bpflink_object* object = nullptr;
        bpflink_dedup* dedup = nullptr;
        void* blob = nullptr;
        size_t size = 0;
        result += image.size == expected.size &&
                  std::memcmp(image.bytes, expected.bytes, image.size) == 0 &&
                  bpflink_object_parse(image.bytes, image.size, &object, nullptr) == BPFLINK_OK &&
                  bpflink_dedup_new(BPFLINK_LITTLE_ENDIAN, &dedup) == BPFLINK_OK &&
                  bpflink_dedup_add(dedup, "a", bpflink_object_btf(object)) == BPFLINK_OK &&
                  bpflink_dedup_run(dedup, &blob, &size, nullptr) == BPFLINK_OK;
        bpflink_free(blob);
        bpflink_dedup_free(dedup);
        bpflink_object_free(object);
      }
    });
  for (auto& thread : threads) thread.join();
  for (int result : same) CHECK(result == 5);
}

TEST_CASE("libraries in C") {
  bpflink_linker* linker = linker_with({"-L/nowhere", "-L", FIXTURES});
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
  bpflink_linker* linker =
      linker_with({"-r", "--redefine-sym=counters=tallies", "--prefix-symbols=y_",
                   "--prefix-symbols-of=" FIXTURES "/counters.o=x_"});
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
