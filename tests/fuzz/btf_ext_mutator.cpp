#include "tests/fuzz/mutators.hpp"
#include "tests/fuzz/pair.hpp"

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  using namespace bpflink::fuzz;
  auto pair = Pair::read({data, size});
  Bytes btf(pair.first.begin(), pair.first.end()), ext(pair.second.begin(), pair.second.end());
  Random random(seed);
  if (random.one_in(8))
    mutate_btf(btf, random);
  else if (random.one_in(4))
    mutate_bytes(ext);
  else
    mutate_word(ext, btf.size() > 1 && btf[0] == 0xeb ? std::endian::big : std::endian::little,
                random);
  return give_back(Pair::write(pair.choices, btf, ext), data, size, max_size);
}
