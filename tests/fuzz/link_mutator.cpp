#include "tests/fuzz/mutators.hpp"
#include "tests/fuzz/pair.hpp"

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  using namespace bpflink::fuzz;
  auto pair = Pair::read({data, size});
  Bytes first(pair.first.begin(), pair.first.end()), second(pair.second.begin(), pair.second.end());
  uint32_t choices = pair.choices;
  Random random(seed);
  if (random.one_in(10)) choices ^= 1u << random.below(9);
  if (random.one_in(30)) std::swap(first, second);
  mutate_elf(second.empty() || random.one_in(2) ? first : second, random);
  return give_back(Pair::write(choices, first, second), data, size, max_size);
}
