// The C interface's own rules: arguments, arrays, ownership
#include <doctest/doctest.h>

#include <cstring>
#include <set>
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
  REQUIRE(diagnostic->locations.count >= 1);
  const auto* location = BPFLINK_ITEM(bpflink_location, diagnostic->locations, 0);
  CHECK(std::string(location->object) == fixture("counters.o"));
  CHECK(location->line > 0);
  counter->text = location->text;
  bpflink_diagnostic made{};
  CHECK(bpflink_diagnostic_render(&made, "me", 0) == nullptr);
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

TEST_CASE("items of a later version are longer") {
  struct Later {
    bpflink_pass pass;
    uint64_t added;
  };
  const Later passes[] = {{{"one", 1}, 0}, {{"two", 2}, 0}};
  bpflink_array array = {passes, 2, sizeof(Later)};
  CHECK(std::string(BPFLINK_ITEM(bpflink_pass, array, 1)->name) == "two");
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
  CHECK(bpflink_object_contents(nullptr) == nullptr);
  CHECK(bpflink_linker_report(nullptr) == nullptr);
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
  const bpflink_btf* btf = bpflink_object_contents(object)->btf;
  auto type_of = [&](uint32_t id) {
    const bpflink_type *type = nullptr, *again = nullptr;
    REQUIRE(bpflink_btf_type(btf, id, &type) == BPFLINK_OK);
    CHECK(bpflink_btf_type(btf, id, &again) == BPFLINK_OK);
    CHECK(type == again);
    return *type;
  };
  auto find = [&](uint32_t kind, const char* name) {
    uint32_t id = 0;
    REQUIRE(bpflink_btf_find(btf, kind, name, &id) == BPFLINK_OK);
    return type_of(id);
  };

  bpflink_type type = find(BPFLINK_BTF_STRUCT, "value");
  CHECK(std::string(type.name) == "value");
  CHECK(type.kind == 4);
  CHECK(type.size == 40);
  CHECK(type.alignment == 8);
  CHECK(type.vlen == 2);
  CHECK(type.enumerators.count == 0);
  auto members = items<bpflink_member>(type.members);
  REQUIRE(members.size() == 2);
  CHECK(std::string(members[1].name) == "bytes");
  CHECK(members[1].bit_offset == 64);
  CHECK(members[1].bitfield_size == 0);
  type = type_of(members[1].type_id);
  CHECK(type.array_length == 4);
  CHECK(type.size == 32);

  type = find(BPFLINK_BTF_INT, "int");
  CHECK(type.encoding == BPFLINK_INT_SIGNED);
  CHECK(type.vlen == 0);
  CHECK(type.members.count == 0);
  CHECK(find(BPFLINK_BTF_VAR, "counters").linkage == BPFLINK_LINKAGE_GLOBAL);
  type = find(BPFLINK_BTF_FUNC, "count_packets");
  CHECK(type.linkage == BPFLINK_LINKAGE_GLOBAL);
  CHECK(type_of(type.type_id).vlen == 1);

  CHECK(take(bpflink_btf_declaration(btf, 0, "")) == "void");
  CHECK(take(bpflink_btf_declaration(btf, bpflink_btf_end_id(btf), "")) == "(null)");
  type = type_of(0);
  CHECK(type.kind == BPFLINK_BTF_VOID);
  CHECK(std::string(type.name).empty());
  const bpflink_type* none = &type;
  CHECK(bpflink_btf_type(btf, bpflink_btf_end_id(btf), &none) == BPFLINK_ERROR_ARGUMENT);
  CHECK(none == nullptr);
  CHECK(bpflink_btf_type(btf, 1, nullptr) == BPFLINK_ERROR_ARGUMENT);
  bpflink_object_free(object);
}

TEST_CASE("items are described completely") {
  Image image;
  bpflink_object* object = nullptr;
  REQUIRE(bpflink_object_parse(image.bytes, image.size, &object, nullptr) == BPFLINK_OK);
  const bpflink_contents& contents = *bpflink_object_contents(object);
  CHECK(contents.byte_order == BPFLINK_LITTLE_ENDIAN);
  CHECK(std::string(contents.license) == "GPL");

  auto program = named<bpflink_program>(contents.programs, "count_packets");
  CHECK(std::string(bpflink_program_type_name(program.type)) == "xdp");
  CHECK(std::string(bpflink_attach_type_name(program.attach_type)) == "xdp");
  auto map = named<bpflink_map>(contents.maps, "counters");
  CHECK(std::string(bpflink_map_type_name(map.type)) == "hash");
  CHECK(std::string(bpflink_map_type_name(9999)) == "unknown");
  CHECK(named<bpflink_map_attribute>(map.attributes, "numa_node").number == 7);
  CHECK(map.is_static == 0);
  auto outer = named<bpflink_map>(contents.maps, "outer");
  CHECK(outer.inner_attributes.count > 0);
  REQUIRE(outer.slots.count == 1);
  CHECK(std::string(items<bpflink_map_slot>(outer.slots)[0].symbol) == "inner_one");

  auto ops = named<bpflink_struct_ops>(contents.struct_ops, "my_ops");
  CHECK(ops.autoload == 1);
  CHECK(ops.contents != nullptr);
  REQUIRE(ops.members.count > 0);
  auto members = items<bpflink_struct_ops_member>(ops.members);
  CHECK(named<bpflink_program>(contents.programs, members[0].program).size > 0);

  size_t variables = 0;
  for (const auto& section : items<bpflink_data_section>(contents.data_sections)) {
    CHECK(section.alignment > 0);
    bool is_rodata = std::string(section.name).starts_with(".rodata");
    CHECK((section.kind == BPFLINK_DATA_SECTION_RODATA) == is_rodata);
    bool is_percpu = std::string(section.name).starts_with(".percpu");
    CHECK((section.kind == BPFLINK_DATA_SECTION_PERCPU) == is_percpu);
    for (const auto& variable : items<bpflink_variable>(section.variables))
      variables += variable.offset + variable.size <= section.size;
  }
  CHECK(variables > 0);
  for (const auto& symbol : items<bpflink_extern>(contents.externs)) CHECK(*symbol.name != '\0');
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

TEST_CASE("notes reach the callback if an option asks for them") {
  struct Case {
    Options options;
    bool has_notes, has_dropped;
  };
  for (const Case& c :
       {Case{{"--gc-sections"}, false, false},
        Case{{"--gc-sections", "--print-gc-sections"}, true, true},
        Case{{"--trace-symbol", "counters"}, true, false}, Case{{"-v"}, true, false}}) {
    CAPTURE(c.options.back());
    std::multiset<bpflink_diagnostic_code> notes;
    auto note = [](void* context, const bpflink_diagnostic* diagnostic) {
      if (diagnostic->severity == BPFLINK_SEVERITY_NOTE)
        static_cast<decltype(notes)*>(context)->insert(diagnostic->code);
    };
    bpflink_linker* linker = linker_with(c.options, note, &notes);
    for (const char* name : {"counters.o", "state.o", "tally.o"})
      CHECK(bpflink_linker_add_file(linker, fixture(name).c_str()) == BPFLINK_OK);
    void* bytes = nullptr;
    size_t size = 0;
    CHECK(bpflink_linker_link_to_memory(linker, &bytes, &size) == BPFLINK_OK);
    CHECK(notes.empty() != c.has_notes);
    CHECK(notes.contains(BPFLINK_DIAGNOSTIC_DROPPED) == c.has_dropped);
    bpflink_free(bytes);
    bpflink_linker_free(linker);
  }
}

TEST_CASE("skeletons are those of bpfskel") {
  Image image;
  char *text = nullptr, *error = nullptr;
  auto make = [&](unsigned kind, const char* name = "my.object") {
    return bpflink_skeleton(image.bytes, image.size, name, bpflink_skeleton_kind(kind), &text,
                            &error);
  };
  constexpr std::string_view expected[] = {
      "struct my_object {", "class my_object_skel {", "pub mod my_object {",
      "pub struct MyObjectSkelBuilder {", "struct bpf_object_subskeleton *subskel;"};
  for (unsigned kind = BPFLINK_SKELETON_C; kind <= BPFLINK_SKELETON_SUBSKELETON; ++kind) {
    CAPTURE(kind);
    CHECK(make(kind) == BPFLINK_OK);
    CHECK(error == nullptr);
    CHECK(take(text).find(expected[kind]) != std::string::npos);
  }
  CHECK(make(BPFLINK_SKELETON_SUBSKELETON + 1) == BPFLINK_ERROR_ARGUMENT);
  CHECK(text == nullptr);
  CHECK(take(error) == "there is no such kind of skeleton");
  CHECK(make(BPFLINK_SKELETON_C, nullptr) == BPFLINK_ERROR_ARGUMENT);
  CHECK(bpflink_skeleton("no object", 9, "x", BPFLINK_SKELETON_C, &text, &error) ==
        BPFLINK_ERROR_INPUT);
  CHECK(take(error) != "(null)");
}

TEST_CASE("a link fills its report and writes report files") {
  TemporaryDirectory directory;
  std::string json = directory.file("report.json");
  bpflink_linker* linker = linker_with(
      {"--json=" + json, "--print-sizes=3", "--explain=counters", "--explain", "struct value"});
  for (const char* name : {"counters.o", "state.o"})
    CHECK(bpflink_linker_add_file(linker, fixture(name).c_str()) == BPFLINK_OK);
  CHECK(bpflink_linker_report(linker) == nullptr);
  REQUIRE(bpflink_linker_link_to_file(linker, directory.file("out.o").c_str()) == BPFLINK_OK);
  const bpflink_link_report* report = bpflink_linker_report(linker);
  REQUIRE(report != nullptr);
  CHECK(report->objects == 2);
  CHECK(report->output_types > 0);
  CHECK(std::string(report->explanations).find("struct value") != std::string::npos);
  CHECK(std::string(report->sizes).find("count_packets") != std::string::npos);
  REQUIRE(report->file_count == 2);
  CHECK(std::string(report->files[1]) == fixture("state.o"));
  REQUIRE(report->passes.count > 0);
  CHECK(BPFLINK_ITEM(bpflink_pass, report->passes, 0)->seconds >= 0);
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
    const bpflink_type* type = nullptr;
    REQUIRE(bpflink_btf_type(btf, i + 1, &type) == BPFLINK_OK);
    REQUIRE(type->enumerators.count == 1);
    const auto* enumerator = BPFLINK_ITEM(bpflink_enumerator, type->enumerators, 0);
    CHECK(std::string(enumerator->name) == (i < 2 ? "MINUS" : "LARGE"));
    CHECK(enumerator->value == values[i]);
  }
  bpflink_btf_free(btf);
}

TEST_CASE("BTF is found, printed and deduplicated") {
  Image image;
  bpflink_object* object = nullptr;
  REQUIRE(bpflink_object_parse(image.bytes, image.size, &object, nullptr) == BPFLINK_OK);
  const bpflink_btf* btf = bpflink_object_contents(object)->btf;
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
        result +=
            image.size == expected.size &&
            std::memcmp(image.bytes, expected.bytes, image.size) == 0 &&
            bpflink_object_parse(image.bytes, image.size, &object, nullptr) == BPFLINK_OK &&
            bpflink_dedup_new(BPFLINK_LITTLE_ENDIAN, &dedup) == BPFLINK_OK &&
            bpflink_dedup_add(dedup, "a", bpflink_object_contents(object)->btf) == BPFLINK_OK &&
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
