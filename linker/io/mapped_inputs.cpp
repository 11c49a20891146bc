#include "linker/io/mapped_inputs.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "dedup/messages.hpp"
#include "linker/address_sanitizer.hpp"

namespace bpflink {

struct MappedInput {
  std::string name;                     ///< printable: a signal handler writes it
  std::atomic<const std::byte*> begin;  ///< null once it is unmapped
  size_t size;
  MappedInput* before;
};

namespace {

// The list only grows, so readers need no lock. It is freed when the process ends.
std::atomic<bool> are_inputs_listed = false, are_kept = false;
std::atomic<MappedInput*> latest = nullptr;

}  // namespace

void list_mapped_inputs() {
  are_inputs_listed = true;
}

void keep_inputs_mapped() {
  are_kept = !has_address_sanitizer;  // which sees what is read too late
}

bool are_inputs_kept() {
  return are_kept;
}

MappedInput* list_mapped_input(const std::string& name, std::span<const std::byte> bytes) {
  if (!are_inputs_listed) return nullptr;
  auto* input = new MappedInput{printable(name), bytes.data(), bytes.size(), latest};
  while (!latest.compare_exchange_weak(input->before, input)) {
  }
  return input;
}

void unlist_mapped_input(MappedInput* input) {
  if (input) input->begin = nullptr;
}

const char* find_mapped_input(const void* address) {
  const auto* at = static_cast<const std::byte*>(address);
  for (const MappedInput* input = latest; input; input = input->before) {
    const std::byte* begin = input->begin;
    if (begin && at >= begin && at < begin + input->size) return input->name.c_str();
  }
  return nullptr;
}

Error describe_write_failure(std::span<const std::byte> bytes) {
  if (errno != EFAULT) return Error{std::strerror(errno)};
  const char* name = find_mapped_input(bytes.data());
  return Error{fmt::format("{}: was cut off while it was read", name ? name : "an input")};
}

}  // namespace bpflink
