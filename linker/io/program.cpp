#include "linker/io/program.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "linker/error.hpp"

namespace bpflink {
namespace {

void print_message(std::string_view name, const char* severity, std::string_view message) {
  auto length = [](std::string_view text) { return static_cast<int>(text.size()); };
  // NOLINTBEGIN(bugprone-suspicious-stringview-data-usage): each has its length before it
  std::fprintf(stderr, "%.*s: %s: %.*s\n", length(name), name.data(), severity, length(message),
               message.data());
  // NOLINTEND(bugprone-suspicious-stringview-data-usage)
}

}  // namespace

int run_program(std::string_view name, int argc, char** argv,
                int (*run)(std::vector<std::string> arguments)) {
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
