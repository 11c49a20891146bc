// The program bpfskel: links BPF objects and writes a skeleton of the result, with which a program
// in user space opens, loads and uses it.
#include "linker/programs/bpflink/program_output.hpp"
#include "linker/programs/bpfskel/options.hpp"
#include "linker/skeleton/emit.hpp"
#include "linker/text/program.hpp"

namespace {

using namespace bpflink;

int run(const std::vector<std::string>& arguments) {
  auto options = parse_bpfskel_options(arguments);
  if (!options) return report_usage("bpfskel", options.error(), arguments);
  if (!options->text.empty()) {
    print_text(options->text);
    return 0;
  }
  auto make_text = [&](std::span<const std::byte> image) {
    return emit_skeleton(image, options->name,
                         options->subskeleton ? SkeletonKind::Subskeleton : options->language);
  };
  return run_link("bpfskel", *options, options->output, make_text);
}

}  // namespace

int main(int argc, char** argv) {
  return bpflink::run_program("bpfskel", argc, argv, run);
}
