// Prints what `--verify` would say of an object: verify_output() on the file's bytes.
#include <fmt/format.h>

#include "linker/io/input_file.hpp"
#include "linker/report/verify.hpp"

int main(int argc, char** argv) {
  using namespace bpflink;
  if (argc != 2) return 2;
  auto file = InputFile::open(argv[1]);
  if (!file) return 2;
  LinkOptions options;
  Context context(options, [](const Diagnostic& diagnostic) {
    fmt::print(stderr, "{}\n", diagnostic.message);
  });
  verify_output(context, file->bytes());
  return context.diagnostics.failed() ? 1 : 0;
}
