#include "linker/programs/bpflink/command_line.hpp"

namespace bpflink {
namespace {

OptionTable bpflink_table(CommandLine& command) {
  return OptionTable({.name = "bpflink",
                      .purpose = "Links BPF objects into one, with their BTF deduplicated.",
                      .usage = "Usage: bpflink [OPTION]... FILE... -o OUTPUT",
                      .success = "the output was written",
                      .width = 30,
                      .argument = {"FILE", "", "Objects and archives to link", add_input(command)}},
                     bpflink_options(command));
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
        set(command.link.partial)}});
  return groups;
}

std::expected<CommandLine, Error> parse_command_line(std::vector<std::string> arguments) {
  CommandLine command;
  OptionTable table = bpflink_table(command);
  auto text = table.parse(std::move(arguments));
  if (!text) return std::unexpected(text.error());
  command.text = std::move(*text);
  if (!command.text.empty()) return command;
  if (auto ok = finish_link_options(command, table); !ok) return std::unexpected(ok.error());
  command.link.hint_at_options = true;
  if (!table.is_given("--output"))
    return table.usage_error(
        command.inputs.size() == 1
            ? "no output is given with -o"
            : "no output is given with -o: what bpftool takes as 'gen object OUTPUT INPUT...' is "
              "'bpflink INPUT... -o OUTPUT'");
  auto target = output_path("-o", std::move(command.output), false);
  if (!target) return std::unexpected(target.error());
  command.output = std::move(*target);
  return command;
}

std::expected<LinkOptions, Error> parse_library_options(std::span<const std::string> options) {
  CommandLine command;
  OptionTable table = bpflink_table(command);
  auto ok = table.parse_for_library(options);
  if (ok) ok = complete_link_options(command, table);
  if (!ok) return std::unexpected(ok.error());
  command.link.hint_at_options = true;
  return std::move(command.link);
}

}  // namespace bpflink
