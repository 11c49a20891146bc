#include "linker/text/options.hpp"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ranges>

#include "dedup/edit_distance.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/text/response_file.hpp"

namespace bpflink {
namespace {

constexpr size_t help_width = 80;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (auto part : std::views::split(text, separator)) parts.emplace_back(part.begin(), part.end());
  return parts;
}

/// The usage in one line, without "Usage: " and the other lines' indentation.
std::string on_one_line(std::string_view usage) {
  std::string text;
  for (std::string_view line : split(usage, '\n')) {
    if (!text.empty()) text += ", or ";
    text += line.substr(std::string_view("Usage: ").size());
  }
  return text;
}

}  // namespace

std::vector<std::string_view> Option::all_names() const {
  return split(names, ',');
}

std::vector<std::string_view> Option::words() const {
  if (suggestions.empty() && !has_fixed_words()) return {};
  return split(suggestions.empty() ? value_name() : suggestions, '|');
}

OptionAction store(std::string& text) {
  return always([&text](std::string_view value) { text = value; });
}

OptionAction store(std::optional<std::string>& text) {
  return always([&text](std::string_view value) { text = value; });
}

OptionAction append(std::vector<std::string>& list) {
  return always([&list](std::string_view value) { list.emplace_back(value); });
}

std::string input_path(std::string_view path) {
  return path == "-" ? "/dev/stdin" : std::string(path);
}

std::expected<std::string, Error> output_path(std::string_view option, std::string path,
                                              bool is_text) {
  if (path.empty()) return fail("{}: the name of the file is empty", option);
  if (path != "-") return path;
  if (!is_text && ::isatty(STDOUT_FILENO) != 0)
    return fail("{} -: standard output is a terminal, and this is not text", option);
  return "/dev/stdout";
}

OptionAction append_input(std::vector<std::string>& list) {
  return always([&list](std::string_view value) { list.push_back(input_path(value)); });
}

OptionAction store_number(unsigned& number, unsigned least, unsigned most) {
  return [&number, least, most](std::string_view value) -> std::expected<void, Error> {
    auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    bool is_number = error == std::errc() && rest == value.data() + value.size();
    if (is_number && number >= least && number <= most) return {};
    return fail("must be a number from {} to {}", least, most);
  };
}

OptionAction print_sizes(unsigned& most) {
  return [&most](std::string_view value) {
    return store_number(most, 1, 1'000'000)(value.empty() ? "10" : value);
  };
}

OptionAction store_page(std::string& path) {
  return [&path](std::string_view name) -> std::expected<void, Error> {
    if (name.ends_with(".svg")) return fail("a size map is a page of HTML");
    path = name;
    return {};
  };
}

OptionAction ignore() {
  return always([](std::string_view) {});
}

OptionAction refuse(std::string_view reason) {
  return [reason](std::string_view) -> std::expected<void, Error> { return fail("{}", reason); };
}

Option of_program(Option option) {
  option.is_of_program = true;
  return option;
}

std::string version_line(std::string_view program) {
  return fmt::format("{} {}\n", program, BPFLINK_VERSION);
}

OptionTable::OptionTable(Program program, std::vector<OptionGroup> groups)
    : program_(std::move(program)), groups_(std::move(groups)) {
  auto print = [this](auto make_text) -> OptionAction {
    return [this, make_text](std::string_view value) -> std::expected<void, Error> {
      text_ = make_text(value);
      return {};
    };
  };
  groups_.push_back(
      {"General",
       {of_program({"-h,--help", "", "Print this help and exit",
                    print([this](std::string_view) { return help(); })}),
        of_program({"--version", "", "Print the version and exit",
                    print([this](std::string_view) { return version_line(program_.name); })}),
        of_program({"--completion", "bash|zsh|fish", "", print([this](std::string_view shell) {
                      return shell == "bash"  ? bash_completion()
                             : shell == "zsh" ? zsh_completion()
                                              : fish_completion();
                    })})}});
}

std::expected<std::string, Error> OptionTable::parse(std::vector<std::string> arguments) {
  if (arguments.empty())
    return usage_error("no arguments, expected " + on_one_line(program_.usage));
  auto expanded = TRY(expand_response_files(std::move(arguments)));
  std::span<const std::string> left = expanded;
  bool has_ended = false;
  while (!left.empty() && text_.empty()) {
    const std::string& argument = left.front();
    if (!has_ended && argument == "--") {
      has_ended = true;
      left = left.subspan(1);
    } else if (has_ended || argument == "-" || !argument.starts_with('-')) {
      TRY(program_.argument.action(argument));
      given_.push_back({"", program_.argument.names, FileUse::Read, argument});
      left = left.subspan(1);
    } else {
      auto used = TRY(parse_one(left));
      left = left.subspan(used);
    }
  }
  if (!text_.empty()) return std::move(text_);
  TRY(check_unknown());
  return "";
}

std::expected<void, Error> OptionTable::parse_for_library(std::span<const std::string> options) {
  is_for_library_ = true;
  while (!options.empty()) {
    const std::string& option = options.front();
    if (option.size() < 2 || option[0] != '-') return fail("'{}' is not an option", option);
    auto used = TRY(parse_one(options));
    options = options.subspan(used);
  }
  return check_unknown();
}

std::expected<void, Error> OptionTable::check_unknown() const {
  if (unknown_.empty()) return {};
  std::string meant;
  for (const std::string& name : unknown_)
    if (std::string similar = find_similar(name); !similar.empty())
      meant += (meant.empty() ? "; did you mean " : ", ") + similar;
  return usage_error(fmt::format("unknown option{}: {}{}{}", agree(unknown_.size(), "", "s"),
                                 fmt::join(unknown_, " "), meant, meant.empty() ? "" : "?"));
}

/// Parses the option that the first argument is, and returns how many arguments belong to it:
/// "--output=FILE", or "--output" and "FILE"; "-oFILE", or "-o" and "FILE"; or several flags in
/// one, "-rv", of which the last may take a value.
std::expected<size_t, Error> OptionTable::parse_one(std::span<const std::string> arguments) {
  std::string_view argument = arguments.front();
  size_t equals = argument.find('=');
  if (const Option* option = find(argument.substr(0, equals)); option != nullptr)
    return apply(
        *option, arguments,
        equals == argument.npos ? std::nullopt : std::optional(argument.substr(equals + 1)));
  for (size_t i = 1; i < argument.size(); ++i) {
    const Option* option = find(std::string{'-', argument[i]});
    bool is_part =
        option != nullptr && (!option->help.empty() || (i == 1 && option->takes_value()));
    if (!is_part || argument.starts_with("--")) {
      unknown_.emplace_back(argument);
      return 1;
    }
    std::string_view rest = argument.substr(i + 1);
    bool has_value = option->takes_value() && !rest.empty();
    auto used = apply(*option, arguments, has_value ? std::optional(rest) : std::nullopt);
    if (!used || option->takes_value()) return used;
  }
  return 1;
}

/// Applies an option. `value` is the value in the first argument, if any. Returns how many
/// arguments were used.
std::expected<size_t, Error> OptionTable::apply(const Option& option,
                                                std::span<const std::string> arguments,
                                                std::optional<std::string_view> value) {
  size_t used = 1;
  std::string spelling = arguments.front();
  if (is_for_library_ && option.is_of_program)
    return usage_error(
        fmt::format("{}: is for the program {}, not for the library", spelling, program_.name));
  if (value && !option.takes_value() && !option.may_take_value())
    return usage_error(spelling + ": takes no value");
  if (option.takes_value() && !value) {
    if (arguments.size() < 2)
      return usage_error(fmt::format("{} needs {}", spelling, option.value_name()));
    if (is_option(arguments[1]))
      return usage_error(fmt::format("{} needs {}, but the option {} follows", spelling,
                                     option.value_name(), arguments[1]));
    value = arguments[1];
    used = 2;
    spelling += " " + arguments[1];
  }
  bool is_new = names_given_.insert(option.long_name()).second;
  if (!is_new && option.takes_value() && !option.is_repeatable())
    return usage_error(spelling + ": was given before");
  std::vector<std::string_view> words = option.words();
  if (option.has_fixed_words() && std::ranges::find(words, *value) == words.end())
    return usage_error(fmt::format("{}: must be one of {}", spelling, fmt::join(words, ", ")));
  auto ok = option.action(value.value_or(""));
  if (!ok) return usage_error(fmt::format("{}: {}", spelling, ok.error().message));
  given_.push_back({option.long_name(), option.value_name(), option.use,
                    value ? std::optional(std::string(*value)) : std::nullopt});
  return used;
}

const Option* OptionTable::find(std::string_view name) const {
  for (const OptionGroup& group : groups_)
    for (const Option& option : group.options)
      for (auto own : std::views::split(option.names, ','))
        if (std::string_view(own.begin(), own.end()) == name) return &option;
  return nullptr;
}

/// Whether an argument is an option, alone or with its value, or "--".
bool OptionTable::is_option(std::string_view argument) const {
  if (!argument.starts_with('-') || argument.size() < 2) return false;
  if (argument == "--" || find(argument.substr(0, argument.find('='))) != nullptr) return true;
  if (argument.starts_with("--")) return false;
  const Option* option = find(argument.substr(0, 2));
  return option != nullptr && option->takes_value();
}

std::string OptionTable::find_similar(std::string_view name) const {
  name = name.substr(0, name.find('='));
  NearestName similar(name);
  for (const OptionGroup& group : groups_)
    for (const Option& option : group.options)
      if (!option.help.empty() && option.long_name().starts_with("--"))
        similar.consider(option.long_name());
  if (!similar.nearest().empty() || name.size() < 2) return std::string(similar.nearest());
  // suggest -o for -O
  std::string other_case(name.substr(0, 2));
  other_case[1] = static_cast<char>(other_case[1] ^ ('a' ^ 'A'));
  const Option* option = find(other_case);
  return option != nullptr && !option->help.empty() ? other_case : "";
}

std::expected<void, Error> OptionTable::check_exclusive(std::string_view a,
                                                        std::string_view b) const {
  if (!is_given(a) || !is_given(b)) return {};
  return usage_error(
      fmt::format("{} and {} exclude each other", find(a)->short_name(), find(b)->short_name()));
}

std::expected<void, Error> OptionTable::check_needs(std::string_view option,
                                                    std::string_view needed) const {
  if (!is_given(option) || is_given(needed)) return {};
  return usage_error(
      fmt::format("{} needs {}", find(option)->short_name(), find(needed)->short_name()));
}

std::unexpected<Error> OptionTable::usage_error(std::string_view message) const {
  if (is_for_library_) return fail("{}", message);
  return fail("{} (see {} --help)", message, program_.name);
}

// ---- --help

std::string OptionTable::help() const {
  std::string text = fmt::format("{}\n{}\n\n", program_.purpose, program_.usage);
  for (const Command& command : program_.commands) text += help_line(command.name, command.help);
  text += help_line(program_.argument.names, program_.argument.help);
  for (const OptionGroup& group : groups_) {
    if (group.heading.empty()) continue;
    text += fmt::format("\n{}:\n", group.heading);
    for (const Option& option : group.options) {
      if (option.help.empty() || find(option.long_name()) != &option) continue;
      std::string name(option.names);
      if (option.takes_value()) name += fmt::format(" {}", option.value_name());
      if (option.may_take_value()) name += fmt::format("[{}]", option.value);
      text += help_line(name, option.help);
    }
  }
  return text + fmt::format(
                    "\n@FILE stands for the arguments in FILE, separated by white space.\n"
                    "Exits with 0 if {}{}\n",
                    program_.success,
                    program_.otherwise.empty() ? ", else with 1 and the output unchanged."
                                               : program_.otherwise);
}

std::string OptionTable::help_line(std::string_view name, std::string_view text) const {
  std::string line = fmt::format("  {:<{}}", name, program_.width - 3);  // a space before each word
  size_t column = line.size() < program_.width ? line.size() : help_width;
  for (std::string_view word : split(text, ' ')) {
    bool fits = column + 1 + word.size() <= help_width;
    line += fits ? " " : fmt::format("\n{:{}}", "", program_.width);
    line += word;
    column = (fits ? column + 1 : program_.width) + word.size();
  }
  return line + '\n';
}

}  // namespace bpflink
