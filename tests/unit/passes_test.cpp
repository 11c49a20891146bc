// Passes on a hand-made link: their inputs and results
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "linker/context.hpp"
#include "linker/object/object_types.hpp"
#include "linker/text/render.hpp"
#include "units.hpp"

namespace bpflink {
namespace {

constexpr uint64_t data_flags = SHF_ALLOC | SHF_WRITE;
constexpr uint64_t code_flags = SHF_ALLOC | SHF_EXECINSTR;

/// A link with hand-made objects instead of parsed ones
struct HandMadeLink {
  explicit HandMadeLink(LinkOptions options = {})
      : context(std::move(options), [this](const Diagnostic& diagnostic) {
          if (diagnostic.severity != Severity::Note) messages.push_back(diagnostic.message);
        }) {}

  ObjectFile& object(std::string name) {
    ObjectFile& made = *context.objects.emplace_back(std::make_unique<ObjectFile>());
    made.name = std::move(name);
    made.sections.reserve(8);  // references to them stay valid
    made.sections.emplace_back().file = &made;
    made.symbols.resize(1);
    return made;
  }

  InputSection& section(ObjectFile& object, std::string_view name, uint64_t flags, uint64_t size,
                        uint64_t alignment = 8) {
    InputSection& made = object.sections.emplace_back();
    made.name = name;
    made.type = SHT_PROGBITS;
    made.flags = flags;
    made.role = role_of(made);
    made.size = size;
    made.alignment = alignment;
    made.file = &object;
    made.index = static_cast<uint32_t>(object.sections.size() - 1);
    object.index_sections();
    made.use = SectionUse::Link;
    made.data = bytes.emplace_back(size);
    made.fragments = {{0, size}};
    return made;
  }

  uint32_t symbol(ObjectFile& object, std::string_view name, const InputSection* section,
                  uint64_t value, uint64_t size, uint8_t type, uint8_t binding = STB_GLOBAL) {
    object.symbols.push_back({.name = name,
                              .value = value,
                              .size = size,
                              .section = section ? section->index : 0,
                              .type = type,
                              .binding = binding});
    return static_cast<uint32_t>(object.symbols.size() - 1);
  }

  /// Gives an object these types, as if from its .BTF.
  void types(ObjectFile& object, const test::Unit& unit) {
    InputSection& section = this->section(object, ".BTF", 0, 0);
    section.data = bytes.emplace_back(test::finish(unit.b));
    section.size = section.data.size();
    section.use = SectionUse::Rebuild;
    section.fragments.clear();
    REQUIRE(read_object_types(object));
  }

  void run(std::initializer_list<void (*)(Context&)> passes) {
    for (auto pass : passes) pass(context);
  }

  /// "section+offset", or "nowhere".
  static std::string place(const InputSection& section, uint64_t offset) {
    auto found = place_of(section, offset);
    return found ? fmt::format("{}+{:#x}", found->section->name, found->offset) : "nowhere";
  }

  std::vector<std::string> messages;  ///< errors and warnings
  std::deque<std::vector<std::byte>> bytes;
  Context context;
};

TEST_CASE("sections of one name are laid out one after another, each aligned") {
  HandMadeLink link;
  ObjectFile &a = link.object("a.o"), &b = link.object("b.o");
  InputSection& first = link.section(a, ".data", data_flags, 5, 4);
  InputSection& other = link.section(a, ".rodata", SHF_ALLOC, 8);
  InputSection& second = link.section(b, ".data", data_flags, 8, 16);
  link.run({lay_out_sections});
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
  link.run({lay_out_sections});
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

TEST_CASE("a section larger than BPF can address is an error") {
  HandMadeLink link;
  for (const char* name : {"a.o", "b.o"}) {
    InputSection& bss = link.section(link.object(name), ".bss", data_flags, 0);
    bss.type = SHT_NOBITS;
    bss.size = bss.fragments[0].end = 3ULL << 30;
  }
  link.run({lay_out_sections});
  REQUIRE(link.messages.size() == 1);
  CHECK(link.messages[0] ==
        "output section '.bss' has 0x180000000 bytes, but BPF can address only 4 GiB");
}

/// a.o: a program that calls `used`; b.o: `used` and `unused`, both in .text
struct CallingLink : HandMadeLink {
  explicit CallingLink(LinkOptions options) : HandMadeLink(std::move(options)) {
    ObjectFile &a = object("a.o"), &b = object("b.o");
    program = &section(a, "xdp", code_flags, 16);
    text = &section(b, ".text", code_flags, 32);
    bytes.back()[8] = bytes.back()[24] = std::byte{0x95};  // each function ends with `exit`
    symbol(a, "prog", program, 0, 16, STT_FUNC);
    uint32_t callee = symbol(a, "used", nullptr, 0, 0, STT_NOTYPE);
    program->relocations.push_back({0, -1, R_BPF_64_32, callee});
    symbol(b, "unused", text, 0, 16, STT_FUNC);
    symbol(b, "used", text, 16, 16, STT_FUNC);
    run({resolve_symbols, split_into_fragments, mark_live});
  }
  InputSection *program, *text;
};

TEST_CASE("without --gc-sections, all definitions stay") {
  CallingLink link({});
  CHECK(std::ranges::all_of(link.text->fragments, &Fragment::live));
  CHECK(link.context.symbols.find("unused")->in_output);
}

TEST_CASE("with --gc-sections, unreachable definitions are dropped") {
  CallingLink link({.gc_sections = true});
  REQUIRE(link.text->fragments.size() == 2);
  CHECK(!link.text->fragments[0].live);
  CHECK(link.text->fragments[1].live);
  CHECK(link.program->fragments[0].live);
  CHECK(!link.context.symbols.find("unused")->in_output);
  CHECK(link.context.symbols.find("used")->in_output);
  REQUIRE(link.context.dropped.size() == 1);
  CHECK(link.context.dropped[0].describe() == "b.o:(.text+0x0) unused");
}

TEST_CASE("with --gc-sections, a name of -u is a root") {
  CallingLink link({.gc_sections = true, .undefined = {"unused"}});
  CHECK(std::ranges::all_of(link.text->fragments, &Fragment::live));
}

TEST_CASE("a weak definition that lost is dropped") {
  HandMadeLink link;
  ObjectFile &a = link.object("a.o"), &b = link.object("b.o");
  InputSection& weak = link.section(a, ".data", data_flags, 16);
  InputSection& strong = link.section(b, ".data", data_flags, 8);
  link.symbol(a, "own", &weak, 0, 8, STT_OBJECT);
  link.symbol(a, "shared", &weak, 8, 8, STT_OBJECT, STB_WEAK);
  link.symbol(b, "shared", &strong, 0, 8, STT_OBJECT);
  link.run({resolve_symbols, split_into_fragments, mark_live, lay_out_sections});
  CHECK(link.place(weak, 0) == ".data+0x0");
  CHECK(link.place(weak, 8) == "nowhere");
  CHECK(link.place(strong, 0) == ".data+0x8");
  CHECK(link.context.symbols.find("shared")->file == &b);
}

TEST_CASE("two strong definitions are an error") {
  HandMadeLink link;
  for (const char* name : {"a.o", "b.o"}) {
    ObjectFile& object = link.object(name);
    link.symbol(object, "shared", &link.section(object, ".data", data_flags, 8), 0, 8, STT_OBJECT);
  }
  link.run({resolve_symbols});
  CHECK(link.messages == std::vector<std::string>{"duplicate symbol: shared"});
}

/// Messages of check_types() if `value` is an int in a.o and has another type in b.o
std::vector<std::string> declare_as(BtfKind kind, std::string_view name, uint32_t size) {
  HandMadeLink link;
  ObjectFile &a = link.object("a.o"), &b = link.object("b.o");
  link.symbol(a, "value", &link.section(a, ".data", data_flags, 8), 0, 4, STT_OBJECT);
  link.symbol(b, "value", nullptr, 0, 0, STT_NOTYPE);
  test::Unit defined, declared;
  uint32_t variable = defined.variable("value", defined.integer("int"));
  defined.add(BtfKind::Datasec, ".data", 8, {variable, 0, 4}, 1);
  uint32_t type =
      kind == BtfKind::Int ? declared.integer(name, size) : declared.add(kind, name, size);
  declared.add(BtfKind::Var, "value", type, {std::to_underlying(BtfLinkage::Extern)});
  link.types(a, defined);
  link.types(b, declared);
  link.run({resolve_symbols, split_into_fragments, mark_live, lay_out_sections, number_symbols,
            merge_btf, check_types});
  return link.messages;
}

TEST_CASE("declarations must agree with the definition") {
  CHECK(declare_as(BtfKind::Int, "int", 4).empty());
  CHECK(declare_as(BtfKind::Int, "long", 8) ==
        std::vector<std::string>{"conflicting types of 'value'"});
  CHECK(declare_as(BtfKind::Float, "float", 4) ==
        std::vector<std::string>{"conflicting types of 'value'"});
}

TEST_CASE("the walk over a type that contains itself ends") {
  HandMadeLink link;
  ObjectFile &a = link.object("a.o"), &b = link.object("b.o");
  link.symbol(a, "value", &link.section(a, ".data", data_flags, 8), 0, 4, STT_OBJECT);
  link.symbol(b, "value", nullptr, 0, 0, STT_NOTYPE);
  test::Unit defined, declared;
  uint32_t variable = defined.variable("value", defined.integer("int"));
  defined.add(BtfKind::Datasec, ".data", 8, {variable, 0, 4}, 1);
  declared.add(BtfKind::Volatile, "", 2);
  declared.add(BtfKind::Volatile, "", 1);
  declared.add(BtfKind::Var, "value", 1, {std::to_underlying(BtfLinkage::Extern)});
  link.types(a, defined);
  link.types(b, declared);
  link.run({resolve_symbols, split_into_fragments, mark_live, warn_unloadable, check_programs,
            check_maps, check_externs});
  CHECK(link.messages.empty());
}

}  // namespace
}  // namespace bpflink
