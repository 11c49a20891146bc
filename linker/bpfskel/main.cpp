// The program bpfskel: links BPF objects and writes a skeleton of the result, with which a program
// in user space opens, loads and uses it.
#include "bpflink/object.hpp"
#include "dedup/messages.hpp"
#include "linker/bpflink/program_output.hpp"
#include "linker/bpfskel/emit.hpp"
#include "linker/bpfskel/model.hpp"
#include "linker/bpfskel/options.hpp"
#include "linker/command_line/program.hpp"

namespace {

using namespace bpflink;

std::string emit(const Skeleton& skeleton, BpfskelOptions::Language language) {
  switch (language) {
    case BpfskelOptions::Language::C:
      break;
    case BpfskelOptions::Language::Cpp:
      return emit_c(skeleton) + emit_cpp(skeleton);
    case BpfskelOptions::Language::Rust:
      return emit_rust(skeleton, false);
    case BpfskelOptions::Language::LibbpfRs:
      return emit_rust(skeleton, true);
  }
  return emit_c(skeleton);
}

int run(const std::vector<std::string>& arguments) {
  auto options = parse_bpfskel_options(arguments);
  if (!options) return report_usage("bpfskel", options.error(), arguments);
  if (!options->text.empty()) {
    print_text(options->text);
    return 0;
  }
  auto make_text = [&](std::span<const std::byte> image) -> std::expected<std::string, Error> {
    auto object = Object::parse(image);
    if (!object) return std::unexpected(object.error());
    if (options->subskeleton) {
      if (!object->btf()) return fail("a subskeleton needs BTF: compile the library with -g");
      return emit_subskeleton(make_subskeleton(*object, options->name));
    }
    return emit(make_skeleton(*object, options->name, image), options->language);
  };
  return run_link("bpfskel", *options, options->output, make_text);
}

}  // namespace

int main(int argc, char** argv) {
  return bpflink::run_program("bpfskel", argc, argv, run);
}
