// Runs the target `interface` on COUNT random inputs, without libFuzzer.
//
//   sequences FIRST-SEED COUNT
//
// If one fails, its seed is the last line: `sequences SEED 1` repeats it.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tests/fuzz/random.hpp"
#include "tests/fuzz/target.hpp"

namespace {

char seed_text[32];
int seed_length = 0;

void tell_seed(int signal) {
  static_cast<void>(!::write(STDERR_FILENO, seed_text, static_cast<size_t>(seed_length)));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 1;
  for (int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, tell_seed);
  uint64_t first = std::strtoull(argv[1], nullptr, 10), count = std::strtoull(argv[2], nullptr, 10);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    seed_length = std::snprintf(seed_text, sizeof seed_text, "seed %llu\n",
                                static_cast<unsigned long long>(seed));
    bpflink::fuzz::Random random(seed);
    std::vector<uint8_t> input(50 + random.below(400));
    for (uint8_t& byte : input) byte = static_cast<uint8_t>(random.next() >> 40);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%llu sequences\n", static_cast<unsigned long long>(count));
}
