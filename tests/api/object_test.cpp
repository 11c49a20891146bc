// bpflink::Object: the contents of a linked object
#include "bpflink/object.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "bpflink/btf_query.hpp"
#include "bpflink/linker.hpp"
#include "bpflink/print.hpp"
#include "fixtures.hpp"

using namespace bpflink;

namespace {

struct Linked {
  std::vector<std::byte> image;
  std::optional<Object> object;

  Linked() {
    Linker linker({}, {});
    linker.add_file(fixture("counters.o"));
    linker.add_file(fixture("state.o"));
    auto bytes = linker.link_to_memory();
    REQUIRE(bytes);
    image = std::move(*bytes);
    auto parsed = Object::parse(image);
    REQUIRE_MESSAGE(parsed, parsed.error().message);
    object = std::move(*parsed);
  }
};

template <typename Item>
const Item& named(std::span<const Item> items, std::string_view name) {
  auto found = std::ranges::find(items, name, &Item::name);
  REQUIRE_MESSAGE(found != items.end(), name);
  return *found;
}

}  // namespace

TEST_CASE_FIXTURE(Linked, "programs") {
  CHECK(object->license() == "GPL");
  CHECK(object->programs().size() == 3);
  const Program& xdp = named(object->programs(), "count_packets");
  CHECK(xdp.section == "xdp");
  CHECK(xdp.meaning.type == ProgramType::Xdp);
  CHECK(xdp.meaning.attach_type == 37);
  CHECK(xdp.meaning.autoload);
  CHECK(xdp.size > 8);
  CHECK(xdp.size % 8 == 0);
  CHECK(print_c_definition(*object->btf(), xdp.btf_id) == "int count_packets(struct xdp_md *ctx);");

  const Program& fentry = named(object->programs(), "trace_it");
  CHECK(fentry.section == "?fentry.s/bpf_fentry_test1");
  CHECK(fentry.meaning.type == ProgramType::Tracing);
  CHECK(fentry.meaning.sleepable);
  CHECK_FALSE(fentry.meaning.autoload);
  CHECK(fentry.meaning.target == "bpf_fentry_test1");

  CHECK(named(object->programs(), "my_ssthresh").meaning.type == ProgramType::StructOps);
  // helper() is in .text: programs call it, and no loader loads it.
  CHECK(std::ranges::find(object->programs(), "helper", &Program::name) ==
        object->programs().end());
}

TEST_CASE_FIXTURE(Linked, "maps with known and unknown attributes") {
  CHECK(object->maps().size() == 3);
  const Map& counters = named(object->maps(), "counters");
  CHECK(counters.type == 1);
  CHECK(counters.max_entries == 128);
  CHECK(counters.flags == 1);
  CHECK(counters.key_size == 8);
  CHECK(counters.value_size == 40);
  CHECK(print_c_declaration(*object->btf(), counters.key_type_id) == "struct key");
  CHECK(print_c_declaration(*object->btf(), counters.value_type_id) == "struct value");
  CHECK(counters.attributes.size() == 6);
  const MapAttribute* node = counters.attribute("numa_node");
  REQUIRE(node);
  CHECK(node->form == MapAttribute::Form::Number);
  CHECK(node->number == 7);
  CHECK(counters.attribute("pinning") == nullptr);
}

TEST_CASE_FIXTURE(Linked, "maps of maps, with their filled slots") {
  const Map& outer = named(object->maps(), "outer");
  CHECK(outer.type == 12);
  CHECK(outer.key_size == 4);
  CHECK(outer.inner_attributes.size() == 4);
  REQUIRE(outer.slots.size() == 1);
  CHECK(outer.slots[0].index == 2);
  CHECK(outer.slots[0].symbol == "inner_one");
}

TEST_CASE_FIXTURE(Linked, "variables of each data section") {
  const DataSection& rodata = named(object->data_sections(), ".rodata");
  CHECK(rodata.kind == DataSection::Kind::Rodata);
  const Variable& limit = named(std::span<const Variable>(rodata.variables), "limit");
  CHECK(limit.size == 4);
  CHECK(print_c_declaration(*object->btf(), skip_qualifiers(*object->btf(), limit.type_id),
                            "limit") == "int limit");
  CHECK(std::to_integer<int>(rodata.contents[limit.offset]) == 10);
  const Variable& settings = named(std::span<const Variable>(rodata.variables), "settings");
  CHECK(settings.size == 16);
  CHECK(settings.offset % 8 == 0);

  const DataSection& data = named(object->data_sections(), ".data");
  CHECK(data.variables.size() == 2);
  const DataSection& bss = named(object->data_sections(), ".bss");
  CHECK(bss.contents.empty());
  CHECK(named(std::span<const Variable>(bss.variables), "seen").is_static);
  const DataSection& ports = named(object->data_sections(), ".bss.ports");
  CHECK(ports.kind == DataSection::Kind::Bss);
  CHECK(ports.size == 64);

  const DataSection& percpu = named(object->data_sections(), ".percpu.packets");
  CHECK(percpu.kind == DataSection::Kind::Percpu);
  CHECK(percpu.size == 24);

  const DataSection& kconfig = named(object->data_sections(), ".kconfig");
  CHECK(kconfig.kind == DataSection::Kind::Kconfig);
  CHECK(named(std::span<const Variable>(kconfig.variables), "CONFIG_HZ").size == 8);

  for (const DataSection& section : object->data_sections())
    CHECK(std::ranges::is_sorted(section.variables, {}, &Variable::offset));
}

TEST_CASE_FIXTURE(Linked, "externs") {
  CHECK(object->externs().size() == 2);
  const Extern& kfunc = named(object->externs(), "bpf_dynptr_is_null");
  CHECK(kfunc.section == ".ksyms");
  CHECK(kfunc.is_function);
  CHECK(kfunc.is_weak);
  const Extern& config = named(object->externs(), "CONFIG_HZ");
  CHECK(config.section == ".kconfig");
  CHECK_FALSE(config.is_function);
}

TEST_CASE_FIXTURE(Linked, "struct_ops") {
  REQUIRE(object->struct_ops().size() == 1);
  const StructOps& ops = object->struct_ops()[0];
  CHECK(ops.name == "my_ops");
  CHECK(ops.type_name == "tcp_congestion_ops");
  CHECK(ops.is_link);
  CHECK(ops.autoload);
  CHECK(ops.size == 32);
  REQUIRE(ops.members.size() == 1);
  CHECK(ops.members[0].name == "ssthresh");
  CHECK(ops.members[0].program == "my_ssthresh");
  CHECK(ops.members[0].offset == 8);
}

TEST_CASE_FIXTURE(Linked, "types by kind and name") {
  const Btf& btf = *object->btf();
  BtfIndex index(btf);
  auto key = find_type(btf, BtfKind::Struct, "key");
  REQUIRE(key);
  CHECK(index.find(BtfKind::Struct, "key") == key);
  CHECK(type_size(btf, *key) == 8);
  CHECK(type_alignment(btf, *key) == 4);
  CHECK(type_size(btf, *index.find(BtfKind::Struct, "value")) == 40);
  CHECK(type_alignment(btf, *index.find(BtfKind::Struct, "value")) == 8);
  CHECK_FALSE(find_type(btf, BtfKind::Union, "key"));
  CHECK_FALSE(index.find(BtfKind::Union, "key"));
  CHECK_FALSE(index.find(BtfKind::Struct, ""));
  CHECK_FALSE(type_size(btf, *index.find(BtfKind::Func, "helper")));
  CHECK_FALSE(type_size(btf, 0));
}

TEST_CASE("an object in the other byte order") {
  auto object = Object::open(fixture("counters-be.o"));
  REQUIRE_MESSAGE(object, object.error().message);
  CHECK(object->byte_order() == std::endian::big);
  CHECK(named(object->maps(), "counters").value_size == 40);
  CHECK(named(object->maps(), "outer").slots.size() == 1);
  const DataSection& rodata = named(object->data_sections(), ".rodata");
  CHECK(named(std::span<const Variable>(rodata.variables), "limit").size == 4);
}

TEST_CASE("an object without BTF is described from its symbols") {
  auto object = Object::open(fixture("counters-nobtf.o"));
  REQUIRE_MESSAGE(object, object.error().message);
  CHECK(object->btf() == nullptr);
  CHECK(object->programs().size() == 2);
  CHECK(object->maps().size() == 3);
  CHECK(named(object->maps(), "counters").attributes.empty());
  const DataSection& rodata = named(object->data_sections(), ".rodata");
  CHECK(named(std::span<const Variable>(rodata.variables), "limit").size == 4);
}

TEST_CASE("a map that is not a struct is an error") {
  auto object = Object::open(fixture("odd-map.o"));
  REQUIRE_FALSE(object);
  CHECK(object.error().message == "map 'odd' is not a struct");
}

TEST_CASE("a file that is not an object is an error") {
  auto missing = Object::open("/nonexistent/file.o");
  REQUIRE_FALSE(missing);
  CHECK_FALSE(missing.error().message.empty());
  auto image = read_file(fixture("state.o"));
  for (size_t size : {size_t{0}, size_t{3}, size_t{64}, image.size() / 2, image.size() - 1})
    CHECK_FALSE(Object::parse(std::span(image).first(size)));
}
