// The C interface's own rules: structs of other sizes, arguments, ownership
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

TEST_CASE("refused options are named") {
  bpflink_dedup_options dedup = BPFLINK_DEDUP_OPTIONS_INIT;
  CHECK(bpflink_dedup_options_fault(&dedup) == nullptr);
  dedup.sort = 2;
  CHECK(take(bpflink_dedup_options_fault(&dedup)) == "sort is 2, not 0 or 1");
  dedup.size = 3;
  CHECK(take(bpflink_dedup_options_fault(&dedup)) == "the size is 3, less than 8");
}

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

  REQUIRE(bpflink_btf_find_c_type(btf, "int", &id) == BPFLINK_OK);
  CHECK(bpflink_btf_kind(btf, id) == BPFLINK_BTF_INT);
  REQUIRE(bpflink_btf_find_c_type(btf, "struct value", &id) == BPFLINK_OK);
  CHECK(bpflink_btf_kind(btf, id) == BPFLINK_BTF_STRUCT);
  for (const char* absent : {"value", "union value", "struct int", "struct", ""})
    CHECK(bpflink_btf_find_c_type(btf, absent, &id) == BPFLINK_ERROR_NOT_FOUND);
  CHECK(bpflink_btf_first_id(btf) == 1);
  CHECK(bpflink_btf_byte_order(btf) == bpflink_object_byte_order(object));

  bpflink_var_secinfo entry;
  REQUIRE(bpflink_btf_find(btf, BPFLINK_BTF_DATASEC, ".maps", &id) == BPFLINK_OK);
  REQUIRE(bpflink_btf_type(btf, id, &type, sizeof type) == BPFLINK_OK);
  REQUIRE(bpflink_btf_var_secinfo(btf, id, 0, &entry, sizeof entry) == BPFLINK_OK);
  CHECK(bpflink_btf_kind(btf, entry.type_id) == BPFLINK_BTF_VAR);
  CHECK(bpflink_btf_var_secinfo(btf, id, type.vlen, &entry, sizeof entry) ==
        BPFLINK_ERROR_ARGUMENT);
  REQUIRE(bpflink_btf_type(btf, entry.type_id, &type, sizeof type) == BPFLINK_OK);
  CHECK(type.linkage == BPFLINK_LINKAGE_GLOBAL);

  bpflink_param param;
  REQUIRE(bpflink_btf_find(btf, BPFLINK_BTF_FUNC, "count_packets", &id) == BPFLINK_OK);
  REQUIRE(bpflink_btf_type(btf, id, &type, sizeof type) == BPFLINK_OK);
  CHECK(type.linkage == BPFLINK_LINKAGE_GLOBAL);
  id = type.type_id;
  REQUIRE(bpflink_btf_type(btf, id, &type, sizeof type) == BPFLINK_OK);
  REQUIRE(type.vlen == 1);
  REQUIRE(bpflink_btf_param(btf, id, 0, &param, sizeof param) == BPFLINK_OK);
  CHECK(std::string(param.name) == "ctx");
  CHECK(bpflink_btf_param(btf, id, 1, &param, sizeof param) == BPFLINK_ERROR_ARGUMENT);

  CHECK(take(bpflink_btf_declaration(btf, 0, "")) == "void");
  CHECK(take(bpflink_btf_declaration(btf, bpflink_btf_end_id(btf), "")) == "(null)");
  CHECK(take(bpflink_btf_c_header(btf)).find("struct value {") != std::string::npos);
  CHECK(take(bpflink_btf_raw(btf, id)).find("FUNC_PROTO") != std::string::npos);
  CHECK(std::string(bpflink_btf_kind_name(BPFLINK_BTF_ENUM64)) == "ENUM64");
  CHECK(std::string(bpflink_btf_kind_name(UINT32_MAX)) == "UNKNOWN");
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
  bpflink_section_meaning meaning;
  REQUIRE(bpflink_read_section_name("?fentry.s/do_unlinkat", &meaning, sizeof meaning) ==
          BPFLINK_OK);
  CHECK(meaning.sleepable == 1);
  CHECK(meaning.autoload == 0);
  CHECK(std::string(meaning.target) == "do_unlinkat");

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

TEST_CASE("CO-RE relocations are checked against a kernel") {
  // The program's own types stand for a kernel that has everything.
  auto task = read_file(fixture("task.o"));
  bpflink_object* object = nullptr;
  REQUIRE(bpflink_object_parse(task.data(), task.size(), &object, nullptr) == BPFLINK_OK);
  bpflink::BtfBuilder none;
  auto empty_blob = *none.finish(std::endian::native);
  bpflink_btf* empty = nullptr;
  REQUIRE(bpflink_btf_parse(empty_blob.data(), empty_blob.size(), &empty, nullptr) == BPFLINK_OK);
  for (const bpflink_btf* types :
       {bpflink_object_btf(object), static_cast<const bpflink_btf*>(empty)}) {
    bpflink_core_kernel* kernel = nullptr;
    REQUIRE(bpflink_core_kernel_new(types, nullptr, 0, &kernel) == BPFLINK_OK);
    bpflink_core_facts facts = BPFLINK_CORE_FACTS_INIT;
    facts.has_ksym = [](void*, const char*) { return 1; };
    facts.kconfig = [](void*, const char*, uint64_t* value) {
      *value = 1;
      return 1;
    };
    bpflink_core_report* report = nullptr;
    REQUIRE(bpflink_core_check(task.data(), task.size(), kernel, &facts, &report, nullptr) ==
            BPFLINK_OK);
    REQUIRE(bpflink_core_report_verdict_count(report) > 0);
    bpflink_core_verdict verdict;
    REQUIRE(bpflink_core_report_verdict(report, 0, &verdict, sizeof verdict) == BPFLINK_OK);
    CHECK((verdict.status == BPFLINK_CORE_RESOLVES) == (types != empty));
    CHECK(verdict.has_value == (types != empty));
    CHECK(std::string(verdict.message).empty() == (types != empty));
    REQUIRE(verdict.program_count > 0);
    const char* program = nullptr;
    REQUIRE(bpflink_core_report_program(report, 0, 0, &program) == BPFLINK_OK);
    size_t index = 0;
    CHECK(bpflink_object_find_program(object, program, &index) == BPFLINK_OK);
    const char* variable = nullptr;
    uint64_t value = 0;
    CHECK(bpflink_core_report_assumption(report, 0, verdict.assumption_count, &variable, &value) ==
          BPFLINK_ERROR_ARGUMENT);
    bpflink_core_report_free(report);

    const void* images[] = {task.data()};
    const size_t sizes[] = {task.size()};
    void* blob = nullptr;
    size_t size = 0;
    REQUIRE(bpflink_core_minimize(images, sizes, 1, kernel, BPFLINK_LITTLE_ENDIAN, &blob, &size,
                                  nullptr) == BPFLINK_OK);
    bpflink_btf* minimal = nullptr;
    REQUIRE(bpflink_btf_parse(blob, size, &minimal, nullptr) == BPFLINK_OK);
    CHECK((bpflink_btf_end_id(minimal) > 1) == (types != empty));
    bpflink_btf_free(minimal);
    bpflink_free(blob);
    bpflink_core_kernel_free(kernel);
  }
  char* error = nullptr;
  bpflink_core_kernel* kernel = nullptr;
  REQUIRE(bpflink_core_kernel_new(empty, nullptr, 0, &kernel) == BPFLINK_OK);
  bpflink_core_report* report = nullptr;
  CHECK(bpflink_core_check("no object", 9, kernel, nullptr, &report, &error) ==
        BPFLINK_ERROR_INPUT);
  CHECK(take(error) != "(null)");
  bpflink_core_facts facts = BPFLINK_CORE_FACTS_INIT;
  facts.setting_count = 1;
  CHECK(bpflink_core_check(task.data(), task.size(), kernel, &facts, &report, &error) ==
        BPFLINK_ERROR_ARGUMENT);
  CHECK(take(error) == "settings is null, but 1 are counted");
  const char* setting = "CONFIG_HZ";
  facts.settings = &setting;
  CHECK(bpflink_core_check(task.data(), task.size(), kernel, &facts, &report, &error) ==
        BPFLINK_ERROR_ARGUMENT);
  CHECK(take(error) == "setting_values is null");
  bpflink_core_kernel_free(kernel);
  bpflink_btf_free(empty);
  bpflink_object_free(object);
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

TEST_CASE("BTF is found, measured, printed and deduplicated") {
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
  uint32_t output_id = 0;
  CHECK(bpflink_dedup_output_id(dedup, 0, id, &output_id) == BPFLINK_OK);
  CHECK(std::string(bpflink_btf_name(again, output_id)) == "value");
  CHECK(bpflink_dedup_output_id(dedup, 1, id, &output_id) == BPFLINK_ERROR_ARGUMENT);
  char *explanation = nullptr, *reason = nullptr;
  CHECK(bpflink_dedup_explain(dedup, "struct value", &explanation, &reason) == BPFLINK_OK);
  CHECK(take(explanation).find("struct value") != std::string::npos);
  CHECK(bpflink_dedup_explain(dedup, "struct absent", &explanation, &reason) ==
        BPFLINK_ERROR_INPUT);
  CHECK(explanation == nullptr);
  CHECK(take(reason) != "(null)");

  // Split from that: an array of the last type, and a typedef of the array
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

  // The same without a base, and with a small base
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

TEST_CASE("BTF is read from files") {
  TemporaryDirectory directory;
  std::string raw = directory.file("raw.btf"), program = directory.file("program");
  void* blob = nullptr;
  size_t size = 0;
  char* error = nullptr;
  REQUIRE(bpflink_btf_read(fixture("counters.o").c_str(), &blob, &size, &error) == BPFLINK_OK);
  std::ofstream(raw, std::ios::binary).write(static_cast<const char*>(blob), size);
  bpflink_free(blob);
  // A program of the host's machine, as vmlinux is one
  REQUIRE(std::system(("objcopy --add-section .BTF=" + raw + " /bin/true " + program).c_str()) ==
          0);
  for (const std::string& path : {fixture("counters.o"), fixture("counters-be.o"), raw, program}) {
    CAPTURE(path);
    bpflink_btf* btf = nullptr;
    REQUIRE(bpflink_btf_open(path.c_str(), nullptr, &btf, &error) == BPFLINK_OK);
    uint32_t id = 0;
    CHECK(bpflink_btf_find_c_type(btf, "struct value", &id) == BPFLINK_OK);
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
    CHECK(bpflink_btf_read(raw.c_str(), &blob, &size, nullptr) == BPFLINK_ERROR_INPUT);
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
                  bpflink_dedup_new(nullptr, &dedup) == BPFLINK_OK &&
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

TEST_CASE("types for an older kernel") {
  bpflink::BtfBuilder types;
  types.add_type(types.add_string("double"), types.info(bpflink::BtfKind::Float), 8);
  types.add_type(types.add_string("wide"), types.info(bpflink::BtfKind::Enum64, 1), 8,
                 std::vector<uint32_t>{types.add_string("A"), 1, 0});
  auto bytes = *types.finish(std::endian::native);
  bpflink_btf* btf = nullptr;
  REQUIRE(bpflink_btf_parse(bytes.data(), bytes.size(), &btf, nullptr) == BPFLINK_OK);
  void* blob = nullptr;
  size_t size = 0;
  char* error = nullptr;
  constexpr auto use = BPFLINK_BTF_OF_PROGRAM;
  CHECK(bpflink_btf_convert(nullptr, use, 6, 0, &blob, &size, &error) == BPFLINK_ERROR_ARGUMENT);
  CHECK(bpflink_btf_convert(btf, 2, 6, 0, &blob, &size, &error) == BPFLINK_ERROR_ARGUMENT);
  CHECK(bpflink_btf_convert(btf, use, 65536, 0, &blob, &size, &error) == BPFLINK_ERROR_ARGUMENT);
  CHECK(bpflink_btf_convert(btf, use, 6, 0, nullptr, &size, &error) == BPFLINK_ERROR_ARGUMENT);
  CHECK(bpflink_btf_convert(btf, use, 5, 19, &blob, &size, &error) == BPFLINK_ERROR_INPUT);
  CHECK(take(error).find("no INT of its size") != std::string::npos);
  REQUIRE(bpflink_btf_convert(btf, use, 6, 0, &blob, &size, nullptr) == BPFLINK_OK);
  REQUIRE(size == bytes.size());
  CHECK(std::memcmp(blob, bytes.data(), size) == 0);
  bpflink_free(blob);
  bpflink_btf_free(btf);
}

/// Split BTF with one pointer to `type`, or for 0 without types; without strings.
static std::vector<std::byte> split_without_strings(uint32_t type) {
  std::vector<uint32_t> words = {0x1eb9f, 24, 0, type != 0 ? 12u : 0, type != 0 ? 12u : 0, 0};
  if (type != 0)
    words.insert(words.end(), {0, bpflink::BtfBuilder::info(bpflink::BtfKind::Ptr), type});
  auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

TEST_CASE("split BTF without strings or types, and without its base") {
  bpflink::BtfBuilder types;
  types.add_type(types.add_string("int"), types.info(bpflink::BtfKind::Int), 4,
                 std::vector<uint32_t>{32});
  auto base_blob = *types.finish(std::endian::native);
  bpflink_btf* base = nullptr;
  REQUIRE(bpflink_btf_parse(base_blob.data(), base_blob.size(), &base, nullptr) == BPFLINK_OK);
  for (uint32_t type : {1, 0}) {
    std::vector<std::byte> blob = split_without_strings(type);
    bpflink_btf* split = nullptr;
    REQUIRE(bpflink_btf_parse_split(blob.data(), blob.size(), base, &split, nullptr) == BPFLINK_OK);
    CHECK(bpflink_btf_end_id(split) == (type != 0 ? 3 : 2));
    bpflink_verdict* verdict = nullptr;
    REQUIRE(bpflink_btf_check(blob.data(), blob.size(), BPFLINK_BTF_OF_KERNEL, base, &verdict) ==
            BPFLINK_OK);
    CHECK(bpflink_verdict_fault_count(verdict) == 0);
    bpflink_verdict_free(verdict);
    bpflink_dedup_options options = BPFLINK_DEDUP_OPTIONS_INIT;
    options.base = base;
    bpflink_dedup* dedup = nullptr;
    REQUIRE(bpflink_dedup_new(&options, &dedup) == BPFLINK_OK);
    CHECK(bpflink_dedup_add(dedup, "split", split) == BPFLINK_OK);
    void* merged = nullptr;
    size_t size = 0;
    CHECK(bpflink_dedup_run(dedup, &merged, &size, nullptr) == BPFLINK_OK);
    bpflink_free(merged);
    bpflink_dedup_free(dedup);
    bpflink_btf_free(split);
  }

  // A kernel finds one fault, and the advice tells its cause.
  auto advice_on = [&](std::span<const std::byte> blob, const bpflink_btf* of) {
    bpflink_verdict* verdict = nullptr;
    REQUIRE(bpflink_btf_check(blob.data(), blob.size(), BPFLINK_BTF_OF_KERNEL, of, &verdict) ==
            BPFLINK_OK);
    CHECK(bpflink_verdict_fault_count(verdict) == 1);
    bpflink_fault fault{};
    CHECK(bpflink_verdict_fault(verdict, 0, &fault, sizeof fault) == BPFLINK_OK);
    std::string advice = fault.advice ? fault.advice : "";
    CHECK(take(bpflink_verdict_fault_text(verdict, 0)).ends_with(advice));
    bpflink_verdict_free(verdict);
    return advice;
  };
  bpflink::Btf view = *bpflink::Btf::parse(base_blob);
  bpflink::BtfBuilder named(&view);
  named.add_type(named.add_string("own"), named.info(bpflink::BtfKind::Typedef), 1);
  auto named_blob = *named.finish(std::endian::native);
  CHECK(advice_on(named_blob, nullptr) == "it is split BTF, which needs its base");
  CHECK(advice_on(split_without_strings(3), base) ==
        "made with another base, such as another build of vmlinux: it refers to type 3, and the "
        "last one is 2");
  bpflink_btf_free(base);
}

TEST_CASE("types that kernels accept or refuse") {
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
  CHECK(fault.until_major == 0);
  CHECK(bpflink_verdict_accepts(verdict, 7, 2) == 0);
  CHECK(take(bpflink_verdict_fault_text(verdict, 0)).find("two words") != std::string::npos);
  CHECK(take(bpflink_verdict_fault_text(verdict, 1)) == "(null)");
  CHECK(bpflink_verdict_omitted(verdict) == 0);
  bpflink_requirement needs;
  REQUIRE(bpflink_verdict_needs(verdict, &needs, sizeof needs) == BPFLINK_OK);
  CHECK(std::string(needs.what) == "TYPE_TAG");
  CHECK(needs.major == 5);
  CHECK(needs.minor == 17);
  CHECK(needs.type_id == 3);
  bpflink_verdict_free(verdict);
  bpflink_verdict_free(nullptr);
  CHECK(bpflink_verdict_fault_count(nullptr) == 0);
  CHECK(bpflink_verdict_accepts(nullptr, 7, 2) == 0);
}

TEST_CASE("a rule that has an end") {
  bpflink::BtfBuilder types;
  types.add_type(types.add_string("int"), types.info(bpflink::BtfKind::Int), 4,
                 std::vector<uint32_t>{32});
  types.add_type(types.add_string("user"), types.info(bpflink::BtfKind::TypeTag), 1);
  types.add_type(0, types.info(bpflink::BtfKind::Const), 2);
  auto blob = *types.finish(std::endian::native);
  bpflink_verdict* verdict = nullptr;
  REQUIRE(bpflink_btf_check(blob.data(), blob.size(), BPFLINK_BTF_OF_PROGRAM, nullptr, &verdict) ==
          BPFLINK_OK);
  REQUIRE(bpflink_verdict_fault_count(verdict) == 1);
  bpflink_fault fault;
  REQUIRE(bpflink_verdict_fault(verdict, 0, &fault, sizeof fault) == BPFLINK_OK);
  CHECK(std::string(fault.rule) == "tag-order");
  CHECK(fault.since_major == 5);
  CHECK(fault.since_minor == 19);
  CHECK(fault.until_major == 7);
  CHECK(fault.until_minor == 2);
  CHECK(bpflink_verdict_accepts(verdict, 5, 16) == 0);  // no TYPE_TAG there
  CHECK(bpflink_verdict_accepts(verdict, 5, 18) == 1);
  CHECK(bpflink_verdict_accepts(verdict, 6, 12) == 0);
  CHECK(bpflink_verdict_accepts(verdict, 7, 2) == 1);
  CHECK(bpflink_verdict_accepts(verdict, 65536, 0) == 0);
  bpflink_verdict_free(verdict);
}
