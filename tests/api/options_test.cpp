// The options of the C interface: the table of bpflink says which there are, each has its effect on
// a link, and the others are refused.
#include "linker/text/options.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <map>

#include "fixtures.hpp"
#include "linker/options/command_line.hpp"

namespace {

/// All that a caller sees of a link: messages, the report, the object and other files.
std::string outcome(const std::vector<std::string>& inputs, const Options& options,
                    const TemporaryDirectory& directory) {
  std::string seen;
  auto note = [](void* context, const bpflink_diagnostic* diagnostic) {
    *static_cast<std::string*>(context) += take(bpflink_diagnostic_render(diagnostic, "link", 0));
  };
  bpflink_linker* linker = linker_with(options, note, &seen);
  for (const std::string& input : inputs)
    CHECK((input.starts_with("-l")
               ? bpflink_linker_add_library(linker, input.c_str() + 2)
               : bpflink_linker_add_file(linker, fixture(input).c_str())) == BPFLINK_OK);
  std::string output = directory.file("out.o");
  std::filesystem::remove(output);
  seen += std::to_string(bpflink_linker_link_to_file(linker, output.c_str()));
  if (const bpflink_link_report* report = bpflink_linker_report(linker)) {
    seen = seen + report->map + report->cross_references + report->explanations + report->sizes;
    for (const bpflink_pass& pass : items<bpflink_pass>(report->passes)) seen += pass.name;
  }
  bpflink_linker_free(linker);
  for (const char* name : {"out.o", "map", "deps", "json", "page"})
    for (std::byte byte : read_file(directory.file(name))) seen += static_cast<char>(byte);
  return seen;
}

std::string refusal_of(const Options& options) {
  std::string refusal;
  CHECK(make_linker(options, refusal) == nullptr);
  return refusal;
}

}  // namespace

TEST_CASE("no option is ignored") {
  TemporaryDirectory directory;
  const std::vector<std::string> good = {"options.o", "options-other.o"}, alone = {"options.o"},
                                 differs = {"options.o", "options-conflict.o"},
                                 points = {"options.o", "options-pointer.o"},
                                 library = {"options.o", "-lnothing"};
  const std::string gc = "--gc-sections", report = "--emit-stats";
  struct Row {
    const std::vector<std::string>& inputs;
    std::string option;
    Options before = {};
  };
  const Row rows[] = {
      {alone, "-r"},
      {good, gc},
      {good, "--gc-constants", {gc}},
      {good, "--gc-maps", {gc}},
      {good, "--localize-hidden"},
      {good, "--keep-debug"},
      {good, "-x"},
      {good, "--strip-line-info"},
      {good, "--prune-types"},
      {good, "--shrink"},
      {differs, "--no-warn-odr"},
      {differs, "--fatal-warnings"},
      {points, "--no-check-pointers"},
      {good, report},
      {good, "--cref"},
      {good, "--verify", {report}},
      {good, "--license=Dual BSD/GPL"},
      {good, "-uunused", {gc}},
      {good, "--keep-section=.text", {gc}},
      {good, "--keep-type=kept", {gc}},
      {good, "-ytake"},
      {library, "-L/nowhere"},
      {good, "--prefix-symbols=x_"},
      {good, "--redefine-sym=take=took"},
      {good, "--prefix-symbols-of=" + fixture("options-other.o") + "=x_", {"-r"}},
      {good, "-Map=" + directory.file("map")},
      {good, "--dependency-file=" + directory.file("deps")},
      {good, "--json=" + directory.file("json")},
      {good, "--size-map=" + directory.file("page")},
      {good, "--print-sizes=3", {report}},
      {good, "--explain=take", {report}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.option);
    Options both = row.before;
    both.push_back(row.option);
    std::string before = outcome(row.inputs, row.before, directory);
    CHECK(outcome(row.inputs, row.before, directory) == before);
    CHECK(outcome(row.inputs, both, directory) != before);
  }
  // Hints name options.
  CHECK(outcome(alone, {}, directory).find("-r leaves it to a later link") != std::string::npos);
}

TEST_CASE("the library takes the options of the table, but for those of the program") {
  TemporaryDirectory directory;
  const std::string names = directory.file("names");
  std::ofstream(names) << "name\n";
  // A right value and a wrong one for each name of a value
  const std::map<std::string_view, std::pair<std::string, std::string>> values = {
      {"N", {"1", "x"}},
      {"=N", {"3", "x"}},
      {"SECONDS", {"9", "9s"}},
      {"MIB", {"9", ""}},
      {"OLD=NEW", {"a=b", "a"}},
      {"FILE=PREFIX", {"a=b", "a"}},
      {"classic-header", {"classic-header", "x86"}},
      {"bpf", {"bpf", "x86"}},
      {"FILE", {names, "-r"}},
      {"DIR", {"directory", "-r"}},
      {"NAME", {"name", "-r"}},
      {"SYMBOL", {"name", "-r"}},
      {"PATTERN", {".text", "-r"}},
      {"PREFIX", {"x_", "-r"}},
      {"TEXT", {"GPL", "-r"}},
  };
  bpflink::CommandLine command;
  size_t taken = 0, refused = 0;
  for (const bpflink::OptionGroup& group : bpflink_options(command))
    for (const bpflink::Option& option : group.options) {
      if (option.help.empty()) continue;  // of other programs
      std::string name(option.long_name()), value(option.value_name());
      CAPTURE(name);
      if (option.is_of_program) {
        ++refused;
        CHECK(refusal_of({name}) == name + ": is for the program bpflink, not for the library");
        continue;
      }
      ++taken;
      if (value.empty()) {
        bpflink_linker_free(linker_with({name}));
        CHECK(refusal_of({name + "=1"}) == name + "=1: takes no value");
        continue;
      }
      REQUIRE(values.contains(value));
      const auto& [right, wrong] = values.at(value);
      bpflink_linker_free(linker_with({name + '=' + right}));
      std::string refusal =
          wrong == "-r" ? refusal_of({name, wrong}) : refusal_of({name + '=' + wrong});
      CHECK(refusal.starts_with(name));
      CHECK(refusal.find("--help") == std::string::npos);
    }
  CHECK(taken > 40);
  CHECK(refused > 6);
}

TEST_CASE("what is refused, and why") {
  const std::pair<Options, std::string> rows[] = {
      {{"--lto-O=fast"}, "--lto-O=fast: must be a number from 0 to 3"},
      {{"--lto-target", "x86"}, "--lto-target x86: is not bpf, the only target"},
      {{"--redefine-sym=x"}, "--redefine-sym=x: is not OLD=NEW"},
      {{"--license"}, "--license needs TEXT"},
      {{"--license=a", "--license=b"}, "--license=b: was given before"},
      {{"-s", "--keep-debug"}, "--keep-debug contradicts -s and -S"},
      {{"--json="}, "--json: the name of the file is empty"},
      {{"--gc-section"}, "unknown option: --gc-section; did you mean --gc-sections?"},
      {{"--help"}, "--help: is for the program bpflink, not for the library"},
      {{"-oout.o"}, "-oout.o: is for the program bpflink, not for the library"},
      {{"@options"}, "'@options' is not an option"},
      {{"-r", "a.o"}, "'a.o' is not an option"},
      {{"-"}, "'-' is not an option"},
      {{"--"}, "unknown option: --"},
      {{""}, "'' is not an option"},
  };
  for (const auto& [options, reason] : rows) CHECK(refusal_of(options) == reason);

  const char* with_null[] = {"-r", nullptr};
  bpflink_linker* linker = nullptr;
  char* error = nullptr;
  CHECK(bpflink_linker_new(with_null, 2, nullptr, nullptr, &linker, &error) ==
        BPFLINK_ERROR_ARGUMENT);
  CHECK(take(error) == "option 1 is null");
  CHECK(bpflink_linker_new(nullptr, 3, nullptr, nullptr, &linker, &error) ==
        BPFLINK_ERROR_ARGUMENT);
  CHECK(take(error) == "the options are null, but their count is 3");
}
