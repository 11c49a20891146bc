#include "linker/bpfskel/options.hpp"

#include "dedup/internal.hpp"
#include "linker/io/arguments.hpp"
#include "linker/io/program.hpp"

namespace bpflink {
namespace {

using Language = BpfskelOptions::Language;

/// What add_options() binds besides the options themselves.
struct Chosen {
  bool c = false, cpp = false, rust = false;
};

void add_options(CLI::App& app, BpfskelOptions& options, Chosen& chosen) {
  add_help(app, {"Usage: bpfskel [OPTION]... FILE... -o OUTPUT\n", 25, "the skeleton was written"});
  app.add_option("FILE", options.inputs, "Objects and archives, which are linked")
      ->option_text("FILE");
  app.add_option("-o,--output", options.output,
                 "Write the skeleton to FILE, and not to standard output")
      ->option_text("FILE");
  app.add_option("--name", options.name,
                 "Name the skeleton NAME; without, as the first FILE is named")
      ->option_text("NAME");
  auto* c = app.add_flag("--c", chosen.c, "Write a header for C and C++, as without an option");
  app.add_flag("--cpp", chosen.cpp, "Write the header with a class that owns it")->excludes(c);
  app.add_flag("--rust", chosen.rust, "Write a module for Rust")
      ->excludes("--c")
      ->excludes("--cpp");
}

/// "prog_bpf" of "dir/prog.bpf.o", as bpftool has it.
std::string name_of_file(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  for (std::string_view suffix : {".o", ".a"})
    if (name.size() > suffix.size() && name.ends_with(suffix)) {
      name.remove_suffix(suffix.size());
      break;
    }
  return make_c_name(name);
}

}  // namespace

std::expected<BpfskelOptions, Error> parse_bpfskel_options(std::vector<std::string> arguments) {
  BpfskelOptions options;
  Chosen chosen;
  CLI::App app("Links BPF objects and writes a skeleton of the result.", "bpfskel");
  add_options(app, options, chosen);
  auto text = parse_arguments(app, std::move(arguments));
  if (!text) return std::unexpected(text.error());
  options.text = std::move(*text);
  if (!options.text.empty()) return options;
  if (options.inputs.empty()) return usage_error(app, "no input files");
  if (chosen.cpp) options.language = Language::Cpp;
  if (chosen.rust) options.language = Language::Rust;
  options.name = options.name.empty() ? name_of_file(options.inputs[0]) : make_c_name(options.name);
  auto output = output_path("-o", app.count("-o") == 0 ? "-" : std::move(options.output), true);
  if (!output) return std::unexpected(output.error());
  options.output = std::move(*output);
  return options;
}

}  // namespace bpflink
