#include "linker/options/link_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/io/input_file.hpp"
#include "linker/io/paths.hpp"
#include "linker/report/report_files.hpp"
#include "linker/report/reports.hpp"
#include "linker/state/renaming.hpp"

namespace bpflink {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;
using ParsePair = std::optional<std::pair<std::string, std::string>>(const std::string& text);

OptionAction append_pair(Pairs& pairs, ParsePair* parse, std::string_view form) {
  return [&pairs, parse, form](std::string_view text) -> std::expected<void, Error> {
    auto pair = parse(std::string(text));
    if (!pair) return fail("is not {}", form);
    pairs.push_back(std::move(*pair));
    return {};
  };
}

auto& exports_of(LinkOptions& link) {
  return link.exports ? *link.exports : link.exports.emplace();
}

OptionAction append_exports_in_file(LinkOptions& link) {
  return [&link](std::string_view path) -> std::expected<void, Error> {
    auto file = TRY(InputFile::open(input_path(path)));
    auto& exports = exports_of(link);
    auto bytes = file.bytes();
    std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; };
    for (size_t number = 1; auto line : std::views::split(text, '\n')) {
      if (std::ranges::any_of(line, is_control))
        return fail("line {} is not the name of a symbol", number);
      if (!line.empty()) exports.emplace(line.begin(), line.end());
      ++number;
    }
    return {};
  };
}

OptionAction add_library(LinkCommand& command) {
  return always([&command](std::string_view name) {
    command.inputs.push_back({std::string(name), true, command.whole_archive});
  });
}

constexpr std::string_view compile =
    "is the compiler's: bpflink links what `clang -target bpf -g -O2 -c` makes";

OptionAction set_target(bool& classic_header) {
  return [&classic_header](std::string_view target) -> std::expected<void, Error> {
    if (target.starts_with("bpf")) return refuse(compile)(target);
    if (target != "classic-header")
      return fail("is not classic-header; loaders convert the types of programs themselves");
    classic_header = true;
    return {};
  };
}

OptionAction set_lto_target(bool& takes_foreign) {
  return [&takes_foreign](std::string_view target) -> std::expected<void, Error> {
    if (target != "bpf") return fail("is not bpf, the only target");
    takes_foreign = true;
    return {};
  };
}

OptionAction check_emulation() {
  return [](std::string_view name) -> std::expected<void, Error> {
    if (name == "elf64bpf") return {};
    return fail("objects for BPF are elf64bpf");
  };
}

/// Options that compilers and build systems pass to any linker and that have no effect here, and
/// options of other programs, for which there is a better message than "unknown option".
std::vector<Option> foreign_options(LinkOptions& link) {
  constexpr std::string_view relocatable =
      "a BPF object is relocatable, there are no programs or shared libraries to make";
  constexpr std::string_view script = "there are no linker scripts: sections merge by name";
  constexpr std::string_view through_compiler =
      "linker options are written as they are, without -Wl,";
  return {
      // As LLVM's linker spells --lto-O.
      {"--lto-O0", "", "", set(link.lto_level, 0)},
      {"--lto-O1", "", "", set(link.lto_level, 1)},
      {"--lto-O2", "", "", set(link.lto_level, 2)},
      {"--lto-O3", "", "", set(link.lto_level, 3)},
      {"-static,--static,-nostdlib,-g,--start-group,--end-group,-(,-),--as-needed,--no-as-needed",
       "", "", ignore()},
      {"-O0,-O1,-O2,-O3,-Os,-Oz", "", "", ignore()},
      {"-m,--emulation", "EMULATION", "", check_emulation()},
      // As bpf-linker has them, see rust_linker.hpp
      {"--cpu", "NAME", "", store(link.lto_cpu)},
      {"--cpu-features", "VALUE", "", ignore()},
      {"--debug", "", "", ignore()},
      {"-c,-E", "", "", refuse(compile)},
      {"-I,-D,-f,-target,-std,-march,-mcpu", "VALUE", "", refuse(compile)},
      {"-W", "VALUE", "",
       [=](std::string_view value) {
         return refuse(value.starts_with("l,") ? through_compiler : compile)(value);
       }},
      {"-shared,--shared,-pie,--pie", "", "", refuse(relocatable)},
      {"-T,--script", "FILE", "", refuse(script)}};
}

std::expected<void, Error> name_reports(LinkCommand& command, const OptionTable& table) {
  auto name = [&](std::string_view option, std::string& path, bool is_text) {
    if (!table.is_given(option)) return std::expected<void, Error>();
    auto target = output_path(option, std::move(path), is_text);
    if (target) path = std::move(*target);
    return target ? std::expected<void, Error>() : std::unexpected(target.error());
  };
  for (const ReportFile& report : report_files)
    TRY(name(report.option, command.link.*report.path, true));
  return name("--reproduce", command.reproduce_file, false);
}

void check_idle_options(LinkCommand& command) {
  for (const std::string& directory : command.link.library_paths) {
    auto found = find_file(directory);
    if (!found)
      command.warnings.push_back(fmt::format("-L {}: {}", directory, found.error().message));
    else if (!*found || !S_ISDIR((*found)->st_mode))
      command.warnings.push_back(fmt::format("-L {}: is not a directory", directory));
  }
  const LinkOptions& link = command.link;
  bool drops_maps = link.gc_maps && !link.partial;
  if (link.gc_maps && link.partial) command.warnings.emplace_back("--gc-maps: no effect with -r");
  if (!link.gc_sections && !drops_maps) {
    if (command.print_gc_sections)
      command.warnings.emplace_back(
          "--print-gc-sections: nothing is dropped without --gc-sections");
    if (link.gc_constants)
      command.warnings.emplace_back("--gc-constants: nothing is dropped without --gc-sections");
  }
}

}  // namespace

bool LinkCommand::wants(const Diagnostic& diagnostic) const {
  switch (diagnostic.severity) {
    case Severity::Error:
      return true;
    case Severity::Warning:
      return !quiet;
    case Severity::Note:
      break;
  }
  if (diagnostic.code == DiagnosticCode::Trace) return true;
  return verbose || (diagnostic.code == DiagnosticCode::Dropped && print_gc_sections);
}

void LinkCommand::add_inputs(Linker& linker) const {
  for (const Input& input : inputs) {
    if (input.is_library)
      linker.add_library(input.path, input.is_whole_archive);
    else if (input.is_whole_archive)
      linker.add_whole_archive(input.path);
    else
      linker.add_file(input.path);
  }
}

OptionAction add_input(LinkCommand& command) {
  return always([&command](std::string_view path) {
    command.inputs.push_back({input_path(path), false, command.whole_archive});
  });
}

std::vector<OptionGroup> link_options(LinkCommand& command) {
  LinkOptions& link = command.link;
  return {
      {"Options",
       {{"--threads", "N", "Use N threads (default: by the size of the inputs)",
         store_number(link.threads, 1, 1024)}}},
      {"Inputs",
       {of_program(
            {"-l,--library", "NAME...", "Link with the archive libNAME.a", add_library(command)}),
        {"-L,--library-path", "DIR...", "Look for archives in DIR", append(link.library_paths)},
        of_program({"--whole-archive", "", "Link all members of the following archives",
                    set(command.whole_archive)}),
        of_program({"--no-whole-archive", "", "Link only needed members of the following archives",
                    set(command.whole_archive, false)}),
        {"--license", "TEXT", "Use this license in place of the inputs'", store(link.license)},
        {"--no-check-types", "", "Warn about conflicting types instead of failing",
         set(link.check_types, false)},
        {"--no-check-pointers", "", "Warn about pointers in data instead of failing",
         set(link.check_pointers, false)},
        {"--no-warn-odr", "", "Do not warn about structs that have two layouts",
         set(link.warn_odr, false)}}},
      {"Contents",
       {{"--gc-sections", "", "Drop what no program, map or struct_ops variable reaches",
         set(link.gc_sections)},
        {"--gc-constants", "", "Also drop const volatile variables, which user space may set",
         set(link.gc_constants)},
        {"--gc-maps", "", "Also drop maps that nothing refers to", set(link.gc_maps)},
        {"--print-gc-sections", "", "List what --gc-sections drops",
         set(command.print_gc_sections)},
        {"-u,--undefined", "SYMBOL...", "Keep SYMBOL, and look it up in archives",
         append(link.undefined)},
        {"--keep-section", "PATTERN...", "Keep sections that match PATTERN",
         append(link.keep_sections)},
        {"--keep-type", "NAME...", "Keep types of this name, such as task_struct",
         append(link.keep_types)},
        {"--keep-debug", "", "Keep and merge DWARF", set(link.keep_debug)},
        {"-S,--strip-debug", "", "Drop DWARF (the default)", set(command.strip_debug)},
        {"--strip-line-info", "", "Drop the source lines that the verifier's log shows",
         set(link.strip_line_info)},
        {"--target", "classic-header",
         "Give .BTF the header of 24 bytes that all loaders read, without a layout section",
         set_target(link.classic_header), FileUse::Read, "classic-header"},
        {"--prune-types", "", "Only declare structs behind pointers that nothing looks into",
         set(link.prune_types)},
        {"--shrink", "", "Drop all that --print-sizes says can be saved", set(command.shrink)},
        {"--kernel-names", "",
         "Rename types that kernels refuse, such as those of Rust, and sort their members",
         set(link.kernel_names)}}},
      {"Symbols",
       {{"--localize-hidden", "", "Make hidden definitions local, except maps",
         set(link.localize_hidden)},
        {"--redefine-sym", "OLD=NEW...", "Rename the symbol OLD to NEW in all inputs",
         append_pair(link.redefine_symbols, parse_redefinition, "OLD=NEW")},
        {"--prefix-symbols", "PREFIX", "Put PREFIX before the names of all symbols",
         store(link.prefix_symbols)},
        {"--prefix-symbols-of", "FILE=PREFIX...",
         "Put PREFIX before the names of symbols that FILE defines",
         append_pair(link.prefix_symbols_of, parse_prefix, "FILE=PREFIX")},
        {"--export", "SYMBOL...", "Keep SYMBOL; other functions of bitcode become internal",
         always([&](std::string_view name) { exports_of(link).emplace(name); })},
        {"--export-symbols", "FILE...", "Do so for the symbols in FILE, one on each line",
         append_exports_in_file(link)},
        {"-x,--discard-all", "",
         "Drop local symbols that nothing needs: labels, file names, variables",
         set(link.discard_locals)},
        {"-s,--strip-all", "", "-x and -S: drop all that loaders do not need",
         always([&](std::string_view) { command.strip_debug = link.discard_locals = true; })}}},
      {"LLVM bitcode",
       {{"--lto-O", "N", "Optimize files of bitcode, joined, as -ON does: 0 to 3 (default: 1)",
         store_number(link.lto_level, 0, 3), FileUse::Read, "0|1|2|3"},
        {"--lto-cpu", "NAME", "Compile bitcode for NAME, as -mcpu does (default: as it says)",
         store(link.lto_cpu), FileUse::Read, "v1|v2|v3|v4"},
        {"--lto-library", "FILE", "Use this library of LLVM (default: the newest one)",
         store(link.lto_library)},
        {"--lto-target", "bpf", "Compile bitcode of other targets without a warning",
         set_lto_target(link.lto_foreign), FileUse::Read, "bpf"},
        {"--lto-timeout", "SECONDS", "Processor time for LLVM (default: by size; 0: any)",
         store_number(link.lto_timeout, 0, 1'000'000)},
        {"--lto-memory", "MIB", "Memory for LLVM (default: by size; 0: any)",
         store_number(link.lto_memory, 0, 100'000'000)},
        {"--lto-cache", "DIR", "Take what LLVM made of the same bitcode from DIR, and put it there",
         store(link.lto_cache)},
        {"--lto-cache-size", "MIB", "Remove the oldest files of DIR beyond MIB (default: 1024)",
         store_number(link.lto_cache_size, 1, 100'000'000)},
        {"--lto-internalize", "",
         "Make functions that only bitcode calls static, not only hidden ones",
         set(link.lto_internalize)},
        {"--fat-lto", "", "Use the bitcode of objects that have both", set(link.fat_lto)},
        {"--save-temps", "", "Write the bitcode beside the output, joined and optimized",
         set(link.lto_save_temps)},
        {"--lto-emit-asm", "", "Write assembly of the joined bitcode, and no object",
         set(link.lto_emit, LinkOptions::Emit::Assembly)}}},
      {"Reports",
       {{"-Map,--Map", "FILE", "Write a map of the output's sections to FILE", store(link.map_file),
         FileUse::Write},
        {"--cref", "", "Print who defines and who uses each symbol", set(command.cross_references)},
        {"-y,--trace-symbol", "SYMBOL...", "Print each file that defines or uses SYMBOL",
         append(link.trace_symbols)},
        {"--dependency-file", "FILE", "Write the inputs to FILE as a make rule",
         store(link.dependency_file), FileUse::Write},
        {"--emit-stats", "", "Print figures of the link", set(command.statistics)},
        {"--json", "FILE", "Write figures and the contents of the output to FILE as JSON",
         store(link.json_file), FileUse::Write},
        {"--size-map", "FILE",
         "Write an HTML page to FILE that shows what the output's bytes are for",
         store_page(link.size_map_file), FileUse::Write},
        {"--print-sizes", "=N",
         "Print the N costliest programs, maps, types, source lines and files; without N, 10",
         print_sizes(link.print_sizes)},
        {"--explain", "SYMBOL...",
         "Print why SYMBOL or a type, such as 'struct NAME', is in the output",
         append(link.explain)},
        of_program({"--reproduce", "FILE",
                    "Write the inputs and options to FILE as a tar, for a bug report",
                    store(command.reproduce_file), FileUse::Write}),
        of_program({"--reproduce-all", "", "Take into it all files that archives name",
                    set(command.reproduce_all)})}},
      {"Messages",
       {{"-v,--verbose", "", "Print what is read, kept and dropped, and why", set(command.verbose)},
        {"-q,--quiet", "", "Print no warnings", set(command.quiet)},
        {"--verify", "", "Read the output back and check it before it replaces the target",
         set(link.verify)},
        {"--fatal-warnings", "", "Treat warnings as errors", set(link.fatal_warnings)},
        of_program({"--error-limit", "N", "Print at most N errors (default: 20); 0 prints all",
                    store_number(command.error_limit, 0, UINT32_MAX)}),
        of_program({"--color-diagnostics", "auto|always|never",
                    "Color messages: auto (on a terminal), always or never",
                    always([&](std::string_view when) {
                      command.color.reset();
                      if (when != "auto") command.color = when == "always";
                    })}),
        of_program({"--json-diagnostics", "", "Print messages as JSON, one on each line",
                    set(command.json_diagnostics)})}},
      {"", foreign_options(link)}};
}

std::expected<void, Error> complete_link_options(LinkCommand& command, const OptionTable& table) {
  if (command.strip_debug && command.link.keep_debug)
    return table.usage_error("--keep-debug contradicts -s and -S");
  TRY(name_reports(command, table));
  if (command.shrink)
    for (const SavingOption& saving : saving_options)
      command.link.*saving.flag |=
          !command.link.partial || saving.flag != &LinkOptions::gc_sections;
  command.link.report = command.cross_references || command.statistics;
  return {};
}

std::expected<void, Error> finish_link_options(LinkCommand& command, const OptionTable& table) {
  if (command.inputs.empty()) return table.usage_error("no input files");
  TRY(complete_link_options(command, table));
  command.given = table.given();
  check_idle_options(command);
  return {};
}

}  // namespace bpflink
