#include "linker/programs/bpfcore/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/facts/linux_release.hpp"
#include "linker/kernels/kernel_config.hpp"
#include "linker/programs/bpfcore/load/guest.hpp"
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
    if (!version_code(text)) return fail("is not a release such as 6.12 or 6.12.3-generic");
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
      {"For check and load",
       {{"--set", "NAME=VALUE...", "Assume that variable NAME of .rodata has VALUE", add},
        {"--strict", "", "Assume nothing of variables of .rodata", set(options.strict)},
        {"--optional", "PROGRAM...", "Only warn if PROGRAM does not fit",
         append(options.optional_programs)},
        {"--differences", "", "Warn about members whose size shrinks or whose sign changes",
         set(options.differences)},
        {"--table", "", "Print a table of programs by kernels", set(options.table)},
        {"--html", "FILE", "Write the table and all problems to FILE as a page for browsers",
         store_page(options.html)},
        {"--json", "FILE", "Write the whole report to FILE as JSON (- for standard output)",
         store(options.json)}}},
      {"For load",
       {{"--whole", "", "Load whole objects, not each program alone", set(options.whole)},
        {"--btf", "FILE", "Resolve relocations with the types in FILE, as minimize writes them",
         store(options.btf)},
        {"--log", "DIR", "Write all that verifiers say to DIR", store(options.log)},
        {"--timeout", "SECONDS", "Stop waiting for a kernel or a program (default: 120)",
         store_number(options.timeout, 1, 86400)},
        {"--jobs", "N", "Run N kernels at a time (default: 1)", store_number(options.jobs, 1, 256)},
        {"--memory", "MIB", "Give each kernel MIB of memory (default: 2048)",
         store_number(options.memory, 64, 1 << 22)},
        {"--processors", "N", "Give each kernel N processors (default: 1)",
         store_number(options.processors, 1, 255)},
        {"--cache", "DIR", "Take results that are in DIR, and put new ones there",
         store(options.cache)},
        {"--against", "FILE", "Compare with FILE, which load --json wrote",
         store(options.against)}}},
      {"For minimize",
       {{"-o,--output", "DIR", "Write the BTF files and index.json to DIR", store(options.output)},
        {"--archive", "FILE", "Write one FILE with all BTF, which bpflink/core_archive.h reads",
         store(options.archive)},
        {"--merge", "", "Write one BTF for each kernel, not one for each program",
         set(options.merge)}}}};
}

std::expected<void, Error> check(const OptionTable& table, BpfcoreOptions& options) {
  if (options.files.empty())
    return table.usage_error("the first argument must be check, load or minimize");
  std::string command = options.files.front();
  options.files.erase(options.files.begin());
  using enum BpfcoreOptions::Command;
  constexpr std::array<std::string_view, 3> names = {"check", "load", "minimize"};
  const auto* name = std::ranges::find(names, command);
  if (name == names.end())
    return table.usage_error(fmt::format("'{}' is not check, load or minimize", command));
  options.command = static_cast<BpfcoreOptions::Command>(name - names.begin());
  bool is_minimize = options.command == Minimize;
  std::vector<OptionGroup> groups = option_groups(options);
  const std::array<bool, 4> has_group = {true, !is_minimize, options.command == Load, is_minimize};
  for (size_t i = 0; i < has_group.size(); ++i)
    for (const Option& option : groups[i].options)
      if (!has_group[i] && table.is_given(option.long_name()))
        return table.usage_error(fmt::format("{} is not for {}", option.long_name(), command));
  if (!is_minimize) return {};
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
                "       bpfcore load [OPTION]... PROGRAM... KERNEL...\n"
                "       bpfcore minimize [OPTION]... PROGRAM... KERNEL... -o DIR",
       .success = "nothing fails",
       .width = 30,
       .argument = {"FILE", "",
                    "A BPF object, or a kernel: an image, a BTF file, or a directory of these",
                    append_input(options.files)},
       .otherwise =
           ", with 1 if something does, and with 2 if nothing could be checked.\n"
           "load exits with 2 if a program was not run, and with 3 if only libbpf refuses "
           "programs.\n"
           "check and load print problems to standard error; they write the table and the files\n"
           "also if something fails. minimize exits with 1 on errors, and leaves the old output.",
       .commands = {{"check", "Report which kernels the programs fit"},
                    {"load", "Boot the kernels, and load the programs there"},
                    {"minimize", "Extract the kernel types that the programs need"}}},
      option_groups(options));
  auto text = TRY(table.parse(std::move(arguments)));
  options.text = std::move(text);
  if (options.text == version_line("bpfcore")) options.text += describe_loader();
  if (!options.text.empty()) return options;
  TRY(check(table, options));
  for (auto [option, path, is_text] : {std::tuple{"--json", &options.json, true},
                                       {"--html", &options.html, true},
                                       {"--archive", &options.archive, false}}) {
    if (!table.is_given(option)) continue;
    auto named = TRY(output_path(option, std::move(*path), is_text));
    *path = std::move(named);
  }
  return options;
}

}  // namespace bpflink
