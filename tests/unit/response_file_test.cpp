#include "linker/text/response_file.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

using namespace bpflink;

namespace {

/// A response file that the destructor removes
struct TemporaryFile {
  explicit TemporaryFile(const std::string& text) {
    char name[] = "/tmp/response-XXXXXX";
    ::close(::mkstemp(name));
    path = name;
    std::ofstream(path) << text;
  }
  ~TemporaryFile() { std::remove(path.c_str()); }
  std::string path;
};

using Arguments = std::vector<std::string>;

}  // namespace

TEST_CASE("the file's arguments replace @FILE") {
  TemporaryFile file("a.o  'b c.o'\n\"d\\\"e.o\" f\\ g.o\n");
  auto result = expand_response_files({"-r", "@" + file.path, "-o", "out.o"});
  REQUIRE(result);
  CHECK(*result == Arguments{"-r", "a.o", "b c.o", "d\"e.o", "f g.o", "-o", "out.o"});
}

TEST_CASE("@NAME without such a file is an ordinary argument") {
  auto result = expand_response_files({"@/nonexistent/file"});
  REQUIRE(result);
  CHECK(*result == Arguments{"@/nonexistent/file"});
}

TEST_CASE("an open quote is an error that names the file") {
  TemporaryFile file("'a.o");
  auto result = expand_response_files({"@" + file.path});
  REQUIRE_FALSE(result);
  CHECK(result.error().message == file.path + ": quote ' is not closed");
}

TEST_CASE("a response file that names itself is an error") {
  TemporaryFile file("");
  std::ofstream(file.path) << "@" << file.path;
  CHECK_FALSE(expand_response_files({"@" + file.path}));
}
