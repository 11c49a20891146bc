// Every option of the C interface has an effect on a link.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "bpflink/bpflink.h"
#include "fixtures.hpp"

namespace {

using Set = std::function<void(bpflink_link_options&)>;

/// All that a caller sees of a link: messages, the report, the object and other files.
std::string outcome(const std::vector<std::string>& inputs, const Set& set,
                    const TemporaryDirectory& directory) {
  std::string seen;
  bpflink_link_options options = BPFLINK_LINK_OPTIONS_INIT;
  options.on_diagnostic = [](void* context, const bpflink_diagnostic* diagnostic) {
    char* text = bpflink_diagnostic_render(diagnostic, "link", 0);
    *static_cast<std::string*>(context) += text;
    bpflink_free(text);
  };
  options.context = &seen;
  set(options);
  bpflink_linker* linker = nullptr;
  REQUIRE(bpflink_linker_new(&options, &linker) == BPFLINK_OK);
  for (const std::string& input : inputs)
    CHECK((input.starts_with("-l")
               ? bpflink_linker_add_library(linker, input.c_str() + 2)
               : bpflink_linker_add_file(linker, fixture(input).c_str())) == BPFLINK_OK);
  std::string output = directory.file("out.o");
  std::filesystem::remove(output);
  seen += std::to_string(bpflink_linker_link_to_file(linker, output.c_str()));
  bpflink_link_report report;
  if (bpflink_linker_report(linker, &report, sizeof report) == BPFLINK_OK) {
    seen = seen + report.map + report.cross_references + report.explanations + report.sizes;
    for (size_t i = 0; i < report.pass_count; ++i) {
      const char* name = nullptr;
      double seconds = 0;
      CHECK(bpflink_linker_report_pass(linker, i, &name, &seconds) == BPFLINK_OK);
      seen += name;
    }
  }
  bpflink_linker_free(linker);
  for (const char* name : {"out.o", "map", "deps", "json", "page"})
    for (std::byte byte : read_file(directory.file(name))) seen += static_cast<char>(byte);
  return seen;
}

Set flag(uint64_t flags) {
  return [flags](bpflink_link_options& options) { options.flags |= flags; };
}

}  // namespace

TEST_CASE("no option is ignored") {
  TemporaryDirectory directory;
  const std::vector<std::string> good = {"options.o", "options-other.o"}, alone = {"options.o"},
                                 differs = {"options.o", "options-conflict.o"},
                                 points = {"options.o", "options-pointer.o"};
  const std::string map = directory.file("map"), deps = directory.file("deps"),
                    json = directory.file("json"), page = directory.file("page");
  auto list = [](auto member, auto count, const char* text) -> Set {
    return [=, texts = std::vector<const char*>{text}](bpflink_link_options& options) {
      options.*member = texts.data();
      options.*count = 1;
    };
  };
  auto text = [](auto member, const char* value) -> Set {
    return [=](bpflink_link_options& options) { options.*member = value; };
  };
  using Options = bpflink_link_options;
  const Set none = [](Options&) {}, gc = flag(BPFLINK_LINK_GC_SECTIONS),
            report = flag(BPFLINK_LINK_REPORT);
  const std::string renamed = fixture("options-other.o") + "=x_";
  struct Row {
    const char* name;
    const std::vector<std::string>& inputs;
    Set before, set;
  };
  const std::vector<std::string> library = {"options.o", "-lnothing"};
  const Row rows[] = {
      {"partial", alone, none, flag(BPFLINK_LINK_PARTIAL)},
      {"gc_sections", good, none, gc},
      {"gc_constants", good, gc, flag(BPFLINK_LINK_GC_CONSTANTS)},
      {"gc_maps", good, gc, flag(BPFLINK_LINK_GC_MAPS)},
      {"localize_hidden", good, none, flag(BPFLINK_LINK_LOCALIZE_HIDDEN)},
      {"keep_debug", good, none, flag(BPFLINK_LINK_KEEP_DEBUG)},
      {"discard_locals", good, none, flag(BPFLINK_LINK_DISCARD_LOCALS)},
      {"strip_line_info", good, none, flag(BPFLINK_LINK_STRIP_LINE_INFO)},
      {"prune_types", good, none, flag(BPFLINK_LINK_PRUNE_TYPES)},
      {"no_warn_odr", differs, none, flag(BPFLINK_LINK_NO_WARN_ODR)},
      {"fatal_warnings", differs, none, flag(BPFLINK_LINK_FATAL_WARNINGS)},
      {"no_check_pointers", points, none, flag(BPFLINK_LINK_NO_CHECK_POINTERS)},
      {"hint_at_options", alone, none, flag(BPFLINK_LINK_HINT_AT_OPTIONS)},
      {"report", good, none, report},
      {"verify", good, report, flag(BPFLINK_LINK_VERIFY)},
      {"license", good, none, text(&Options::license, "Dual BSD/GPL")},
      {"undefined", good, gc, list(&Options::undefined, &Options::undefined_count, "unused")},
      {"keep_sections", good, gc,
       list(&Options::keep_sections, &Options::keep_section_count, ".text")},
      {"keep_types", good, gc, list(&Options::keep_types, &Options::keep_type_count, "kept")},
      {"trace_symbols", good, none,
       list(&Options::trace_symbols, &Options::trace_symbol_count, "take")},
      {"library_paths", library, none,
       list(&Options::library_paths, &Options::library_path_count, "/nowhere")},
      {"prefix_symbols", good, none, text(&Options::prefix_symbols, "x_")},
      {"redefine_symbols", good, none,
       list(&Options::redefine_symbols, &Options::redefine_symbol_count, "take=took")},
      {"prefix_symbols_of", good, flag(BPFLINK_LINK_PARTIAL),
       list(&Options::prefix_symbols_of, &Options::prefix_symbols_of_count, renamed.c_str())},
      {"map_file", good, none, text(&Options::map_file, map.c_str())},
      {"dependency_file", good, none, text(&Options::dependency_file, deps.c_str())},
      {"json_file", good, none, text(&Options::json_file, json.c_str())},
      {"size_map_file", good, none, text(&Options::size_map_file, page.c_str())},
      {"print_sizes", good, report, [](Options& options) { options.print_sizes = 3; }},
      {"size_map_against", good, [](Options& options) { options.print_sizes = 3; },
       text(&Options::size_map_against, json.c_str())},
      {"explain", good, report, list(&Options::explain, &Options::explain_count, "take")},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    auto both = [&](Options& options) {
      row.before(options);
      row.set(options);
    };
    std::string before = outcome(row.inputs, row.before, directory);
    CHECK(outcome(row.inputs, row.before, directory) == before);
    CHECK(outcome(row.inputs, both, directory) != before);
  }
}
