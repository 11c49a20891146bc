#include "tests/fuzz/mutators.hpp"
#include "tests/fuzz/pair.hpp"

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  using namespace bpflink::fuzz;
  auto pair = Pair::read({data, size});
  Bytes object(pair.first.begin(), pair.first.end());
  Bytes base(pair.second.begin(), pair.second.end());
  uint32_t choices = pair.choices;
  Random random(seed);
  if (random.one_in(8)) choices ^= 1u << random.below(3);
  if (!base.empty() && random.one_in(10))
    mutate_btf(base, random);
  else if (random.one_in(4))
    mutate_elf(object, random);
  else
    mutate_ranges(object, random);
  return give_back(Pair::write(choices, object, base), data, size, max_size);
}
