#include "linker/io/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <sstream>
#include <utility>

#include "dedup/internal.hpp"
#include "linker/error.hpp"
#include "linker/io/response_file.hpp"

namespace bpflink {
namespace {

/// A line for each option, as other linkers have it, within the width of a terminal.
class HelpFormatter : public CLI::FormatterBase {
 public:
  HelpFormatter(std::string usage, size_t width) : usage_(std::move(usage)), width_(width) {}

  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    std::string text = fmt::format("{}\n{}\n", app->get_description(), usage_);
    for (const CLI::Option* option : app->get_options())
      if (!option->nonpositional()) text += line(option->get_option_text(), *option);
    for (const std::string& group : app->get_groups()) {
      std::string lines;
      for (const CLI::Option* option : app->get_options())
        if (option->nonpositional() && option->get_group() == group)
          lines += line(names(*option), *option);
      if (!group.empty() && !lines.empty()) text += fmt::format("\n{}:\n{}", group, lines);
    }
    return fmt::format("{}\n{}\n", text, app->get_footer());
  }

 private:
  static std::string names(const CLI::Option& option) {
    const std::string& value = option.get_option_text();
    return option.get_name(false, true) + (value.empty() ? "" : " " + value);
  }

  std::string line(std::string_view name, const CLI::Option& option) const {
    constexpr size_t terminal = 80;
    std::string text = fmt::format("  {:<{}}", name, width_ - 3);  // a space before each word
    size_t column = text.size() < width_ ? text.size() : terminal;
    std::istringstream words(option.get_description());
    for (std::string word; words >> word;) {
      bool fits = column + 1 + word.size() <= terminal;
      text += fits ? " " : fmt::format("\n{:{}}", "", width_);
      text += word;
      column = (fits ? column + 1 : width_) + word.size();
    }
    return text + '\n';
  }

  std::string usage_;
  size_t width_;
};

/// The option that an unknown one may have been meant for, or "".
std::string find_similar_option(const CLI::App& app, const std::string& argument) {
  std::string name = argument.substr(0, argument.find('='));
  if (!name.starts_with('-')) return "";
  std::string similar;
  size_t best = misspelling_limit(name);
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& known : option->get_lnames())
      if (size_t distance = edit_distance(name, "--" + known); distance < best) {
        best = distance;
        similar = "--" + known;
      }
  }
  return similar;
}

std::string describe(const CLI::App& app, const CLI::ExtrasError& error) {
  std::string similar;
  for (const std::string& argument : app.remaining())
    if (std::string option = find_similar_option(app, argument); !option.empty())
      similar += (similar.empty() ? "" : ", ") + option;
  if (similar.empty()) return error.what();
  return fmt::format("{}; did you mean {}?", error.what(), similar);
}

}  // namespace

void add_help(CLI::App& app, HelpTexts texts) {
  app.formatter(std::make_shared<HelpFormatter>(std::move(texts.usage), texts.column_width));
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", fmt::format("{} {}", app.get_name(), BPFLINK_VERSION),
                       "Print the version and exit");
  app.footer(
      fmt::format("@FILE stands for the arguments in FILE, separated by white space.\n"
                  "Exits with 0 if {}, else with 1 and the output as it was.",
                  texts.success));
}

CLI::Option* add_size_map_option(CLI::App& app, std::string& path) {
  auto refuse_pictures = [](const std::string& name) {
    return name.ends_with(".svg") ? fmt::format("{}: a size map is a page of HTML", name)
                                  : std::string();
  };
  return app
      .add_option("--size-map", path,
                  "Write to FILE a page for browsers that shows where the output's bytes come from")
      ->option_text("FILE")
      ->check(CLI::Validator(refuse_pictures, ""));
}

std::expected<std::string, Error> parse_arguments(CLI::App& app, std::vector<std::string> arguments,
                                                  std::string (*spell)(const std::string&)) {
  if (arguments.empty()) {
    std::string help = app.help();
    size_t usage = help.find("Usage");
    return fail("no arguments (see {} --help)\n{}", app.get_name(),
                help.substr(usage, help.find("\n\n") - usage));
  }
  auto expanded = expand_response_files(std::move(arguments));
  if (!expanded) return std::unexpected(expanded.error());
  if (spell)
    for (std::string& argument : *expanded) argument = spell(argument);
  std::ranges::reverse(*expanded);  // CLI11 takes them from the back
  try {
    app.parse(std::move(*expanded));
    return "";
  } catch (const CLI::CallForHelp&) {
    return app.help();
  } catch (const CLI::CallForVersion& version) {
    return fmt::format("{}\n", version.what());
  } catch (const CLI::ExtrasError& error) {
    return usage_error(app, describe(app, error));
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error.what());
  }
}

CLI::Validator in_range(unsigned least, unsigned most) {
  // CLI::Range words its message as the release of the library likes.
  auto check = [=](const std::string& text) {
    unsigned value = 0;
    const char* end = text.data() + text.size();
    auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && rest == end && value >= least && value <= most)
      return std::string();
    return fmt::format("Value {} not in range {} to {}", text, least, most);
  };
  CLI::Validator validator;
  validator.operation([check](std::string& text) { return check(text); });
  return validator;
}

std::unexpected<Error> usage_error(const CLI::App& app, const std::string& message) {
  return fail("{} (see {} --help)", message, app.get_name());
}

}  // namespace bpflink
