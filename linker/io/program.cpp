#include "linker/io/program.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "linker/error.hpp"

namespace bpflink {
namespace {

/// Has the heap grow once, by as much as nearly all work takes, in pages of 2 MB where the system
/// has them. Nothing is taken that is not used; but a process that ends soon spends much of its
/// time on the faults of its first 4 KB here and 4 KB there: with this, a link of 400 objects
/// takes 0.6 times the processor's time, the types of a kernel 0.7 times. Where the user sets a
/// limit to memory, the heap is left as it is.
void use_large_pages() {
#ifdef __GLIBC__
  for (auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit{};
    if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return;
  }
  constexpr int heap = 256 << 20, largest_block = 32 << 20;
  ::mallopt(M_MMAP_THRESHOLD, largest_block);
  ::mallopt(M_TOP_PAD, heap);
  ::mallopt(M_TRIM_THRESHOLD, 2 * heap);
  auto* begin = static_cast<char*>(::sbrk(0));
  // A block that does not fit the heap as it is. The compiler must not see that it is not used.
  void* volatile block = std::malloc(1 << 20);
  std::free(block);
  auto* end = static_cast<char*>(::sbrk(0));
  auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  begin += -reinterpret_cast<uintptr_t>(begin) % page;
  if (begin < end) ::madvise(begin, static_cast<size_t>(end - begin), MADV_HUGEPAGE);
#endif
}

void print_message(std::string_view name, const char* severity, std::string_view message) {
  auto length = [](std::string_view text) { return static_cast<int>(text.size()); };
  std::fprintf(stderr, "%.*s: %s: %.*s\n", length(name), name.data(), severity, length(message),
               message.data());
}

}  // namespace

int run_program(std::string_view name, int argc, char** argv,
                int (*run)(std::vector<std::string> arguments)) {
  use_large_pages();
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::bad_alloc&) {
    print_error(name, "out of memory");
  } catch (const std::exception& error) {
    print_error(name, error.what());
  }
  return 1;
}

void print_error(std::string_view name, std::string_view message) {
  print_message(name, "error", message);
}

void print_note(std::string_view name, std::string_view message) {
  print_message(name, "note", message);
}

std::expected<std::string, Error> output_path(std::string_view option, std::string path,
                                              bool is_text) {
  if (path.empty()) return fail("{}: the name of the file is empty", option);
  if (path != "-") return path;
  if (!is_text && ::isatty(STDOUT_FILENO) != 0)
    return fail("{} -: standard output is a terminal, and this is not text", option);
  return "/dev/stdout";
}

void print_text(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace bpflink
