#include "linker/programs/btfdedup/options.hpp"

#include <algorithm>
#include <cstdint>
#include <expected>
#include <iterator>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bpflink/convert.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/facts/linux_release.hpp"
#include "linker/io/paths.hpp"
#include "linker/kernels/kernel_modules.hpp"
#include "linker/text/options.hpp"

namespace bpflink {
namespace {

OptionAction store_target(std::optional<LinuxRelease>& target, std::optional<uint16_t>& update) {
  return [&target, &update](std::string_view text) -> std::expected<void, Error> {
    constexpr std::string_view prefix = "linux-";
    update.reset();
    if (text == "classic-header") {
      target = last_classic_header;
    } else if (text.starts_with(prefix)) {
      text.remove_prefix(prefix.size());
      target = version_code(text).transform(release_of);
      update = exact_update(text);
    }
    return target ? std::expected<void, Error>()
                  : fail("is neither linux-N.N, such as linux-5.4, nor classic-header");
  };
}

/// A name in the list of --btf-features, as pahole has it. `set` changes what it stands for.
struct Feature {
  std::string_view name;
  void (*set)(BtfdedupOptions& options, bool is_on) = nullptr;  ///< null: always on
  bool is_default = true;
};

constexpr Feature features[] = {
    {"encode_force"},
    {"var", [](BtfdedupOptions& o, bool on) { o.features.variables = on; }},
    {"float", [](BtfdedupOptions& o, bool on) { o.features.kinds.floats = on; }},
    {"decl_tag", [](BtfdedupOptions& o, bool on) { o.features.kinds.declaration_tags = on; }},
    {"type_tag", [](BtfdedupOptions& o, bool on) { o.features.kinds.type_tags = on; }},
    {"enum64", [](BtfdedupOptions& o, bool on) { o.features.kinds.wide_enums = on; }},
    {"optimized_func"},
    {"consistent_func"},
    {"decl_tag_kfuncs", [](BtfdedupOptions& o, bool on) { o.features.kfunc_tags = on; }},
    {"reproducible_build"},
    {"global_var", [](BtfdedupOptions& o, bool on) { o.features.global_variables = on; }, false},
    {"distilled_base", [](BtfdedupOptions& o, bool on) { o.distill = on; }, false},
    {"attributes", [](BtfdedupOptions& o, bool on) { o.features.attributes = on; }, false},
    {"layout", [](BtfdedupOptions& o, bool on) { o.features.layout = on; }, false},
    {"force_cu_merging"},
};

/// The parts of a list between commas.
auto parts_of(std::string_view list) {
  return list | std::views::split(',') | std::views::transform([](auto part) {
           return std::string_view(part.begin(), part.end());
         });
}

OptionAction choose_features(BtfdedupOptions& options) {
  return [&options](std::string_view list) -> std::expected<void, Error> {
    auto set_all = [&](bool is_on) {
      for (const Feature& feature : features)
        if (feature.set) feature.set(options, is_on && feature.is_default);
    };
    set_all(false);
    for (std::string_view name : parts_of(list)) {
      bool is_on = !name.starts_with('-');
      if (!is_on) name.remove_prefix(1);
      const auto* found = std::ranges::find(features, name, &Feature::name);
      if (name == "default")
        set_all(is_on);
      else if (found == std::end(features))
        return fail("has no feature '{}'", name);
      else if (found->set)
        found->set(options, is_on);
    }
    return {};
  };
}

OptionAction exclude_languages(std::vector<uint16_t>& excluded) {
  return [&excluded](std::string_view list) -> std::expected<void, Error> {
    // DWARF 5, table 7.17, and languages that were registered since.
    static constexpr std::pair<std::string_view, uint16_t> languages[] = {
        {"rust", 0x1c}, {"go", 0x16},  {"c++", 0x04},   {"c++", 0x19},  {"c++", 0x1a},
        {"c++", 0x21},  {"c++", 0x2b}, {"c++", 0x3a},   {"zig", 0x27},  {"d", 0x13},
        {"ada", 0x03},  {"ada", 0x0d}, {"swift", 0x1e}, {"asm", 0x8001}};
    for (std::string_view name : parts_of(list)) {
      size_t before = excluded.size();
      for (auto [language, number] : languages)
        if (language == name) excluded.push_back(number);
      if (excluded.size() == before) return fail("has no language '{}'", name);
    }
    return {};
  };
}

std::vector<OptionGroup> option_groups(BtfdedupOptions& options) {
  OptionAction choose_dump = always([&options](std::string_view form) {
    using enum BtfdedupOptions::Dump;
    options.dump = form == "c" ? C : form == "rust" ? Rust : Raw;
  });
  return {
      {"Options",
       {{"-o,--output", "FILE",
         "Write the BTF to FILE (- for standard output); with --base, that of each INPUT alone "
         "into "
         "the directory FILE",
         store(options.output)},
        {"--elf", "", "Make the output an ELF object with a section .BTF", set(options.as_elf)},
        {"--update", "FILE",
         "Replace the section .BTF of the ELF file FILE; without INPUT, by its own types; with "
         "--base, "
         "of each of several modules, each by its own",
         store(options.update)},
        {"--base", "FILE...",
         "The BTF that the inputs are split from, which is not changed; repeat it for a chain of "
         "bases",
         append(options.bases)},
        {"--flatten", "", "Merge the base into the output, which then needs no base",
         set(options.flatten)},
        {"--distill", "",
         "Add a section .BTF.base, so that the output fits other builds of the base",
         set(options.distill)},
        {"--linked", "FILE",
         "Write BTF for the ELF file FILE that the inputs were linked into, with FUNCs and per-CPU "
         "VARs from its symbols; without INPUT, from its own types",
         store(options.linked)},
        {"--dwarf", "",
         "Make BTF of the DWARF of the inputs, whether they have BTF or not; without it, of those "
         "without BTF",
         set(options.dwarf)},
        {"--btf-features", "LIST",
         "What to make of DWARF: pahole's features, such as default,-enum64",
         choose_features(options)},
        {"--lang-exclude", "LIST",
         "Leave out units in these languages, such as rust,c++, without a note",
         exclude_languages(options.excluded_languages)},
        {"--no-btf-ids", "", "Leave the section .BTF_ids of the file of --update to resolve_btfids",
         always([&options](std::string_view) { options.fills_btf_ids = false; })},
        {"-v,--verbose", "",
         "List the functions of --dwarf or --linked that have no FUNC, with the reason",
         set(options.verbose)},
        {"--sort", "", "Sort the types by name", set(options.sort)},
        {"--target", "TARGET",
         "Write the BTF of the one INPUT for an older reader: linux-N.N, such as linux-5.4, or "
         "classic-header. Nothing is merged: types keep their ids",
         store_target(options.target, options.target_update), FileUse::Read,
         "classic-header|linux-4.19|linux-5.4|linux-5.10|linux-5.15|linux-6.1|linux-6.6|linux-6."
         "12"},
        {"--check", "",
         "Report whether kernels, or that of --target, accept the BTF of the inputs, and since "
         "which Linux; write nothing",
         set(options.check)},
        {"--verify", "", "Warn about types in the output that kernels reject", set(options.verify)},
        {"--explain", "TYPE...",
         "Explain who needs 'struct NAME' (or union, enum, typedef, func, var), and why it occurs "
         "more than once",
         append(options.explain)},
        {"--dump", "c|rust|raw",
         "Print the types as a header of C, a module of Rust, or a numbered list (raw)",
         choose_dump},
        {"--type", "TYPE...",
         "Of all types, take TYPE and what it needs: a name, as for --explain, of a type, kfunc or "
         "enumerator, in which * and ? are wildcards",
         append(options.choice.types)},
        {"--types-of", "FILE...",
         "Take the types that FILE needs of the kernel's: a BPF object, or a source in C",
         append(options.choice.programs), FileUse::Read},
        {"--deep", "", "Of structs behind pointers, take the members as well",
         set(options.choice.deep)},
        {"--members", "MEMBERS...",
         "Of a struct, take only some members, without the kernel's offsets: 'task_struct: pid, "
         "*_css'",
         append(options.choice.members)},
        {"--except", "NAME...",
         "Omit types, named as for --type, or what a header has, such as linux/bpf.h, which "
         "is then included",
         append(options.choice.except)},
        {"--size-map", "FILE",
         "Write to FILE a page for browsers that shows where the output's bytes come from",
         store_page(options.size_map)},
        {"--print-sizes", "=N", "Print the N costliest types; without N, 10",
         print_sizes(options.print_sizes)},
        {"--stats", "", "Print counts, sizes and times", set(options.statistics)},
        {"--json", "", "Print the statistics, or the results of --check, as JSON",
         set(options.as_json)},
        {"--threads", "N", "Use N threads (default: by the size of the inputs)",
         store_number(options.threads, 1, 1024)}}}};
}

/// An error if `mode`, which neither merges nor shows types, is given with an option that does, or
/// with `other`.
std::expected<void, Error> check_alone(const OptionTable& table, std::string_view mode,
                                       std::string_view other) {
  for (std::string_view option : std::initializer_list<std::string_view>{
           other, "--update", "--flatten", "--distill", "--linked", "--dwarf", "--btf-features",
           "--sort", "--verify", "--explain", "--dump", "--type", "--types-of", "--members",
           "--size-map", "--print-sizes", "--stats", "--elf"})
    TRY(table.check_exclusive(mode, option));
  return {};
}

std::expected<void, Error> check_target(const OptionTable& table, const BtfdedupOptions& options) {
  TRY(check_alone(table, "--target", "--json"));
  TRY(table.check_needs("--target", "--output"));
  if (options.inputs.size() != 1)
    return table.usage_error("--target has one input: merge first, without it");
  return {};
}

/// Whether a path is a file to be updated, one of several modules, or has such files in it. Raw BTF
/// is what a file is updated with.
bool may_be_modules(const std::string& path) {
  if (path.ends_with(".btf")) return false;
  return is_directory(path) || !module_name(path).value_or("").empty();
}

/// Whether each input is deduplicated alone: with a base, the output is a directory, or all inputs
/// and the file to be updated, which becomes the first of them, are modules.
bool takes_each_alone(BtfdedupOptions& options) {
  if (options.bases.empty()) return false;
  if (options.update.empty()) return is_directory(options.output);
  bool are_modules =
      is_directory(options.update) || (!options.inputs.empty() && may_be_modules(options.update));
  if (!are_modules || !std::ranges::all_of(options.inputs, may_be_modules)) return false;
  options.inputs.insert(options.inputs.begin(), options.update);
  return true;
}

std::expected<void, Error> check_each_alone(const OptionTable& table) {
  for (std::string_view option :
       {"--flatten", "--linked", "--explain", "--dump", "--type", "--types-of", "--members",
        "--size-map", "--print-sizes", "--stats"})
    if (table.is_given(option))
      return table.usage_error(std::string(option) +
                               " is for one output: several modules have one each");
  return {};
}

std::expected<void, Error> check(const OptionTable& table, BtfdedupOptions& options) {
  if (options.inputs.empty() && !options.linked.empty()) options.inputs.push_back(options.linked);
  options.each_alone = !options.check && !options.target && takes_each_alone(options);
  if (options.each_alone) TRY(check_each_alone(table));
  if (options.inputs.empty() && !options.update.empty()) options.inputs.push_back(options.update);
  if (options.inputs.empty()) return table.usage_error("no input");
  if (options.check) return check_alone(table, "--check", "--output");
  if (options.target) return check_target(table, options);
  struct Pair {
    std::string_view option, other;
  };
  for (auto [option, other] :
       {Pair{"--output", "--update"}, Pair{"--flatten", "--update"}, Pair{"--distill", "--flatten"},
        Pair{"--linked", "--flatten"}, Pair{"--dwarf", "--flatten"}})
    TRY(table.check_exclusive(option, other));
  for (std::string_view option : {"--type", "--types-of", "--members"})
    for (std::string_view other : {"--update", "--flatten", "--distill", "--linked", "--dwarf"})
      TRY(table.check_exclusive(option, other));
  if (!options.choice.is_given())
    for (std::string_view option : {"--deep", "--except"})
      if (table.is_given(option))
        return table.usage_error(std::string(option) + " needs --type, --types-of or --members");
  if (options.dump == BtfdedupOptions::Dump::Rust && table.is_given("--except"))
    return table.usage_error("--except is for --dump c: a module of Rust includes no header");
  for (auto [option, other] :
       {Pair{"--flatten", "--base"}, Pair{"--distill", "--base"}, Pair{"--json", "--stats"},
        Pair{"--elf", "--output"}, Pair{"--no-btf-ids", "--update"}})
    TRY(table.check_needs(option, other));
  bool has_output = table.is_given("--output");
  if (options.distill && has_output && !options.as_elf)
    return table.usage_error("--distill makes two sections: -o needs --elf with it");
  bool reports = options.prints() || table.is_given("--size-map");
  if (!has_output && options.update.empty() && !reports)
    return table.usage_error(
        "nothing to do: give -o FILE, --update FILE, --dump, --explain, --size-map, --print-sizes "
        "or --stats");
  return {};
}

std::expected<void, Error> name_outputs(const OptionTable& table, BtfdedupOptions& options) {
  struct Output {
    std::string_view option;
    std::string* path;
    bool is_text;
  };
  for (auto [option, path, is_text] : {Output{"--output", &options.output, false},
                                       Output{"--size-map", &options.size_map, true}}) {
    if (!table.is_given(option)) continue;
    auto target = TRY(output_path(is_text ? option : "-o", std::move(*path), is_text));
    *path = std::move(target);
  }
  return {};
}

}  // namespace

std::expected<BtfdedupOptions, Error> parse_options(std::vector<std::string> arguments) {
  BtfdedupOptions options;
  OptionTable table({.name = "btfdedup",
                     .purpose = "Merges equal types of BTF.",
                     .usage = "Usage: btfdedup [OPTION]... INPUT... -o FILE\n"
                              "       btfdedup [OPTION]... [INPUT...] --update FILE\n"
                              "       btfdedup --target TARGET INPUT -o FILE\n"
                              "       btfdedup --check INPUT...",
                     .success = "all was done (--check: all is accepted)",
                     .width = 30,
                     .argument = {"INPUT", "",
                                  "Raw BTF, ELF files with .BTF, archives of these, kernels in "
                                  "every form, directories, - for standard input",
                                  append(options.inputs)}},
                    option_groups(options));
  auto text = TRY(table.parse(std::move(arguments)));
  options.text = std::move(text);
  if (!options.text.empty()) return options;
  TRY(check(table, options));
  TRY(name_outputs(table, options));
  return options;
}

}  // namespace bpflink
