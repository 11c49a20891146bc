#include "linker/bpflink/command_line.hpp"

#include "linker/command_line/program.hpp"

namespace bpflink {

std::expected<CommandLine, Error> parse_command_line(std::vector<std::string> arguments) {
  CommandLine command;
  std::vector<OptionGroup> groups = link_options(command);
  std::vector<Option>& general = groups.front().options;
  general.insert(
      general.begin(),
      {{"-o,--output", "FILE", "Write the linked object to FILE", store(command.output),
        FileUse::Write},
       {"-r,--relocatable", "", "Partial link: leave externs that nobody defines to a later link",
        set(command.link.partial)}});
  OptionTable table({.name = "bpflink",
                     .purpose = "Links BPF objects into one, with their BTF deduplicated.",
                     .usage = "Usage: bpflink [OPTION]... FILE... -o OUTPUT",
                     .success = "the output was written",
                     .width = 30,
                     .argument = {"FILE", "", "Objects and archives to link", add_input(command)}},
                    std::move(groups));
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

}  // namespace bpflink
