// What shells complete, as the table of options has it: names, words, files and directories.
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "linker/text/options.hpp"

namespace bpflink {
namespace {

/// Calls `visit` with each option that --help shows.
template <typename Visit>
void for_each_shown(const std::vector<OptionGroup>& groups, Visit visit) {
  for (const OptionGroup& group : groups)
    for (const Option& option : group.options)
      if (!option.help.empty()) visit(option);
}

/// `text` with a backslash before each of `special`.
std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (char c : text) {
    if (special.contains(c)) result += '\\';
    result += c;
  }
  return result;
}

/// A text for brackets of zsh's _arguments, within single quotes.
std::string escaped_for_zsh(std::string_view text) {
  std::string result;
  for (char c : escaped(text, "[]:"))
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result;
}

/// A text in single quotes of fish.
std::string quoted_for_fish(std::string_view text) {
  return fmt::format("'{}'", escaped(text, "\\'"));
}

bool is_long(std::string_view name) {
  return name.starts_with("--");
}

}  // namespace

std::string OptionTable::bash_completion() const {
  std::string names, cases;
  std::vector<std::string_view> without;  // options whose values cannot be completed
  auto add_case = [&](const std::vector<std::string_view>& options, std::string_view answer) {
    cases += fmt::format("    {}) {} ;;\n", fmt::join(options, " | "), answer);
  };
  for_each_shown(groups_, [&](const Option& option) {
    std::vector<std::string_view> all = option.all_names(), words = option.words();
    for (std::string_view name : all) names += fmt::format("\n      {}", name);
    if (!words.empty())
      add_case(all, fmt::format("offer -W '{}'", fmt::join(words, " ")));
    else if (option.value_name() == "DIR")
      add_case(all, "offer -d");
    else if (option.value_name() == "FILE")
      add_case(all, "offer -f");
    else if (option.takes_value())
      without.insert(without.end(), all.begin(), all.end());
  });
  if (!without.empty()) add_case(without, ":");
  std::string arguments = "offer -f";
  if (!program_.commands.empty()) {
    std::vector<std::string_view> commands;
    std::ranges::transform(program_.commands, std::back_inserter(commands), &Command::name);
    arguments = fmt::format(
        R"~(if [[ " ${{COMP_WORDS[*]:1:COMP_CWORD-1}} " =~ " "({})" " ]]; then offer -f; else offer -W '{}'; fi)~",
        fmt::join(commands, "|"), fmt::join(commands, " "));
  }
  return fmt::format(R"(# bash completion of {0}(1)
_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} option=${{COMP_WORDS[COMP_CWORD - 1]}} prefix= options='{1}'
  offer() {{ mapfile -t COMPREPLY < <(compgen -P "$prefix" "$@" -- "$word"); }}
  COMPREPLY=()
  # --option=word is three words, unless COMP_WORDBREAKS was changed.
  case $word in
    =) word= ;;
    --*=*) option=${{word%%=*}} prefix=$option= word=${{word#*=}} ;;
    @*) prefix=@ word=${{word#@}} ;;
  esac
  [[ $option != = ]] || option=${{COMP_WORDS[COMP_CWORD - 2]}}
  case $option in
{2}    *)
      case $prefix$word in
        -*) offer -W "$options" ;;
        @*) offer -f ;;
        *) {3} ;;
      esac
      ;;
  esac
  unset -f offer
}}
complete -o filenames -F _{0} {0}
)",
                     program_.name, names, cases, arguments);
}

std::string OptionTable::zsh_completion() const {
  std::string text = fmt::format(
      "#compdef {0}\n# zsh completion of {0}(1)\n\n_arguments -s -S \\\n", program_.name);
  for_each_shown(groups_, [&](const Option& option) {
    std::string_view value = option.value_name();
    std::vector<std::string_view> words = option.words();
    std::string action = !words.empty()         ? fmt::format(":word:({})", fmt::join(words, " "))
                         : value == "FILE"      ? ":file:_files"
                         : value == "DIR"       ? ":directory:_files -/"
                         : option.takes_value() ? fmt::format(":{}:", value)
                                                : "";
    for (std::string_view name : option.all_names())  // "-oFILE", "--output=FILE"
      text += fmt::format("  '{}{}{}[{}]{}' \\\n", option.is_repeatable() ? "*" : "", name,
                          action.empty()     ? ""
                          : name.size() == 2 ? "+"
                                             : "=",
                          escaped_for_zsh(option.help), action);
  });
  std::string commands;
  for (const Command& command : program_.commands)
    commands += fmt::format("{}\\:\"{}\" ", command.name, escaped_for_zsh(command.help));
  if (!commands.empty()) text += fmt::format("  '1:command:(({}))' \\\n", commands);
  return text + "  '*:file:_files'\n";
}

std::string OptionTable::fish_completion() const {
  std::string text = fmt::format("# fish completion of {}(1)\n", program_.name);
  std::string commands, add = fmt::format("complete -c {}", program_.name);
  for (const Command& command : program_.commands) commands += fmt::format(" {}", command.name);
  for (const Command& command : program_.commands)
    text += fmt::format("{} -n 'not __fish_seen_subcommand_from{}' -f -a {} -d {}\n", add, commands,
                        command.name, quoted_for_fish(command.help));
  for_each_shown(groups_, [&](const Option& option) {
    text += add;
    for (std::string_view name : option.all_names())
      text += fmt::format(" {} {}",
                          is_long(name)      ? "-l"
                          : name.size() == 2 ? "-s"
                                             : "-o",
                          name.substr(is_long(name) ? 2 : 1));
    std::vector<std::string_view> words = option.words();
    if (!words.empty())
      text += fmt::format(" -x -a '{}'", fmt::join(words, " "));
    else if (option.value_name() == "DIR")
      text += " -x -a '(__fish_complete_directories)'";
    else if (option.takes_value())
      text += option.value_name() == "FILE" ? " -r -F" : " -x";
    text += fmt::format(" -d {}\n", quoted_for_fish(option.help));
  });
  return text;
}

}  // namespace bpflink
