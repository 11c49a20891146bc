#include "tests/fuzz/mutators.hpp"
#include "tests/fuzz/pair.hpp"

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  using namespace bpflink::fuzz;
  auto pair = Pair::read({data, size});
  Bytes object(pair.first.begin(), pair.first.end());
  Bytes kernel(pair.second.begin(), pair.second.end());
  uint32_t choices = pair.choices;
  Random random(seed);
  if (random.one_in(10)) choices ^= 1u << random.below(5);
  if (kernel.empty() || random.one_in(2))
    mutate_elf(object, random);
  else
    mutate_btf(kernel, random);
  return give_back(Pair::write(choices, object, kernel), data, size, max_size);
}
