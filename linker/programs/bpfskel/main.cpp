// The program bpfskel: links BPF objects and writes a skeleton of the result, with which a program
// in user space opens, loads and uses it.
#include "bpflink/object.hpp"
#include "dedup/messages.hpp"
#include "linker/programs/bpflink/program_output.hpp"
#include "linker/programs/bpfskel/emit.hpp"
#include "linker/programs/bpfskel/model.hpp"
#include "linker/programs/bpfskel/options.hpp"
#include "linker/text/program.hpp"

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
    if (options->subskeleton && !object->btf())
      return fail("a subskeleton needs BTF: compile the library with -g");
    auto skeleton = options->subskeleton ? make_subskeleton(*object, options->name)
                                         : make_skeleton(*object, options->name, image);
    if (!skeleton) return std::unexpected(skeleton.error());
    std::string text =
        options->subskeleton ? emit_subskeleton(*skeleton) : emit(*skeleton, options->language);
    if (text.size() > max_text_size(*skeleton))
      return fail_too_large(fmt::format("{} MiB", text.size() >> 20));
    return text;
  };
  return run_link("bpfskel", *options, options->output, make_text);
}

}  // namespace

int main(int argc, char** argv) {
  return bpflink::run_program("bpfskel", argc, argv, run);
}
