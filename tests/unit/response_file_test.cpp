#include "linker/text/response_file.hpp"

#include <doctest/doctest.h>

#include "../api/fixtures.hpp"

using namespace bpflink;

TEST_CASE("the file's arguments replace @FILE, if there is one") {
  TemporaryDirectory directory;
  std::ofstream(directory.file("arguments")) << "a.o  'b c.o'\n\"d\\\"e.o\" f\\ g.o\n";
  auto result = expand_response_files({"-r", "@" + directory.file("arguments"), "@/nonexistent"});
  REQUIRE(result);
  CHECK(*result ==
        std::vector<std::string>{"-r", "a.o", "b c.o", "d\"e.o", "f g.o", "@/nonexistent"});
}
