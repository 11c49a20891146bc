// The tar has one folder, named after the tar. In it are response.txt with the options,
// version.txt, and each input at its absolute path: /home/me/a.o is FOLDER/home/me/a.o. Symbolic
// links in the directory of an input are resolved, so `..` means the same in the folder, where a
// thin archive finds its members. response.txt names all files relative to the folder. A file that
// cannot be read is not in the tar, so the link fails there as it did here.
//
// The tar is made to be sent to others, and a thin archive can name any file of the user. So what
// only an archive names is in the tar only if it is something to link and below the directory of an
// input that the command line names.
#include "linker/programs/bpflink/reproduce.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "linker/error.hpp"
#include "linker/files/archive.hpp"
#include "linker/files/bitcode.hpp"
#include "linker/files/elf_kind.hpp"
#include "linker/io/descriptor.hpp"
#include "linker/io/input_file.hpp"
#include "linker/io/paths.hpp"
#include "linker/io/tar.hpp"
#include "linker/outputs.hpp"
#include "linker/report/report_files.hpp"

namespace bpflink {
namespace {

namespace fs = std::filesystem;

/// Within the folder, without `..` whatever the path is.
std::string below_root(const fs::path& path) {
  return ("/" / path).lexically_normal().relative_path().string();
}

/// Where a file or directory is in the folder.
std::string place_of(const fs::path& path) {
  std::error_code error;
  fs::path absolute = fs::absolute(path, error);
  if (fs::is_directory(path, error)) return below_root(fs::canonical(path, error));
  fs::path directory = fs::weakly_canonical(absolute.parent_path(), error);
  // Names in /proc change from run to run: /dev/fd leads there.
  if (error || directory.string().starts_with("/proc/")) directory = absolute.parent_path();
  return below_root(directory / absolute.filename());
}

/// For response.txt, where a backslash quotes a character.
std::string quote_argument(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (std::string_view(" \t\n\r\\'\"").contains(c)) result += '\\';
    result += c;
  }
  return result.empty() ? "''" : result;
}

/// Makes names in a thin archive relative: '~' replaces the first '/' of their lines, so nothing
/// else moves.
void make_relative(std::string& archive, const std::unordered_set<std::string>& names) {
  for (size_t at = 0; (at = archive.find("\n/", at)) != archive.npos;) {
    size_t begin = ++at, end = archive.find('\n', begin);
    if (end == archive.npos) return;
    size_t size = end - begin - (archive[end - 1] == '/' ? 1 : 0);
    if (names.contains(archive.substr(begin, size)) ||
        names.contains(archive.substr(begin, end - begin)))
      archive[begin] = '~';
  }
}

/// Opens an input, if that can be done twice. A pipe is read once: what it had takes its place at
/// the descriptor, where the link finds it.
std::optional<InputFile> open_to_read_again(const std::string& path) {
  std::error_code error;
  auto descriptor = descriptor_of(path);
  if (!descriptor) descriptor = descriptor_of(fs::read_symlink(path, error).string());
  if (fs::is_fifo(path, error) && !descriptor) return std::nullopt;
  auto file = InputFile::open(path);
  if (!file) return std::nullopt;
  if (file->identity() || !descriptor) return std::move(*file);
  auto copy = OutputFile::open_in_memory();
  bool is_copied =
      copy && write_all(copy->fd(), file->bytes()) && ::dup2(copy->fd(), *descriptor) >= 0;
  if (!is_copied) return std::nullopt;
  return std::move(*file);
}

std::optional<InputFile> open_unnamed(const std::string& path) {
  auto file = InputFile::open_regular(path);
  return file ? std::optional(std::move(*file)) : std::nullopt;
}

/// Whether a link reads more of the file than its beginning.
bool is_linkable(std::span<const std::byte> file) {
  return is_elf(file) || is_archive(file) || lto::is_bitcode(file);
}

class Reproducer {
 public:
  Reproducer(std::string_view program, const LinkCommand& command, const std::string& output)
      : command_(command), output_(output) {
    fs::path stem = fs::path(command.reproduce_file).stem();
    // A folder of the tar's own name could not be unpacked beside it.
    bool has_extension = fs::path(command.reproduce_file).has_extension();
    folder_ = (has_extension && stem != "." && stem != ".." ? stem.string() : "reproduce") + "/";
    for (const OptionTable::Given& given : command.given)
      if (!given.name.starts_with("--reproduce"))
        response_ += quote_argument(respond(given)) + "\n";
    add_members();
    version_ = version_line(program);
    entries_[folder_ + "response.txt"] = std::as_bytes(std::span(response_));
    entries_[folder_ + "version.txt"] = std::as_bytes(std::span(version_));
  }

  std::expected<std::vector<std::string>, Error> write() {
    const std::string& path = command_.reproduce_file;
    Outputs outputs;
    // The link reports what is wrong with its own outputs.
    auto open = [&](std::string_view option, const std::string& name, bool is_object) {
      return name.empty() || outputs.open(std::string(option), name, is_object).has_value();
    };
    open("-o", output_, true);
    for (const ReportFile& report : report_files)
      open(report.option, command_.link.*report.path, false);
    auto tar = outputs.open("--reproduce", path);
    if (!tar) return fail(tar.error().message);
    for (const OutputProblem& problem : outputs.check(named_files(inputs_)))
      if (problem.file == path) return fail(problem.message);
    auto ok = write_tar((*tar)->file.fd(), entries_);
    if (ok) ok = (*tar)->file.commit();
    if (!ok) return fail_in(path, ok.error());
    return std::vector(omitted_.begin(), omitted_.end());
  }

 private:
  void add(const std::string& place, std::span<const std::byte> bytes = {}) {
    if (!place.empty()) entries_.try_emplace(folder_ + place, bytes);
  }

  // ---- the options

  /// What was given as one argument, which names files of the folder.
  std::string respond(const OptionTable::Given& given) {
    std::string text(given.name);
    if (!given.name.empty() && given.value) text += '=';
    if (!given.value) return text;
    if (given.name == "--library") add_library(*given.value);
    std::string_view value = *given.value;
    if (!given.value_name.starts_with("FILE") && !given.value_name.starts_with("DIR"))
      return text.append(value);
    // FILE=PREFIX
    size_t end =
        given.value_name.contains('=') ? std::min(value.rfind('='), value.size()) : value.size();
    std::string path = add_path(std::string(value.substr(0, end)), given.use);
    // No option, and no response file
    if (text.empty() && (path.starts_with('-') || path.starts_with('@'))) text = "./";
    return text + path + std::string(value.substr(end));
  }

  void add_library(std::string_view name) {
    if (auto path = find_library(name, command_.link.library_paths))
      add_named({place_of(*path), *path}, open_unnamed(*path));
  }

  /// Adds the file or directory. Returns its path in the folder.
  std::string add_path(const std::string& path, FileUse use) {
    std::error_code error;
    fs::file_status status = fs::status(path, error);
    bool is_output = use == FileUse::Write;
    if (path.empty() || (is_output && path == "-") || fs::is_character_file(status)) return path;
    std::string place = place_of(path);
    if (is_output)
      add_directory(fs::path(place).parent_path(), fs::absolute(path, error).parent_path());
    else if (fs::is_directory(status))
      add_directory(place, path);
    else
      add_named({place, path}, open_to_read_again(path));
    return place.empty() ? "." : place;
  }

  void add_directory(const fs::path& place, const fs::path& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) add((place / "").string());
  }

  // ---- the inputs

  struct Input {
    std::string place, path;
  };

  void add_named(const Input& input, std::optional<InputFile> file) {
    std::error_code error;
    directories_.insert(fs::weakly_canonical(fs::absolute(input.path, error).parent_path(), error));
    add_input(input, std::move(file));
  }

  /// Adds what thin archives name. An archive may name itself.
  void add_members() {
    while (!pending_.empty()) {
      Input next = std::move(pending_.back());
      pending_.pop_back();
      if (entries_.contains(folder_ + next.place)) continue;
      auto file = open_unnamed(next.path);
      bool is_wanted =
          file && (command_.reproduce_all || (is_linkable(file->bytes()) && is_beside(next.path)));
      if (is_wanted)
        add_input(next, std::move(file));
      else if (file)
        omitted_.insert(next.path);
    }
  }

  /// Whether a file is below the directory of an input that the command line names.
  bool is_beside(const std::string& path) const {
    std::error_code error;
    fs::path directory = fs::canonical(path, error).parent_path();
    for (; !error; directory = directory.parent_path()) {
      if (directories_.contains(directory)) return true;
      if (!directory.has_relative_path()) break;
    }
    return false;
  }

  void add_input(const Input& input, std::optional<InputFile> file) {
    if (!file || entries_.contains(folder_ + input.place)) return;
    inputs_.push_back(std::move(*file));
    std::span<const std::byte> bytes = inputs_.back().bytes();
    add(input.place, is_archive(bytes) ? list_members(input, bytes) : bytes);
  }

  /// Lists what a thin archive names in pending_. Returns the archive for the folder, where all
  /// names are relative.
  std::span<const std::byte> list_members(const Input& input, std::span<const std::byte> bytes) {
    const auto& [place, path] = input;
    auto members = read_archive(bytes, path);
    if (!members) return bytes;
    std::string& text =
        archives_.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::unordered_set<std::string> absolute;
    for (const ArchiveMember& member : *members) {
      // As open() takes a name with a zero byte.
      const std::string file = member.path.substr(0, member.path.find('\0'));
      if (file.empty()) continue;
      bool is_absolute = member.name[path.size() + 1] == '/';  // behind "lib.a("
      std::string name = is_absolute ? "~" + file.substr(1) : file.substr(path.rfind('/') + 1);
      if (is_absolute) absolute.insert(file);
      pending_.push_back({below_root(fs::path(place).parent_path() / name), file});
    }
    make_relative(text, absolute);
    return std::as_bytes(std::span(text));
  }

  const LinkCommand& command_;
  const std::string& output_;
  std::string folder_;  ///< with a slash
  std::string response_, version_;
  std::deque<std::string> archives_;  ///< thin ones, for the folder
  std::vector<InputFile> inputs_;
  std::vector<Input> pending_;      ///< members to add
  std::set<fs::path> directories_;  ///< of inputs that the command line names
  std::set<std::string> omitted_;   ///< members that are not in the tar
  TarEntries entries_;
};

}  // namespace

std::expected<std::vector<std::string>, Error> write_reproducer(std::string_view program,
                                                                const LinkCommand& command,
                                                                const std::string& output) {
  return Reproducer(program, command, output).write();
}

}  // namespace bpflink
