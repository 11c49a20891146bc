#include "linker/programs/bpfskel/options.hpp"

#include <fmt/format.h>

#include "dedup/try.hpp"
#include "linker/text/options.hpp"

namespace bpflink {
namespace {

/// bpftool's default name: "prog.bpf" for "dir/prog.bpf.o".
std::string name_of_file(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  for (std::string_view suffix : {".o", ".a"})
    if (name.size() > suffix.size() && name.ends_with(suffix)) {
      name.remove_suffix(suffix.size());
      break;
    }
  return std::string(name);
}

}  // namespace

std::expected<BpfskelOptions, Error> parse_bpfskel_options(std::vector<std::string> arguments) {
  BpfskelOptions options;
  std::vector<OptionGroup> groups = link_options(options);
  std::vector<Option>& general = groups.front().options;
  general.insert(
      general.begin(),
      {{"-o,--output", "FILE", "Write the skeleton to FILE instead of standard output",
        store(options.output), FileUse::Write},
       {"--name", "NAME", "Name the skeleton NAME (default: from the first FILE)",
        store(options.name)},
       {"--c", "", "Write a header for C and C++ (the default)",
        set(options.language, SkeletonKind::C)},
       {"--cpp", "", "Write the header with a class that owns it",
        set(options.language, SkeletonKind::Cpp)},
       {"--rust", "", "Write a module for Rust", set(options.language, SkeletonKind::Rust)},
       {"--libbpf-rs", "", "Write a module for Rust and the crate libbpf-rs",
        set(options.language, SkeletonKind::LibbpfRs)},
       {"--subskeleton", "", "Write a header for a library that is linked into a larger object",
        set(options.subskeleton)}});
  OptionTable table({.name = "bpfskel",
                     .purpose = "Links BPF objects and writes a skeleton of the result.",
                     .usage = "Usage: bpfskel [OPTION]... FILE... [-o OUTPUT]",
                     .success = "the skeleton was written",
                     .width = 30,
                     .argument = {"FILE", "", "Objects and archives to link", add_input(options)}},
                    std::move(groups));
  auto text = TRY(table.parse(std::move(arguments)));
  options.text = std::move(text);
  if (!options.text.empty()) return options;
  size_t count = options.inputs.size();
  if (count >= 3 && options.inputs[count - 2].path == "name")
    return table.usage_error(
        "what bpftool takes as 'gen skeleton FILE name NAME' is 'bpfskel FILE --name NAME'");
  constexpr std::string_view kinds[] = {"--c", "--subskeleton", "--cpp", "--rust", "--libbpf-rs"};
  for (size_t other = 2; other < std::size(kinds); ++other)
    for (size_t one = 0; one < other; ++one) TRY(table.check_exclusive(kinds[one], kinds[other]));
  TRY(finish_link_options(options, table));
  options.link.must_open = !options.subskeleton;
  if (options.name.empty()) options.name = name_of_file(options.inputs[0].path);
  auto output =
      TRY(output_path("-o", table.is_given("--output") ? std::move(options.output) : "-", true));
  options.output = std::move(output);
  if (options.output == "/dev/stdout")
    for (std::string_view report : {"--cref", "--emit-stats", "--explain"})
      if (table.is_given(report))
        return table.usage_error(fmt::format(
            "{} prints to standard output, where the skeleton goes: give -o FILE", report));
  return options;
}

}  // namespace bpflink
