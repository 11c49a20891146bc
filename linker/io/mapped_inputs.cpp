#include "linker/io/mapped_inputs.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "linker/diagnostics/printable.hpp"

namespace bpflink {
namespace {

struct MappedInput {
  std::string name;  ///< printable: a signal handler writes it
  std::span<const std::byte> bytes;
  MappedInput* before;
};

// The list only grows, so readers need no lock. It is freed when the process ends.
std::atomic<bool> stay_mapped = false;
std::atomic<MappedInput*> latest = nullptr;

}  // namespace

void keep_inputs_mapped() {
  stay_mapped = true;
}

bool list_mapped_input(const std::string& name, std::span<const std::byte> bytes) {
  if (!stay_mapped) return false;
  auto* input = new MappedInput{printable(name), bytes, latest};
  while (!latest.compare_exchange_weak(input->before, input)) {
  }
  return true;
}

const char* find_mapped_input(const void* address) {
  const auto* at = static_cast<const std::byte*>(address);
  for (const MappedInput* input = latest; input; input = input->before)
    if (at >= input->bytes.data() && at < input->bytes.data() + input->bytes.size())
      return input->name.c_str();
  return nullptr;
}

Error describe_write_failure(std::span<const std::byte> bytes) {
  if (errno != EFAULT) return Error{std::strerror(errno)};
  const char* name = find_mapped_input(bytes.data());
  return Error{fmt::format("{}: was cut off while it was read", name ? name : "an input")};
}

}  // namespace bpflink
