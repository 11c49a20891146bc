// Prints the faults that `--verify` would find in an object.
#include <fmt/format.h>

#include "linker/io/input_file.hpp"
#include "linker/report/verify.hpp"

int main(int argc, char** argv) {
  using namespace bpflink;
  if (argc != 2) return 2;
  auto file = InputFile::open(argv[1]);
  if (!file) return 2;
  std::vector<std::string> faults = find_faults(file->bytes());
  for (const std::string& fault : faults) fmt::print(stderr, "{}\n", fault);
  return faults.empty() ? 0 : 1;
}
