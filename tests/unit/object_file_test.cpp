// Objects whose file did not stay in memory.
#include "linker/object_file.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "../api/fixtures.hpp"
#include "dedup/btf_check.hpp"

using namespace bpflink;

namespace {

/// An object that was read from a copy of its file, which is gone.
std::unique_ptr<ObjectFile> read_copy(const std::string& path) {
  auto file = OpenFile::open(path);
  REQUIRE(file);
  std::vector<std::byte> copy(file->size());
  REQUIRE(file->read(0, copy));
  auto object = ObjectFile::read(path, copy, {.copy_small = true, .copied_from = &*file});
  REQUIRE(object);
  std::ranges::fill(copy, std::byte{0xff});
  return std::move(*object);
}

}  // namespace

TEST_CASE("types of a file that did not stay are those of one that does") {
  for (const char* name : {"counters.o", "counters-be.o", "packets.o"}) {
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
    for (const InputSection& section : object->sections) {
      const InputSection& other = (*whole)->sections[section.index];
      CHECK(section.name == other.name);
      if (section.use == SectionUse::Link) CHECK(std::ranges::equal(section.data, other.data));
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
