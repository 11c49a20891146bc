// Writes the random inputs of the deduplicator's tests to files, for compare-builds.sh.
//
//   random_btf DIRECTORY SEEDS
//
// The inputs of seed 7 are DIRECTORY/7.input0.btf and so on. If they are split BTF, their bases are
// DIRECTORY/7.base0.btf and so on. The files include omitted types: only callers of the library can
// omit types.
#include <cstdlib>
#include <fstream>
#include <span>

#include "random_types.hpp"

using namespace bpflink;
using namespace bpflink::test;

namespace {

void write_file(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

/// Stops at an invalid base, from which nothing can be split.
void write_inputs(const std::string& prefix, const RandomInputs& inputs) {
  std::vector<std::vector<std::byte>> blobs;  // these outlive `bases`
  std::vector<Btf> bases;
  bases.reserve(inputs.bases.size());  // each refers to the one before
  auto base = [&] { return bases.empty() ? nullptr : &bases.back(); };
  auto string_end = [&] { return base() ? base()->string_end() : 0; };
  for (const RandomUnit& unit : inputs.bases) {
    blobs.push_back(encode(unit, string_end()));
    write_file(prefix + ".base" + std::to_string(bases.size()) + ".btf", blobs.back());
    auto btf = Btf::parse(blobs.back(), base());
    if (!btf) return;
    bases.push_back(std::move(*btf));
  }
  for (size_t i = 0; i < inputs.inputs.size(); ++i)
    write_file(prefix + ".input" + std::to_string(i) + ".btf",
               encode(inputs.inputs[i], string_end()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  uint64_t seeds = std::strtoull(argv[2], nullptr, 10);
  for (uint64_t seed = 1; seed <= seeds; ++seed)
    write_inputs(argv[1] + ("/" + std::to_string(seed)), random_inputs(seed));
}
