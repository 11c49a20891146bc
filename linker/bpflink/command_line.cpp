#include "linker/bpflink/command_line.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "linker/elf/renaming.hpp"
#include "linker/error.hpp"
#include "linker/io/arguments.hpp"
#include "linker/io/program.hpp"

namespace bpflink {
namespace {

class Parser {
 public:
  Parser() : app_("Links BPF objects into one, with their BTF deduplicated.", "bpflink") {
    add_help(app_,
             {"Usage: bpflink [OPTION]... FILE... -o OUTPUT\n", 30, "the output was written"});
    add_general_options();
    add_input_options();
    add_garbage_options();
    add_symbol_options();
    add_report_options();
    add_message_options();
    add_hidden_options();
  }

  std::expected<CommandLine, Error> parse(std::vector<std::string> arguments) {
    std::string foreign = explain_foreign_option(arguments);
    auto text = parse_arguments(app_, std::move(arguments), spell);
    if (!text && !foreign.empty()) return usage_error(app_, foreign);
    if (!text) return std::unexpected(text.error());
    command_.text = std::move(*text);
    if (!command_.text.empty()) return std::move(command_);
    if (auto ok = collect_inputs(); !ok) return std::unexpected(ok.error());
    if (auto ok = split_names(); !ok) return std::unexpected(ok.error());
    if (auto ok = name_outputs(); !ok) return std::unexpected(ok.error());
    if (strip_all_) command_.link.discard_locals = true;
    if ((strip_all_ || strip_debug_) && command_.link.keep_debug)
      return usage_error(app_, "--keep-debug contradicts -s and -S");
    command_.link.check_types = !no_check_types_;
    command_.link.warn_odr = !no_warn_odr_;
    command_.link.hint_at_options = true;
    command_.link.library_paths = directories_;
    warn_of_idle_options();
    if (color_ == "always") command_.color = CommandLine::Color::Always;
    if (color_ == "never") command_.color = CommandLine::Color::Never;
    command_.link.report = command_.cross_references || command_.statistics;
    return std::move(command_);
  }

 private:
  /// As CLI11 knows an argument. ld takes its long options with one dash, too; of those, users
  /// know -Map, and compilers and build systems pass some that mean nothing here.
  static std::string spell(const std::string& argument) {
    constexpr std::string_view ignored[] = {
        "-static", "--static",    "-nostdlib",      "-g", "--start-group", "--end-group",
        "-(",      "--as-needed", "--no-as-needed", "-)"};
    constexpr std::string_view one_dash[] = {"-Map", "-shared", "-pie", "-target"};
    auto is_among = [](std::string_view name, auto& names) {
      return std::ranges::find(names, name) != std::end(names);
    };
    if (is_among(argument, ignored) || argument.starts_with("-O")) return "--ignored";
    if (argument == "-m") return "--emulation";
    if (argument.starts_with("-melf")) return fmt::format("--emulation={}", argument.substr(2));
    bool has_one_dash = is_among(argument.substr(0, argument.find('=')), one_dash);
    return has_one_dash ? fmt::format("-{}", argument) : argument;
  }

  /// Why there is no such option, for the first that is a compiler's or another linker's, or "".
  static std::string explain_foreign_option(const std::vector<std::string>& arguments) {
    struct Foreign {
      std::string_view prefix, reason;
    };
    constexpr std::string_view compile =
        "is the compiler's: bpflink links what `clang -target bpf -g -O2 -c` makes";
    constexpr std::string_view relocatable =
        "a BPF object is relocatable, there are no programs or shared libraries to make";
    constexpr Foreign table[] = {
        {"-c", compile},
        {"-E", compile},
        {"-target", compile},
        {"--target", compile},
        {"-I", compile},
        {"-D", compile},
        {"-std=", compile},
        {"-f", compile},
        {"-march=", compile},
        {"-mcpu=", compile},
        {"-Wl,", "linker options are written as they are, without -Wl,"},
        {"-W", compile},
        {"-shared", relocatable},
        {"--shared", relocatable},
        {"-pie", relocatable},
        {"--pie", relocatable},
        {"-T", "there are no linker scripts: sections merge by name"},
        {"--script", "there are no linker scripts: sections merge by name"}};
    for (const std::string& argument : arguments)
      for (const Foreign& foreign : table)
        if (argument.starts_with(foreign.prefix))
          return fmt::format("{}: {}", argument, foreign.reason);
    return "";
  }

  /// What spell() makes of options that are not in --help.
  void add_hidden_options() {
    const std::string hidden;  // a group without a name
    app_.add_flag("--ignored", ignored_)->group(hidden);
    app_.add_option("--emulation", emulation_)->allow_extra_args(false)->group(hidden);
  }

  void add_general_options() {
    app_.add_option("-o,--output", command_.output, "Write the linked object to FILE")
        ->option_text("FILE");
    app_.add_flag("-r,--relocatable", command_.link.partial,
                  "Partial link: leave externs that nobody defines to a later link");
    app_.add_option("--threads", command_.link.threads,
                    "Use N threads; without, as many as the inputs are large enough for")
        ->option_text("N")
        ->check(in_range(1, 1024));
  }

  void add_input_options() {
    const std::string group = "Inputs";
    files_ =
        app_.add_option("FILE", file_values_, "Objects and archives to link")->option_text("FILE");
    libraries_ = app_.add_option("-l,--library", library_values_, "Link with the archive libNAME.a")
                     ->option_text("NAME")
                     ->allow_extra_args(false)
                     ->group(group);
    app_.add_option("-L,--library-path", directories_, "Look for archives in DIR")
        ->option_text("DIR")
        ->allow_extra_args(false)
        ->group(group);
    whole_ = app_.add_flag("--whole-archive", whole_seen_,
                           "Link all members of the archives that follow, needed or not")
                 ->group(group);
    no_whole_ = app_.add_flag("--no-whole-archive", no_whole_seen_,
                              "Link what is needed of those that follow")
                    ->group(group);
    app_.add_option("--license", command_.link.license, "The license, whatever the inputs say")
        ->option_text("TEXT")
        ->group(group);
    app_.add_flag("--no-check-types", no_check_types_,
                  "Warn of types that conflict, and link all the same")
        ->group(group);
    app_.add_flag("--no-warn-odr", no_warn_odr_, "Do not warn of structs that have two layouts")
        ->group(group);
  }

  void add_garbage_options() {
    const std::string group = "What is kept";
    app_.add_flag("--gc-sections", command_.link.gc_sections,
                  "Drop what no program, map or struct_ops variable reaches")
        ->group(group);
    app_.add_flag("--print-gc-sections", command_.print_gc_sections,
                  "List what --gc-sections drops")
        ->group(group);
    app_.add_option("-u,--undefined", command_.link.undefined,
                    "Keep SYMBOL; take it from an archive")
        ->option_text("SYMBOL")
        ->allow_extra_args(false)
        ->group(group);
    app_.add_option("--keep-section", command_.link.keep_sections,
                    "Keep all of the sections that PATTERN matches")
        ->option_text("PATTERN")
        ->allow_extra_args(false)
        ->group(group);
    app_.add_flag("--keep-debug", command_.link.keep_debug, "Keep and merge DWARF")->group(group);
    app_.add_flag("-S,--strip-debug", strip_debug_, "Drop DWARF (always so without --keep-debug)")
        ->group(group);
  }

  void add_symbol_options() {
    const std::string group = "Symbols";
    app_.add_flag("--localize-hidden", command_.link.localize_hidden,
                  "Make hidden definitions local, but for maps")
        ->group(group);
    app_.add_option("--redefine-sym", redefinitions_, "Call the symbol OLD NEW, in all inputs")
        ->option_text("OLD=NEW")
        ->allow_extra_args(false)
        ->group(group);
    app_.add_option("--prefix-symbols", command_.link.prefix_symbols,
                    "Put PREFIX before the names of all symbols")
        ->option_text("PREFIX")
        ->group(group);
    app_.add_option("--prefix-symbols-of", prefixes_,
                    "Put PREFIX before the names of what the input FILE defines")
        ->option_text("FILE=PREFIX")
        ->allow_extra_args(false)
        ->group(group);
    app_.add_flag("-x,--discard-all", command_.link.discard_locals,
                  "Drop local symbols that nothing needs: labels, file names, variables")
        ->group(group);
    app_.add_flag("-s,--strip-all", strip_all_, "-x and -S: all that a loader does not need")
        ->group(group);
  }

  void add_report_options() {
    const std::string group = "Reports";
    app_.add_option("--Map", command_.link.map_file,
                    "Write to FILE where every fragment of every input went")
        ->option_text("FILE")
        ->group(group);
    app_.add_flag("--cref", command_.cross_references, "Print who defines and who uses each symbol")
        ->group(group);
    app_.add_option("-y,--trace-symbol", command_.link.trace_symbols,
                    "Print each file that defines or uses SYMBOL")
        ->option_text("SYMBOL")
        ->allow_extra_args(false)
        ->group(group);
    app_.add_option("--dependency-file", command_.link.dependency_file,
                    "Write to FILE the inputs as a rule of make")
        ->option_text("FILE")
        ->group(group);
    app_.add_flag("--emit-stats", command_.statistics, "Print figures of the link")->group(group);
    app_.add_option("--json", command_.link.json_file,
                    "Write to FILE as JSON the figures and all that is known of the output")
        ->option_text("FILE")
        ->group(group);
    add_size_map_option(app_, command_.link.size_map_file)->group(group);
    app_.add_option("--explain", command_.link.explain,
                    "Print why SYMBOL is in the output or is not, and what it is")
        ->option_text("SYMBOL")
        ->allow_extra_args(false)
        ->group(group);
  }

  void add_message_options() {
    const std::string group = "Messages";
    app_.add_flag("-v,--verbose", command_.verbose, "Say what is read, kept and dropped, and why")
        ->group(group);
    app_.add_flag("-q,--quiet", command_.quiet, "Print no warnings")->group(group);
    app_.add_flag("--verify", command_.link.verify,
                  "Read the output back and check it before it takes its place")
        ->group(group);
    app_.add_flag("--fatal-warnings", command_.link.fatal_warnings, "Take warnings for errors")
        ->group(group);
    app_.add_option("--error-limit", command_.error_limit,
                    "Stop printing errors after N, 20 unless told; 0: never")
        ->option_text("N")
        ->group(group);
    app_.add_option("--color-diagnostics", color_,
                    "Color messages: auto (on a terminal), always or never")
        ->option_text("WHEN")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->group(group);
    app_.add_flag("--json-diagnostics", command_.json_diagnostics,
                  "Print messages as JSON, one a line")
        ->group(group);
  }

  /// What stands where on the command line decides what --whole-archive is for.
  std::expected<void, Error> collect_inputs() {
    bool whole = false;
    size_t next_file = 0, next_library = 0;
    for (const CLI::Option* option : app_.parse_order()) {
      if (option == whole_) whole = true;
      if (option == no_whole_) whole = false;
      if (option == files_) command_.inputs.push_back({file_values_[next_file++], false, whole});
      if (option == libraries_)
        command_.inputs.push_back({library_values_[next_library++], true, whole});
    }
    if (command_.inputs.empty()) return usage_error(app_, "no input files");
    if (emulation_ != "elf64bpf")
      return usage_error(app_, fmt::format("-m {}: objects for BPF are elf64bpf", emulation_));
    if (app_.count("-o") != 0) return {};
    if (command_.inputs.size() == 1) return usage_error(app_, "no output is given with -o");
    return usage_error(app_,
                       "no output is given with -o: what bpftool takes as 'gen object OUTPUT "
                       "INPUT...' is 'bpflink INPUT... -o OUTPUT'");
  }

  std::expected<void, Error> split_names() {
    for (const std::string& text : redefinitions_) {
      auto pair = parse_redefinition(text);
      if (!pair) return usage_error(app_, fmt::format("--redefine-sym {}: is not OLD=NEW", text));
      command_.link.redefine_symbols.push_back(std::move(*pair));
    }
    for (const std::string& text : prefixes_) {
      auto pair = parse_prefix(text);
      if (!pair)
        return usage_error(app_, fmt::format("--prefix-symbols-of {}: is not FILE=PREFIX", text));
      command_.link.prefix_symbols_of.push_back(std::move(*pair));
    }
    return {};
  }

  std::expected<void, Error> name_outputs() {
    struct Output {
      const char* option;
      std::string* path;
    };
    LinkOptions& link = command_.link;
    for (auto [option, path] :
         {Output{"-o", &command_.output}, Output{"--Map", &link.map_file},
          Output{"--dependency-file", &link.dependency_file}, Output{"--json", &link.json_file},
          Output{"--size-map", &link.size_map_file}}) {
      if (app_.count(option) == 0) continue;
      auto target = output_path(option, std::move(*path), path != &command_.output);
      if (!target) return std::unexpected(target.error());
      *path = std::move(*target);
    }
    return {};
  }

  void warn_of_idle_options() {
    for (const std::string& directory : directories_) {
      std::error_code error;
      if (!std::filesystem::is_directory(directory, error))
        command_.warnings.push_back(fmt::format("-L {}: is no directory", directory));
    }
    if (command_.print_gc_sections && !command_.link.gc_sections)
      command_.warnings.emplace_back(
          "--print-gc-sections: nothing is dropped without --gc-sections");
  }

  CLI::App app_;
  CommandLine command_;
  CLI::Option *files_, *libraries_, *whole_, *no_whole_;
  std::string color_ = "auto";
  std::vector<std::string> file_values_, library_values_, directories_, redefinitions_, prefixes_;
  // Where they stand is read from the parser; CLI11 wants a place for the values.
  int whole_seen_ = 0, no_whole_seen_ = 0, ignored_ = 0;
  std::string emulation_ = "elf64bpf";
  bool strip_all_ = false, strip_debug_ = false, no_check_types_ = false, no_warn_odr_ = false;
};

}  // namespace

std::expected<CommandLine, Error> parse_command_line(std::vector<std::string> arguments) {
  return Parser().parse(std::move(arguments));
}

}  // namespace bpflink
