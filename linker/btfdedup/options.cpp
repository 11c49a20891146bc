#include "linker/btfdedup/options.hpp"

#include "linker/io/arguments.hpp"
#include "linker/io/program.hpp"

namespace bpflink {
namespace {

void add_options(CLI::App& app, BtfdedupOptions& options) {
  using Dump = BtfdedupOptions::Dump;
  add_help(app, {"Usage: btfdedup [OPTION]... INPUT... -o OUT\n"
                 "       btfdedup [OPTION]... [INPUT...] --update FILE\n",
                 30, "all was done"});
  app.add_option("inputs", options.inputs,
                 "Raw BTF, ELF files with .BTF, archives of these, - for standard input")
      ->option_text("INPUT");
  app.add_option("-o,--output", options.output, "Write the BTF to OUT (- for standard output)")
      ->option_text("OUT");
  app.add_flag("--elf", options.as_elf, "Make OUT an ELF object with a section .BTF");
  app.add_option("--update", options.update,
                 "Replace the section .BTF of the ELF file FILE; without INPUT, by its own types")
      ->option_text("FILE");
  app.add_option("--base", options.bases,
                 "The BTF that the inputs were split from, left as it is; again for what is split "
                 "from that")
      ->option_text("FILE")
      ->allow_extra_args(false)
      ->take_all();
  app.add_flag("--flatten", options.flatten,
               "Write the types of the base, too: all in one, which needs no base")
      ->needs("--base")
      ->excludes("--update");
  app.add_flag("--distill", options.distill,
               "Add .BTF.base with what is needed of the base, to fit other builds of it")
      ->needs("--base")
      ->excludes("--flatten");
  app.add_option("--linked", options.linked,
                 "Write the BTF of the ELF file FILE that the inputs were linked into: FUNCs and "
                 "per-CPU VARs by its symbols; without INPUT, of its own types")
      ->option_text("FILE")
      ->excludes("--flatten");
  app.add_flag("--sort", options.sort, "Write the types in order of their names");
  app.add_option(
         "--explain", options.explain,
         "Say why 'struct NAME' (or union, enum, typedef, func, var) is there more than once")
      ->option_text("TYPE")
      ->take_all();
  app.add_option_function<std::string>(
         "--dump",
         [&options](const std::string& form) { options.dump = form == "c" ? Dump::c : Dump::raw; },
         "Print the types as C or as a numbered list (raw)")
      ->option_text("c|raw")
      ->check(CLI::IsMember({"c", "raw"}));
  add_size_map_option(app, options.size_map);
  app.add_flag("--stats", options.statistics, "Print counts, sizes and times");
  app.add_flag("--json", options.as_json, "Print them as JSON")->needs("--stats");
  app.add_option("--threads", options.threads,
                 "Use N threads; without, as many as the input is large enough for")
      ->option_text("N")
      ->check(in_range(1, 1024));
}

std::expected<void, Error> check(const CLI::App& app, BtfdedupOptions& options) {
  if (options.inputs.empty() && !options.linked.empty()) options.inputs.push_back(options.linked);
  if (options.inputs.empty() && !options.update.empty()) options.inputs.push_back(options.update);
  if (options.inputs.empty()) return usage_error(app, "no input");
  if (app.count("-o") != 0 && !options.update.empty())
    return usage_error(app, "-o and --update exclude each other");
  if (options.as_elf && app.count("-o") == 0) return usage_error(app, "--elf needs -o");
  if (options.distill && app.count("-o") != 0 && !options.as_elf)
    return usage_error(app, "--distill makes two sections: -o needs --elf with it");
  bool reports = !options.explain.empty() || options.dump != BtfdedupOptions::Dump::none ||
                 options.statistics || app.count("--size-map") != 0;
  if (app.count("-o") == 0 && options.update.empty() && !reports)
    return usage_error(
        app, "nothing to do: give -o OUT, --update FILE, --dump, --explain, --size-map or --stats");
  return {};
}

std::expected<void, Error> name_outputs(const CLI::App& app, BtfdedupOptions& options) {
  struct Output {
    const char* option;
    std::string* path;
    bool is_text;
  };
  for (auto [option, path, is_text] :
       {Output{"-o", &options.output, false}, Output{"--size-map", &options.size_map, true}}) {
    if (app.count(option) == 0) continue;
    auto target = output_path(option, std::move(*path), is_text);
    if (!target) return std::unexpected(target.error());
    *path = std::move(*target);
  }
  return {};
}

}  // namespace

std::expected<BtfdedupOptions, Error> parse_options(std::vector<std::string> arguments) {
  BtfdedupOptions options;
  CLI::App app("Merges equal types of BTF.", "btfdedup");
  add_options(app, options);
  auto text = parse_arguments(app, std::move(arguments));
  if (!text) return std::unexpected(text.error());
  options.text = std::move(*text);
  if (!options.text.empty()) return options;
  if (auto ok = check(app, options); !ok) return std::unexpected(ok.error());
  if (auto ok = name_outputs(app, options); !ok) return std::unexpected(ok.error());
  return options;
}

}  // namespace bpflink
