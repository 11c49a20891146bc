#include "linker/text/program.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "dedup/messages.hpp"
#include "linker/error.hpp"
#include "linker/io/descriptor.hpp"
#include "linker/io/signals.hpp"

namespace bpflink {
namespace {

/// What is printed to standard output.
struct Printed {
  std::string text;  ///< not written yet
  bool has_failed = false;
};
Printed& printed() {
  static Printed output;
  return output;
}

void write_printed() {
  Printed& output = printed();
  if (!write_all(STDOUT_FILENO, std::as_bytes(std::span(output.text)))) output.has_failed = true;
  output.text.clear();
}

/// Input that is closed is empty, and output that is closed cannot be written: no file gets the
/// number.
void open_standard_descriptors() {
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0) (void)::open("/dev/null", O_RDONLY);  // takes the lowest number
}

/// Asks the system for a megabyte of memory at a time. Threads would otherwise ask for a page or
/// two, hundreds of times. What is not written to costs nothing. The limits above which freed
/// memory goes back to the system grow no more after such a call, so they are set as well.
void ask_for_much_memory() {
#ifdef M_TOP_PAD
  ::mallopt(M_TOP_PAD, 1 << 20);
  ::mallopt(M_MMAP_THRESHOLD, 4 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 16 << 20);
#endif
}

}  // namespace

int run_program(std::string_view name, int argc, char** argv,
                int (*run)(const std::vector<std::string>& arguments), int failure) {
  try {
    ask_for_much_memory();
    open_standard_descriptors();
    // A file that grows beyond RLIMIT_FSIZE is an error of the write.
    std::signal(SIGXFSZ, SIG_IGN);
    clean_up_when_interrupted(name, failure);
    int status = run({argv + 1, argv + argc});
    auto flushed = flush_output();
    if (flushed || status != 0) return status;
    print_error(name, flushed.error().message);
  } catch (const std::bad_alloc&) {
    print_error(name, "out of memory");
  } catch (const std::exception& error) {
    print_error(name, error.what());
  }
  return failure;
}

void print_diagnostic(std::string_view program, const Diagnostic& diagnostic,
                      std::optional<bool> color) {
  const char* terminal = std::getenv("TERM");
  bool is_dumb = terminal && std::string_view(terminal) == "dumb";
  if (!color) color = ::isatty(STDERR_FILENO) && !is_dumb && !std::getenv("NO_COLOR");
  std::string text = render(diagnostic, {.program = program, .color = *color});
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void print_error(std::string_view program, std::string message) {
  print_diagnostic(program, {.message = std::move(message)});
}

void print_error(std::string_view program, const Error& error) {
  Diagnostic diagnostic{.message = error.message};
  if (!error.advice.empty())
    diagnostic.references = {{.role = ReferenceRole::Hint, .text = error.advice}};
  print_diagnostic(program, diagnostic);
}

void print_note(std::string_view program, std::string message) {
  print_diagnostic(program, {.severity = Severity::Note, .message = std::move(message)});
}

void print_text(std::string_view text) {
  constexpr size_t enough = 1 << 16;
  Printed& output = printed();
  output.text += printable_lines(text);
  if (output.text.size() >= enough) write_printed();
}

size_t terminal_width() {
  winsize size{};
  bool is_known = ::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return is_known ? size.ws_col : 0;
}

std::expected<void, Error> flush_output() {
  write_printed();
  if (printed().has_failed) return fail("cannot write to standard output");
  return {};
}

}  // namespace bpflink
