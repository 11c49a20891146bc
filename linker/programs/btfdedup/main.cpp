// The program btfdedup: chooses what to do.
#include <string>
#include <vector>

#include "linker/io/mapped_inputs.hpp"
#include "linker/programs/btfdedup/commands.hpp"
#include "linker/text/program.hpp"

namespace bpflink {
namespace {

int run(const std::vector<std::string>& arguments) {
  auto options = parse_options(arguments);
  if (!options) {
    print_error("btfdedup", options.error().message);
    return 1;
  }
  if (!options->text.empty()) {
    print_text(options->text);
    return 0;
  }
  if (options->check) {
    auto accepted = check_inputs(*options);
    if (!accepted) print_error("btfdedup", accepted.error());
    return accepted && *accepted ? 0 : 1;
  }
  if (options->each_alone) {
    auto all = merge_modules(*options);
    if (!all) print_error("btfdedup", all.error());
    return all && *all ? 0 : 1;
  }
  keep_inputs_mapped();
  auto ok = options->target ? convert_input(*options) : merge_files(*options);
  if (ok) return 0;
  print_error("btfdedup", ok.error());
  return 1;
}

}  // namespace
}  // namespace bpflink

int main(int argc, char** argv) {
  return bpflink::run_program("btfdedup", argc, argv, bpflink::run);
}
