// Places in sections that are laid out, and a walk over types that contain themselves: what no
// source shows. The passes' results are the subject of tests/link.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <deque>

#include "linker/state/context.hpp"
#include "made_object.hpp"

namespace bpflink {
namespace {

constexpr uint64_t data_flags = SHF_ALLOC | SHF_WRITE;

/// A link with hand-made objects instead of parsed ones
struct HandMadeLink {
  ObjectFile& object(std::string name) {
    ObjectFile& made = *context.objects.emplace_back(std::make_unique<ObjectFile>());
    made.name = std::move(name);
    made.sections.reserve(8);
    made.sections.emplace_back().file = &made;
    made.symbols.resize(1);
    return made;
  }

  InputSection& section(ObjectFile& object, std::string_view name, uint64_t flags, uint64_t size,
                        uint64_t alignment = 8) {
    return test::add_section(object, name, flags, bytes.emplace_back(size), alignment);
  }

  void types(ObjectFile& object, const test::Unit& unit) {
    test::add_types(object, bytes.emplace_back(test::finish(unit.b)));
  }

  /// "section+offset", or "nowhere".
  static std::string place(const InputSection& section, uint64_t offset) {
    auto found = place_of(section, offset);
    return found ? fmt::format("{}+{:#x}", found->section->name, found->offset) : "nowhere";
  }

  std::vector<std::string> messages;  ///< errors and warnings
  std::deque<std::vector<std::byte>> bytes;
  Context context{{}, [this](const Diagnostic& diagnostic) {
                    if (diagnostic.severity != Severity::Note)
                      messages.push_back(diagnostic.message);
                  }};
};

TEST_CASE("sections of one name are laid out one after another, each aligned") {
  HandMadeLink link;
  ObjectFile &a = link.object("a.o"), &b = link.object("b.o");
  InputSection& first = link.section(a, ".data", data_flags, 5, 4);
  InputSection& other = link.section(a, ".rodata", SHF_ALLOC, 8);
  InputSection& second = link.section(b, ".data", data_flags, 8, 16);
  lay_out_sections(link.context);
  CHECK(link.messages.empty());
  REQUIRE(link.context.sections.size() == 2);
  CHECK(link.context.sections[0]->size == 24);
  CHECK(link.context.sections[0]->alignment == 16);
  CHECK(link.place(first, 4) == ".data+0x4");
  CHECK(link.place(other, 0) == ".rodata+0x0");
  CHECK(link.place(second, 0) == ".data+0x10");
  // A pointer outside a section moves with the section's nearest end.
  CHECK(link.place(second, 9) == ".data+0x19");
}

TEST_CASE("dropped fragments have no place, and later ones move up") {
  HandMadeLink link;
  InputSection& data = link.section(link.object("a.o"), ".data", data_flags, 24);
  data.fragments = {{0, 8}, {8, 16}, {16, 24}};
  data.fragments[1].live = false;
  lay_out_sections(link.context);
  CHECK(link.place(data, 0) == ".data+0x0");
  CHECK(link.place(data, 8) == "nowhere");
  CHECK(link.place(data, 15) == "nowhere");
  CHECK(link.place(data, 16) == ".data+0x8");
  CHECK(link.context.sections[0]->size == 16);
  // A pointer to the start of a dropped fragment may mean the end of the previous one.
  auto end = place_of_pointer({&data, 8});
  REQUIRE(end);
  CHECK(end->offset == 8);
  CHECK(!place_of_pointer({&data, 9}));
}

TEST_CASE("the walk over a type that contains itself ends") {
  HandMadeLink link;
  ObjectFile &a = link.object("a.o"), &b = link.object("b.o");
  test::add_symbol(a, "value", link.section(a, ".data", data_flags, 8).index, 0, 4, STT_OBJECT);
  test::add_symbol(b, "value", 0, 0, 0, STT_NOTYPE);
  test::Unit defined, declared;
  uint32_t variable = defined.variable("value", defined.integer("int"));
  defined.add(BtfKind::Datasec, ".data", 8, {variable, 0, 4}, 1);
  declared.add(BtfKind::Volatile, "", 2);
  declared.add(BtfKind::Volatile, "", 1);
  declared.add(BtfKind::Var, "value", 1, {std::to_underlying(BtfLinkage::Extern)});
  link.types(a, defined);
  link.types(b, declared);
  for (auto pass : {resolve_symbols, split_into_fragments, mark_live, warn_unloadable,
                    check_programs, check_maps, check_externs})
    pass(link.context);
  CHECK(link.messages.empty());
}

}  // namespace
}  // namespace bpflink
