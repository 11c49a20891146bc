// Prints the faults that --verify finds in an object.
#include <fmt/format.h>

#include "linker/files/object_faults.hpp"
#include "linker/files/object_file.hpp"
#include "linker/io/input_file.hpp"

int main(int argc, char** argv) {
  using namespace bpflink;
  if (argc != 2) return 2;
  auto file = InputFile::open(argv[1]);
  if (!file) return 2;
  auto object = ObjectFile::read(argv[1], file->bytes(), {.keep_debug = true});
  std::vector<std::string> faults;
  if (object)
    faults = find_faults(**object);
  else
    faults.push_back(object.error().message);
  for (const std::string& fault : faults) fmt::print(stderr, "{}\n", fault);
  return faults.empty() ? 0 : 1;
}
