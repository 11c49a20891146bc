// Calls that run out of memory, at each allocation in turn, say so, and leave nothing.
#include <doctest/doctest.h>

#include <atomic>
#include <climits>
#include <cstdlib>
#include <functional>
#include <new>

#include "bpflink/bpflink.h"
#include "fixtures.hpp"

namespace {
std::atomic<long> allocations_left = LONG_MAX;
}

// In place of the C++ library's, for the whole program. NOLINTBEGIN(misc-new-delete-overloads)
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  if (allocations_left != LONG_MAX && --allocations_left < 0) return nullptr;
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new(size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
// NOLINTEND(misc-new-delete-overloads)

namespace {

/// Calls `call` with memory for 0, 1, 2, ... allocations until it succeeds.
void starve(const std::function<bpflink_status()>& call) {
  for (long n = 0;; n += 1 + n / 50) {
    REQUIRE(n < 10'000'000);
    allocations_left = n;
    bpflink_status status = call();
    allocations_left = LONG_MAX;
    if (status == BPFLINK_OK) return;
    CHECK(status == BPFLINK_ERROR_MEMORY);
  }
}

}  // namespace

TEST_CASE("Running out of memory is the status MEMORY in every call") {
  auto state = read_file(fixture("state.o"));
  starve([&] {
    const char* options[] = {"-r", "--verify"};
    bpflink_linker* linker = nullptr;
    void* image = nullptr;
    size_t size = 0;
    bpflink_status status = bpflink_linker_new(options, 2, nullptr, nullptr, &linker, nullptr);
    if (status == BPFLINK_OK)
      status = bpflink_linker_add_memory(linker, "state", state.data(), state.size());
    if (status == BPFLINK_OK) status = bpflink_linker_link_to_memory(linker, &image, &size);
    if ((image != nullptr) != (status == BPFLINK_OK)) status = BPFLINK_ERROR_ARGUMENT;
    bpflink_free(image);
    bpflink_linker_free(linker);
    return status;
  });
  starve([&] {
    bpflink_object* object = nullptr;
    bpflink_status status = bpflink_object_parse(state.data(), state.size(), &object, nullptr);
    if ((object != nullptr) != (status == BPFLINK_OK)) status = BPFLINK_ERROR_ARGUMENT;
    bpflink_object_free(object);
    return status;
  });
  std::string path = fixture("state.o");
  starve([&] {
    bpflink_object* object = nullptr;
    bpflink_status status = bpflink_object_open(path.c_str(), &object, nullptr);
    bpflink_object_free(object);
    return status;
  });
}
