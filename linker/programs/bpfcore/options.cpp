#include "linker/programs/bpfcore/options.hpp"

#include <fmt/format.h>

#include <tuple>

#include "linker/error.hpp"
#include "linker/kernels/kernel_config.hpp"
#include "linker/object/linux_release.hpp"
#include "linker/text/options.hpp"

namespace bpflink {
namespace {

/// Parses "NAME=VALUE", where the value is a number in C's syntax, true or false.
std::expected<void, Error> add_setting(std::map<std::string, uint64_t>& settings,
                                       std::string_view text) {
  size_t equals = text.find('=');
  std::string_view name = text.substr(0, equals);
  if (equals == text.npos || name.empty()) return fail("is not NAME=VALUE");
  std::string_view text_of_value = text.substr(equals + 1);
  auto value = parse_number(text_of_value);
  if (text_of_value == "true") value = 1;
  if (text_of_value == "false") value = 0;
  if (!value) return fail("the value is not a 64-bit number");
  settings[std::string(name)] = *value;
  return {};
}

OptionAction store_release(std::string& release) {
  return [&release](std::string_view text) -> std::expected<void, Error> {
    if (!version_code(text)) return fail("is no release, such as 6.12 or 6.12.3-generic");
    release = text;
    return {};
  };
}

std::vector<OptionGroup> option_groups(BpfcoreOptions& options) {
  OptionAction add = [&options](std::string_view text) {
    return add_setting(options.settings, text);
  };
  return {
      {"Kernels",
       {{"--kernel", "FILE...", "Read FILE as a kernel, even if it looks like a program",
         append(options.kernels)},
        {"--modules", "DIR", "Assume that the modules in DIR are loaded",
         store(options.known.modules)},
        {"--manifest", "FILE",
         "Read releases, architectures and the like of kernels from FILE (JSON)",
         store(options.known.manifest)},
        {"--release", "RELEASE", "Assume that all kernels have this release",
         store_release(options.known.release)},
        {"--config", "FILE", "Assume that all kernels have the configuration FILE",
         store(options.known.config)},
        {"--threads", "N", "Use N threads (default: one for each processor)",
         store_number(options.threads, 1, 1024)}}},
      {"For check",
       {{"--set", "NAME=VALUE...", "Assume that variable NAME of .rodata has VALUE", add},
        {"--strict", "", "Assume nothing of variables of .rodata", set(options.strict)},
        {"--optional", "PROGRAM...", "Only warn if PROGRAM does not fit",
         append(options.optional_programs)},
        {"--differences", "", "Warn of members whose size shrinks or whose sign changes",
         set(options.differences)},
        {"--table", "", "Print a table of programs by kernels", set(options.table)},
        {"--html", "FILE", "Write the table and all problems to FILE as a page for browsers",
         store_page(options.html)},
        {"--json", "FILE", "Write the whole report to FILE as JSON (- for standard output)",
         store(options.json)}}},
      {"For minimize",
       {{"-o,--output", "DIR", "Write the BTF files and index.json to DIR", store(options.output)},
        {"--archive", "FILE", "Write one FILE with all BTF, which bpflink/core_archive.h reads",
         store(options.archive)},
        {"--merge", "", "Write one BTF for each kernel, not one for each program",
         set(options.merge)}}}};
}

std::expected<void, Error> check(const OptionTable& table, BpfcoreOptions& options) {
  if (options.files.empty())
    return table.usage_error("the first argument must be check or minimize");
  std::string command = options.files.front();
  options.files.erase(options.files.begin());
  bool is_check = command == "check";
  if (!is_check && command != "minimize")
    return table.usage_error(fmt::format("'{}' is neither check nor minimize", command));
  options.command = is_check ? BpfcoreOptions::Command::Check : BpfcoreOptions::Command::Minimize;
  std::vector<OptionGroup> groups = option_groups(options);
  for (const Option& option : groups[is_check ? 2 : 1].options)  // those of the other command
    if (table.is_given(option.long_name()))
      return table.usage_error(fmt::format("{} is not for {}", option.long_name(), command));
  if (is_check) return {};
  if (options.output.empty() && options.archive.empty())
    return table.usage_error("no output is given: -o DIR or --archive FILE");
  return {};
}

}  // namespace

std::expected<BpfcoreOptions, Error> parse_bpfcore_options(std::vector<std::string> arguments) {
  BpfcoreOptions options;
  OptionTable table(
      {.name = "bpfcore",
       .purpose =
           "Reports which kernels BPF programs fit, and extracts the kernel types that they need.",
       .usage = "Usage: bpfcore check [OPTION]... PROGRAM... KERNEL...\n"
                "       bpfcore minimize [OPTION]... PROGRAM... KERNEL... -o DIR",
       .success = "nothing fails",
       .width = 30,
       .argument = {"FILE", "",
                    "A BPF object, or a kernel: an image, a BTF file, or a directory of these",
                    append_input(options.files)},
       .otherwise =
           ", with 1 if something does, and with 2 if nothing could be checked.\n"
           "check prints problems to standard error; it writes the table and the files also\n"
           "if something fails, but not with status 2. minimize exits with 1 on errors, and\n"
           "leaves the old output.",
       .commands = {{"check", "Report which kernels the programs fit"},
                    {"minimize", "Extract the kernel types that the programs need"}}},
      option_groups(options));
  auto text = table.parse(std::move(arguments));
  if (!text) return std::unexpected(text.error());
  options.text = std::move(*text);
  if (!options.text.empty()) return options;
  if (auto ok = check(table, options); !ok) return std::unexpected(ok.error());
  for (auto [option, path, is_text] : {std::tuple{"--json", &options.json, true},
                                       {"--html", &options.html, true},
                                       {"--archive", &options.archive, false}}) {
    if (!table.is_given(option)) continue;
    auto named = output_path(option, std::move(*path), is_text);
    if (!named) return std::unexpected(named.error());
    *path = std::move(*named);
  }
  return options;
}

}  // namespace bpflink
