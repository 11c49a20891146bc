#include "linker/options/command_line.hpp"

#include <algorithm>

#include "dedup/try.hpp"
#include "linker/options/rust_linker.hpp"
#include "linker/text/response_file.hpp"

namespace bpflink {
namespace {

OptionTable bpflink_table(CommandLine& command, std::optional<RustLinker>& rust) {
  std::vector<OptionGroup> groups = bpflink_options(command);
  // The first row of a name is the one that counts.
  if (rust) groups.insert(groups.begin(), rust->options());
  return OptionTable({.name = "bpflink",
                      .purpose = "Links BPF objects into one, with their BTF deduplicated.",
                      .usage = "Usage: bpflink [OPTION]... FILE... -o OUTPUT",
                      .success = "the output was written",
                      .width = 30,
                      .argument = {"FILE", "", "Objects and archives to link", add_input(command)}},
                     std::move(groups));
}

}  // namespace

std::vector<OptionGroup> bpflink_options(CommandLine& command) {
  std::vector<OptionGroup> groups = link_options(command);
  std::vector<Option>& general = groups.front().options;
  general.insert(
      general.begin(),
      {of_program({"-o,--output", "FILE", "Write the linked object to FILE", store(command.output),
                   FileUse::Write}),
       {"-r,--relocatable", "", "Partial link: leave externs that nobody defines to a later link",
        set(command.link.partial)},
       {"--warn-unresolved-symbols", "", "With -r: warn about externs that nobody defines",
        set(command.link.warn_undefined)}});
  return groups;
}

std::expected<CommandLine, Error> parse_command_line(std::vector<std::string> arguments,
                                                     bool as_bpf_linker) {
  auto expanded = TRY(expand_response_files(std::move(arguments)));
  arguments = std::move(expanded);
  CommandLine command;
  std::optional<RustLinker> rust;
  if (as_bpf_linker || is_from_rustc(arguments)) rust.emplace(command);
  if (rust) std::ranges::replace(arguments, "-V", "--version");
  OptionTable table = bpflink_table(command, rust);
  auto text = TRY(table.parse(std::move(arguments)));
  command.text = std::move(text);
  if (!command.text.empty()) return command;
  if (rust) rust->finish(table);
  TRY(finish_link_options(command, table));
  command.link.hint_at_options = true;
  if (!table.is_given("--output"))
    return table.usage_error(
        command.inputs.size() == 1
            ? "no output is given with -o"
            : "no output is given with -o: what bpftool takes as 'gen object OUTPUT INPUT...' is "
              "'bpflink INPUT... -o OUTPUT'");
  auto target = TRY(output_path("-o", std::move(command.output), false));
  command.output = std::move(target);
  return command;
}

std::expected<LinkCommand, Error> parse_library_options(std::span<const std::string> options) {
  CommandLine command;
  std::optional<RustLinker> rust;
  OptionTable table = bpflink_table(command, rust);
  auto ok = table.parse_for_library(options);
  if (ok) ok = complete_link_options(command, table);
  if (!ok) return std::unexpected(ok.error());
  command.link.hint_at_options = true;
  return command;
}

}  // namespace bpflink
