// The bytes of inputs, from all sources
#include "linker/io/input_file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "../api/fixtures.hpp"
#include "linker/io/mapped_inputs.hpp"
#include "linker/io/output_file.hpp"
#include "linker/io/sha256.hpp"
#include "linker/io/sparse_writer.hpp"

using namespace bpflink;

namespace {

std::string text_of(const InputFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

void write_text(int fd, std::string_view text) {
  REQUIRE(::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

}  // namespace

TEST_CASE("a file is the same by path, by descriptor and in memory") {
  TemporaryDirectory directory;
  std::string path = directory.file("a");
  std::ofstream(path) << "contents";
  auto by_path = InputFile::open(path);
  REQUIRE(by_path);
  CHECK(by_path->name() == path);
  CHECK(text_of(*by_path) == "contents");
  CHECK(InputFile::open(path, "called so")->name() == "called so");

  int fd = ::open(path.c_str(), O_RDONLY);
  ::lseek(fd, 3, SEEK_SET);
  auto by_descriptor = InputFile::open(fd, "descriptor");
  CHECK(::lseek(fd, 0, SEEK_CUR) == 3);
  auto rest = InputFile::read(fd, "rest");
  ::close(fd);
  REQUIRE(by_descriptor);
  CHECK(text_of(*by_descriptor) == "contents");
  REQUIRE(rest);
  CHECK(text_of(*rest) == "tents");

  InputFile in_memory = InputFile::in_memory("memory", by_path->bytes());
  CHECK(in_memory.bytes().data() == by_path->bytes().data());
}

TEST_CASE("moving an input does not move its bytes") {
  TemporaryDirectory directory;
  std::ofstream(directory.file("a")) << "contents";
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  write_text(ends[1], "from a pipe");
  ::close(ends[1]);
  std::vector<InputFile> files;
  files.push_back(*InputFile::open(directory.file("a")));
  files.push_back(*InputFile::open(ends[0], "pipe"));
  ::close(ends[0]);
  const std::byte* mapped = files[0].bytes().data();
  const std::byte* read = files[1].bytes().data();
  files.reserve(files.capacity() + 1);
  CHECK(files[0].bytes().data() == mapped);
  CHECK(files[1].bytes().data() == read);
  CHECK(text_of(files[0]) == "contents");
  CHECK(text_of(files[1]) == "from a pipe");
}

TEST_CASE("a pipe is read to the end, however slow, but without waiting for a writer") {
  TemporaryDirectory directory;
  std::string path = directory.file("fifo");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  CHECK(InputFile::open(path)->bytes().empty());
  int fd = ::open(path.c_str(), O_RDWR);
  std::string large(100'000, 'x');
  std::jthread writer([&] {
    for (int i = 0; i < 3; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      write_text(fd, large);
    }
    ::close(fd);
  });
  auto file = InputFile::open(path);
  REQUIRE(file);
  CHECK(text_of(*file) == large + large + large);
}

TEST_CASE("a file that the kernel generates is read, though its size is 0") {
  auto file = InputFile::open("/proc/self/status");
  REQUIRE(file);
  CHECK(text_of(*file).starts_with("Name:"));
}

TEST_CASE("an output needs a name") {
  CHECK(OutputFile::open("").error().message == "cannot open output file: it has no name");
}

TEST_CASE("reading leaves no descriptor open") {
  TemporaryDirectory directory;
  std::ofstream(directory.file("a")) << "contents";
  int before = ::dup(0);
  ::close(before);
  std::vector<InputFile> files;
  for (int i = 0; i < 10; ++i) files.push_back(*InputFile::open(directory.file("a")));
  CHECK(!InputFile::open(directory.file(".")));
  int after = ::dup(0);
  ::close(after);
  CHECK(before == after);
}

// The program gets SIGBUS when it reads the bytes itself; a system call returns an error.
TEST_CASE("an output with bytes of a truncated input cannot be written") {
  TemporaryDirectory directory;
  std::string path = directory.file("a");
  auto message_of = [&] {
    std::ofstream(path) << std::string(100'000, 'x');
    auto input = InputFile::open(path);
    REQUIRE(input);
    std::filesystem::resize_file(path, 4096);
    int fd = ::open(directory.file("out").c_str(), O_RDWR | O_CREAT, 0600);
    auto written = SparseWriter(fd).write(0, input->bytes());
    ::close(fd);
    REQUIRE(!written);
    return written.error().message;
  };
  CHECK(message_of() == "cannot write: an input: was cut off while it was read");
  list_mapped_inputs();
  CHECK(message_of() == "cannot write: " + path + ": was cut off while it was read");
  CHECK(find_mapped_input(&path) == nullptr);
}

TEST_CASE("fragments, gaps and zeros are written at their offsets") {
  constexpr size_t large = 600'000;
  // By offset: alone, adjacent, after a small and a wide gap, empty, large
  const std::vector<std::pair<size_t, std::string>> pieces = {
      {3, "a"},
      {4, "bc"},
      {16, "after a gap"},
      {27, ""},
      {9'000, std::string(4'000, 'p')},
      {13'000, std::string(4'000, 'q')},
      {17'000, std::string(large, 'L') + std::string(large, '\0') + std::string(large, 'M')},
      {17'000 + 3 * large, "end"},
  };
  std::string expected;
  TemporaryDirectory directory;
  std::string path = directory.file("out");
  int fd = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
  SparseWriter writer(fd);
  for (const auto& [offset, text] : pieces) {
    expected.resize(offset);
    expected += text;
    REQUIRE(writer.write(offset, std::as_bytes(std::span(text))));
  }
  REQUIRE(writer.finish());
  ::close(fd);
  std::ifstream file(path, std::ios::binary);
  CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == expected);
}

TEST_CASE("a digest is that of sha256sum, whatever the length and the parts") {
  TemporaryDirectory directory;
  const std::string file = directory.file("bytes");
  for (size_t size : {0, 1, 55, 56, 63, 64, 65, 119, 120, 1000}) {
    std::string text;
    for (size_t i = 0; i < size; ++i) text += static_cast<char>(i * 37 + size);
    std::ofstream(file) << text;
    std::unique_ptr<FILE, int (*)(FILE*)> judge(::popen(("sha256sum <" + file).c_str(), "r"),
                                                ::pclose);
    std::array<char, 64> wanted{};
    REQUIRE(std::fread(wanted.data(), 1, wanted.size(), judge.get()) == wanted.size());
    for (size_t part : {size_t{1}, size_t{7}, size_t{64}, size + 1}) {
      Sha256 digest;
      auto bytes = std::as_bytes(std::span(text));
      for (; !bytes.empty(); bytes = bytes.subspan(std::min(part, bytes.size())))
        digest.add(bytes.first(std::min(part, bytes.size())));
      CHECK(hex_of(digest.finish()) == std::string_view(wanted.data(), wanted.size()));
    }
  }
}
