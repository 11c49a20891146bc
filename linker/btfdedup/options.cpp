#include "linker/btfdedup/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "linker/io/response_file.hpp"

namespace bpflink {
namespace {

class Formatter : public CLI::Formatter {
 public:
  Formatter() { column_width(30); }
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: btfdedup [OPTION]... INPUT... -o OUT\n"
           "       btfdedup [OPTION]... [INPUT...] --update FILE\n";
  }
};

void add_options(CLI::App& app, BtfdedupOptions& options) {
  using Dump = BtfdedupOptions::Dump;
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", "btfdedup " BPFLINK_VERSION, "Print the version and exit");
  app.add_option("inputs", options.inputs,
                 "Raw BTF, ELF files with .BTF, archives of these, - for standard input")
      ->option_text("INPUT");
  app.add_option("-o,--output", options.output, "Write the BTF to OUT (- for standard output)")
      ->option_text("OUT");
  app.add_flag("--elf", options.as_elf, "Make OUT an ELF object with a section .BTF");
  app.add_option("--update", options.update,
                 "Replace the section .BTF of the ELF file FILE; without INPUT, by its own types")
      ->option_text("FILE");
  app.add_option("--base", options.base, "The BTF that the inputs were split from, left as it is")
      ->option_text("FILE");
  app.add_option(
         "--explain", options.explain,
         "Say why 'struct NAME' (or union, enum, typedef, func, var) is there more than once")
      ->option_text("TYPE")
      ->take_all();
  app.add_option_function<std::string>(
         "--dump",
         [&options](const std::string& form) { options.dump = form == "c" ? Dump::c : Dump::raw; },
         "Print the types as C or as a numbered list (raw)")
      ->option_text("c|raw")
      ->check(CLI::IsMember({"c", "raw"}));
  app.add_flag("--stats", options.statistics, "Print counts, sizes and times");
  app.add_flag("--json", options.as_json, "Print them as JSON")->needs("--stats");
  app.add_option("--threads", options.threads,
                 "Use N threads; without, as many as the input is large enough for")
      ->option_text("N")
      ->check(CLI::Range(1, 1024));
  app.footer(
      "@FILE stands for the arguments in FILE, separated by white space.\n"
      "Exits with 0 if all was done, else with 1 and the output as it was.");
}

std::expected<void, Error> check(BtfdedupOptions& options) {
  auto fail = [](std::string_view what) {
    return std::unexpected(Error{fmt::format("{} (see btfdedup --help)", what)});
  };
  if (options.inputs.empty() && !options.update.empty()) options.inputs.push_back(options.update);
  if (options.inputs.empty()) return fail("no input");
  if (!options.output.empty() && !options.update.empty())
    return fail("-o and --update exclude each other");
  if (options.as_elf && options.output.empty()) return fail("--elf needs -o");
  bool prints =
      !options.explain.empty() || options.dump != BtfdedupOptions::Dump::none || options.statistics;
  if (options.output.empty() && options.update.empty() && !prints)
    return fail("nothing to do: give -o OUT, --update FILE, --dump, --explain or --stats");
  if (options.output == "-") options.output = "/dev/stdout";
  return {};
}

}  // namespace

std::expected<BtfdedupOptions, Error> parse_options(std::vector<std::string> arguments) {
  auto expanded = expand_response_files(std::move(arguments));
  if (!expanded) return std::unexpected(expanded.error());
  std::ranges::reverse(*expanded);  // CLI11 takes them from the back

  BtfdedupOptions options;
  CLI::App app("Merges equal types of BTF.", "btfdedup");
  app.formatter(std::make_shared<Formatter>());
  add_options(app, options);
  try {
    app.parse(*expanded);
  } catch (const CLI::CallForHelp&) {
    options.text = app.help();
    return options;
  } catch (const CLI::CallForVersion&) {
    options.text = "btfdedup " BPFLINK_VERSION "\n";
    return options;
  } catch (const CLI::ParseError& error) {
    return std::unexpected(Error{fmt::format("{} (see btfdedup --help)", error.what())});
  }
  if (auto ok = check(options); !ok) return std::unexpected(ok.error());
  return options;
}

}  // namespace bpflink
