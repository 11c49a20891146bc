// The program bpfcore: which kernels BPF programs fit, and the kernel types that they need.
#include "linker/programs/bpfcore/commands.hpp"
#include "linker/text/program.hpp"

namespace {

using namespace bpflink;

int failure_of(std::string_view command) {
  return command == "minimize" ? exits::failed : exits::unchecked;
}

int run(const std::vector<std::string>& arguments) {
  int failure = failure_of(arguments.empty() ? "" : arguments.front());
  auto options = parse_bpfcore_options(arguments);
  if (!options) {
    print_error("bpfcore", options.error().message);
    return failure;
  }
  if (!options->text.empty()) {
    print_text(options->text);
    return 0;
  }
  std::expected<int, Error> done = 0;
  if (options->command != BpfcoreOptions::Command::Minimize)
    done = check(*options);
  else if (auto ok = minimize(*options); !ok)
    done = std::unexpected(ok.error());
  if (done) return *done;
  print_error("bpfcore", done.error());
  return failure;
}

}  // namespace

int main(int argc, char** argv) {
  return bpflink::run_program("bpfcore", argc, argv, run, failure_of(argc > 1 ? argv[1] : ""));
}
