#include "linker/options/rust_linker.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <ranges>
#include <utility>

#include "linker/error.hpp"
#include "linker/io/file_rights.hpp"
#include "linker/io/paths.hpp"
#include "linker/lto/protocol.hpp"

namespace bpflink {
namespace {

namespace fs = std::filesystem;

/// Adds the words between commas to a list.
template <typename List>
void add_words(std::string_view words, List& list) {
  for (auto word : std::views::split(words, ','))
    list.insert(list.end(), std::string(word.begin(), word.end()));
}

LinkOptions::Emit emit_of(std::string_view kind) {
  using enum LinkOptions::Emit;
  return kind == "asm" ? Assembly : kind == "llvm-ir" ? Ir : kind == "llvm-bc" ? Bitcode : Object;
}

OptionAction set_rust_target(LinkOptions& link) {
  return [&link](std::string_view target) -> std::expected<void, Error> {
    const std::string_view machine = target.substr(0, target.find('-'));
    if (target == "classic-header")
      link.classic_header = true;
    else if (machine == "bpfeb")
      link.byte_order = std::endian::big;
    else if (machine == "bpfel")
      link.byte_order = std::endian::little;
    else if (machine != "bpf")
      return fail("is not a BPF target");
    link.lto_foreign = true;
    return {};
  };
}

// ---- rustc

/// Calls `visit(path)` for each file that the process has mapped.
template <typename Visit>
void for_each_mapped_file(const std::string& process, Visit visit) {
  std::ifstream maps(process + "/maps");
  for (std::string line; std::getline(maps, line);)
    if (size_t path = line.find('/'); path != line.npos) visit(line.substr(path));
}

/// The parent of a process that "/proc/N" stands for; "" if that is not known.
std::string parent_of(const std::string& process) {
  std::ifstream status(process + "/status");
  constexpr std::string_view key = "PPid:\t";
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key) && line != "PPid:\t0") return "/proc/" + line.substr(key.size());
  return {};
}

bool is_library_of_llvm(const fs::path& path) {
  std::string name = path.filename().string();
  return name.starts_with("libLLVM") && name.contains(".so");
}

/// The library behind a file that may be a linker script of one line,
/// "INPUT(libLLVM.so.22.1-rust)".
fs::path behind_script(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  size_t begin = line.find('('), end = line.find(')');
  bool is_script = line.starts_with("INPUT") && begin < end && end != line.npos;
  return is_script ? path.parent_path() / line.substr(begin + 1, end - begin - 1) : path;
}

fs::path find_llvm_beside(const fs::path& driver) {
  auto names = list_directory(driver.parent_path().string());
  for (const std::string& name : names.value_or(std::vector<std::string>()))
    if (is_library_of_llvm(name)) return behind_script(driver.parent_path() / name);
  return {};
}

}  // namespace

bool is_from_rustc(std::span<const std::string> arguments) {
  auto has = [&](std::string_view option) {
    return std::ranges::any_of(arguments, [&](std::string_view argument) {
      return argument.substr(0, argument.find('=')) == option;
    });
  };
  return has("--export-symbols") && has("--cpu");
}

RustLinker::RustLinker(CommandLine& command) : command_(command) {
  command.whole_archive = true;
  command.link.kernel_names = command.link.for_rustc = true;
  command.link.lto_level = 2;
}

OptionGroup RustLinker::options() {
  LinkOptions& link = command_.link;
  return {"Options of bpf-linker",
          {{"--cpu", "NAME...", "Compile for NAME; generic: as inputs in C say", store(cpu_)},
           {"--cpu-features", "LIST...", "Features of the processor", store(link.lto_features)},
           // rustc gives its level before that of the user. What is to be small says so itself.
           {"-O", "0|1|2|3|s|z...", "0, 1: as -O1 of a compiler does; others: as -O2 (default)",
            always([&](std::string_view level) { link.lto_level = level < "2" ? 1 : 2; })},
           {"--emit", "llvm-bc|asm|llvm-ir|obj...", "What to write (default: obj)",
            always([&](std::string_view kind) {
              // The first output is the one that counts.
              if (!std::exchange(names_output_, true)) link.lto_emit = emit_of(kind);
            })},
           {"--export", "SYMBOLS...", "Keep these symbols, and no others",
            always([&](std::string_view names) {
              add_words(names, link.exports ? *link.exports : link.exports.emplace());
            })},
           {"--target", "TRIPLE...", "Compile bitcode of other targets", set_rust_target(link)},
           {"-L,--library-path", "DIR...", "Look for archives in DIR",
            always([&](std::string_view directory) {
              // rustc names directories that are not there.
              if (is_directory(std::string(directory))) link.library_paths.emplace_back(directory);
            })},
           {"--unroll-loops", "", "Unroll loops, for kernels that allow none", set(unrolls_)},
           {"--ignore-inline-never", "", "Inline all that can be", set(ignores_noinline_)},
           {"--allow-bpf-trap", "", "Let LLVM call __bpf_trap", set(may_trap_)},
           {"--disable-expand-memcpy-in-order", "", "Let LLVM copy in any order",
            set(copies_in_any_order_)},
           {"--llvm-args", "SWITCHES...", "Give LLVM these switches",
            always([&](std::string_view switches) { add_words(switches, switches_); })},
           {"--dump-module", "DIR...", "Write LLVM's text to DIR: pre-opt.ll and post-opt.ll",
            always([&](std::string_view directory) {
              link.lto_save_temps = true;
              link.lto_dump_directory = directory;
            })},
           {"--log-level", "error|warn|info|debug|trace|1|2|3|4|5...",
            "error: as --quiet; from info on: as --verbose", always([&](std::string_view level) {
              command_.quiet = level == "error" || level == "1";
              command_.verbose = !command_.quiet && level != "warn" && level != "2";
            })},
           {"--log-file", "FILE...", "Append messages to FILE as well", store(command_.log_file),
            FileUse::Write},
           // Always so here, or without a meaning
           {"--btf,--debug,--disable-memory-builtins", "", "", ignore()},
           {"--fatal-errors", "true|false...", "", [](std::string_view value) {
              return value == "true" ? std::expected<void, Error>()
                                     : fail("an error ends the link");
            }}}};
}

void RustLinker::finish(const OptionTable& table) {
  LinkOptions& link = command_.link;
  // rustc always names a processor. Unless that says something, files in C do.
  if (cpu_ != "generic" || !link.lto_features.empty()) link.lto_cpu = cpu_;
  auto& switches = link.lto_switches;
  // What is cold is not inlined, and results of more than 64 bits cannot be returned.
  switches.emplace_back("--cold-callsite-rel-freq=0");
  if (!copies_in_any_order_) switches.emplace_back("--bpf-expand-memcpy-in-order");
  if (!may_trap_) switches.emplace_back("--bpf-disable-trap-unreachable");
  if (ignores_noinline_) switches.emplace_back("--force-remove-attribute=noinline");
  if (unrolls_)
    for (const char* text : {"--unroll-runtime", "--unroll-runtime-multi-exit",
                             "--unroll-max-upperbound=4294967295", "--unroll-threshold=4294967295"})
      switches.emplace_back(text);
  link.lto_checked_switches = switches_;
  if (link.lto_library.empty()) link.lto_first_library = find_llvm_of_rustc();
  // User space calls none of these, and they return pointers, which kernels accept of no function
  // that they check on its own.
  if (link.exports) std::erase_if(*link.exports, lto::is_built_in);
  // rustc lists the exports of its file "symbols" once more in an object, for linkers that look
  // them up in archives.
  for (const OptionTable::Given& given : table.given())
    if (given.name == "--export-symbols")
      std::erase_if(command_.inputs,
                    [&](const auto& input) { return input.path == *given.value + ".o"; });
}

std::string find_llvm_of_rustc() {
  constexpr int most_programs_between = 4;  // such as a script that sets options
  std::string process = "/proc/self";
  for (int i = 0; i <= most_programs_between; ++i) {
    process = parent_of(process);
    // Behind sudo, the rustc of another user has no say.
    struct stat info;
    if (::stat(process.c_str(), &info) != 0 || info.st_uid != ::geteuid()) return {};
    fs::path driver, library;
    for_each_mapped_file(process, [&](const fs::path& file) {
      if (file.filename().string().starts_with("librustc_driver")) driver = file;
      if (is_library_of_llvm(file)) library = file;
    });
    if (driver.empty()) continue;
    if (library.empty()) library = find_llvm_beside(driver);
    bool is_safe = ::stat((process + "/exe").c_str(), &info) == 0 &&
                   find_open_to_others(library.string(), info.st_uid).empty();
    std::error_code error;
    return is_safe ? fs::canonical(library, error).string() : "";
  }
  return {};
}

}  // namespace bpflink
