#include "tests/fuzz/mutators.hpp"

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  using namespace bpflink::fuzz;
  Bytes file(data, data + size);
  Random random(seed);
  mutate_btf(file, random);
  return give_back(file, data, size, max_size);
}
