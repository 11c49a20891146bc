// Objects whose file did not stay in memory.
#include "linker/elf/object_file.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "../api/fixtures.hpp"
#include "dedup/format/type_section.hpp"
#include "linker/elf/object_image.hpp"

using namespace bpflink;

namespace {

/// An object that was read from a copy of its file, which is gone.
std::unique_ptr<ObjectFile> read_copy(const std::string& path) {
  auto file = OpenFile::open(path);
  REQUIRE(file);
  std::vector<std::byte> copy(file->size(), std::byte{0xee});
  REQUIRE(read_without_dwarf(*file, copy));
  auto object = ObjectFile::read(path, copy, {.copy_small = true, .copied_from = &*file});
  REQUIRE(object);
  std::ranges::fill(copy, std::byte{0xff});
  return std::move(*object);
}

}  // namespace

TEST_CASE("types of a file that did not stay are those of one that does") {
  for (const char* name : {"counters.o", "counters-be.o", "packets.o", "dwarf.o"}) {
    CAPTURE(name);
    auto object = read_copy(fixture(name));
    std::vector<std::byte> image = read_file(fixture(name));
    auto whole = ObjectFile::read(name, image);
    REQUIRE(object);
    REQUIRE(whole);
    const Btf& types = *object->btf;
    const Btf& expected = *(*whole)->btf;
    CHECK(count_words(types) == count_words(expected));
    REQUIRE(types.end_id() == expected.end_id());
    CHECK(object->btf_read_again.empty());
    for (uint32_t id = 1; id < types.end_id(); id++) {
      CHECK(std::ranges::equal(types.type(id).words(), expected.type(id).words()));
      CHECK(types.name(types.type(id)) == expected.name(expected.type(id)));
    }
    CHECK(!object->btf_read_again.empty());
    CHECK(object->check_types());
    auto is_linked = [](const InputSection& section) { return section.use == SectionUse::Link; };
    CHECK(object->sections.size() < (*whole)->sections.size());
    CHECK(std::ranges::count_if(object->sections, is_linked) ==
          std::ranges::count_if((*whole)->sections, is_linked));
    for (size_t i = 1; i < object->sections.size(); i++) {
      const InputSection& section = object->sections[i];
      auto other = std::ranges::find((*whole)->sections, section.name, &InputSection::name);
      REQUIRE(other != (*whole)->sections.end());
      CHECK(section.index == i);
      CHECK(section.use == other->use);
      CHECK(section.relocations.size() == other->relocations.size());
      if (is_linked(section)) CHECK(std::ranges::equal(section.data, other->data));
    }
    REQUIRE(object->symbols.size() == (*whole)->symbols.size());
    for (size_t i = 1; i < object->symbols.size(); i++) {
      const InputSymbol& symbol = object->symbols[i];
      const InputSymbol& other = (*whole)->symbols[i];
      CHECK(symbol.name == other.name);
      CHECK(symbol.place == other.place);
      std::string_view section = (*whole)->sections[other.section].name;
      if (symbol.section != 0) CHECK(object->sections[symbol.section].name == section);
      CHECK((symbol.section != 0) == ((*whole)->sections[other.section].use == SectionUse::Link));
    }
  }
}

TEST_CASE("DWARF and its relocations are not read, all else is") {
  auto file = OpenFile::open(fixture("dwarf.o"));
  REQUIRE(file);
  std::vector<std::byte> image(file->size(), std::byte{0xee});
  REQUIRE(read_without_dwarf(*file, image));
  std::vector<std::byte> whole;
  REQUIRE(read_whole(*file, whole));
  CHECK(whole == read_file(fixture("dwarf.o")));
  auto object = ObjectFile::read("whole", whole);
  REQUIRE(object);
  size_t skipped = 0;
  for (const InputSection& section : (*object)->sections) {
    if (section.data.empty()) continue;
    auto read = std::span(image).subspan(section.data.data() - whole.data(), section.data.size());
    if (std::ranges::equal(read, section.data)) continue;
    CAPTURE(section.name);
    CHECK((section.name.starts_with(".debug_") || section.name.starts_with(".rel.debug_")));
    skipped += section.data.size();
  }
  CHECK(skipped >= 20000 + 2000 * (4 + 16));
  CHECK((*object)->sections.size() > 10);
}

TEST_CASE("a file that is not plainly an object is read as a whole") {
  TemporaryDirectory directory;
  std::string path = directory.file("a.o");
  std::vector<std::byte> bytes = read_file(fixture("dwarf.o"));
  // Of the header: the class, the section headers' offset and number, that of the names' section.
  // Of the names' section: its offset, its size. Behind both, names that do not end.
  uint64_t headers = 0;
  std::memcpy(&headers, &bytes[40], sizeof headers);
  uint16_t names = 0;
  std::memcpy(&names, &bytes[62], sizeof names);
  size_t name_header = headers + size_t{names} * 64;
  for (size_t at : {size_t{4}, size_t{40}, size_t{45}, size_t{60}, size_t{62}, size_t{63},
                    name_header + 24, name_header + 29, name_header + 32, name_header + 38}) {
    for (unsigned value : {0x00, 0x7f, 0xff}) {
      CAPTURE(at);
      CAPTURE(value);
      std::vector<std::byte> changed = bytes;
      changed[at] = std::byte(value);
      std::ofstream(path, std::ios::binary)
          .write(reinterpret_cast<const char*>(changed.data()),
                 static_cast<std::streamsize>(changed.size()));
      auto file = OpenFile::open(path);
      REQUIRE(file);
      std::vector<std::byte> image(file->size(), std::byte{0xee});
      REQUIRE(read_without_dwarf(*file, image));
      auto expected = ObjectFile::read(path, changed);
      auto object = ObjectFile::read(path, image, {.copy_small = true, .copied_from = &*file});
      bool is_too_large = object && !*object;  // where nothing is called DWARF any more
      CHECK((is_too_large || object.has_value() == expected.has_value()));
      if (!object && !expected) CHECK(object.error().message == expected.error().message);
    }
  }
}

TEST_CASE("of what is too large to be copied the file has to stay") {
  TemporaryDirectory directory;
  std::string path = directory.file("large.o");
  std::filesystem::copy_file(fixture("large.o"), path);
  auto file = OpenFile::open(path);
  REQUIRE(file);
  std::vector<std::byte> copy(file->size());
  REQUIRE(file->read(0, copy));
  auto object = ObjectFile::read(path, copy, {.copy_small = true, .copied_from = &*file});
  REQUIRE(object);
  CHECK(*object == nullptr);
}

TEST_CASE("a file that changes while it is linked is told, its types are not read") {
  TemporaryDirectory directory;
  std::string path = directory.file("a.o");
  auto message_after = [&](auto change) -> std::string {
    std::filesystem::copy_file(fixture("packets.o"), path,
                               std::filesystem::copy_options::overwrite_existing);
    auto object = read_copy(path);
    change();
    try {
      object->btf->type(1);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(message_after([] {}) == "");
  CHECK(message_after([&] { std::filesystem::resize_file(path, 100); }) ==
        path + ": was changed while it was linked");
  CHECK(message_after([&] {
          std::filesystem::copy_file(fixture("tally.o"), directory.file("b.o"));
          std::filesystem::rename(directory.file("b.o"), path);
        }) == path + ": was changed while it was linked");
  CHECK(message_after([&] { std::filesystem::remove(path); }) ==
        path + ": No such file or directory");
}

TEST_CASE("a file that is cut off is told") {
  TemporaryDirectory directory;
  std::string path = directory.file("a.o");
  std::filesystem::copy_file(fixture("packets.o"), path);
  auto file = OpenFile::open(path);
  REQUIRE(file);
  std::vector<std::byte> bytes(file->size());
  CHECK(file->read(0, bytes));
  std::filesystem::resize_file(path, 100);
  auto read = file->read(0, bytes);
  REQUIRE(!read);
  CHECK(read.error().message == "was cut off while it was read");
}
