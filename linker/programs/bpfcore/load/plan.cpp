#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "linker/io/descriptor.hpp"
#include "linker/programs/bpfcore/load/load.hpp"

namespace bpflink {
namespace {

/// The number that follows `name`, or 0.
uint64_t number_after(std::string_view text, std::string_view name = {}) {
  uint64_t number = 0;
  if (size_t at = text.find(name); at != text.npos)
    std::from_chars(text.data() + at + name.size(), text.data() + text.size(), number);
  return number;
}

/// Cuts off the text up to the next `end`.
std::string_view cut(std::string_view& text, char end) {
  std::string_view first = text.substr(0, text.find(end));
  text.remove_prefix(std::min(text.size(), first.size() + 1));
  return first;
}

/// The place of an instruction, if it is one of the program itself and not of a function behind it.
std::optional<InsnPlace> place_of(const CoreObject& object, const Program& program,
                                  uint64_t instruction) {
  constexpr uint64_t slot = 8;
  const auto& sections = object.file().sections;
  auto section = std::ranges::find(sections, program.section, &InputSection::name);
  if (instruction >= program.size / slot || section == sections.end()) return std::nullopt;
  return InsnPlace{static_cast<uint32_t>(section - sections.begin()),
                   program.offset + instruction * slot};
}

/// Finds the counts; the last line that is about the program, before the report with advice of
/// Linux 7.3, which it returns; the last instruction, "12: (85) call bpf_loop#181", and its source,
/// "; n = bpf_loop(...)".
std::string_view read_log(const CoreObject& object, const Program& program, std::string_view log,
                          LoadResult& result) {
  auto begins_with_digit = [](std::string_view line) {
    return line.empty() || std::isdigit(static_cast<unsigned char>(line[0])) != 0;
  };
  std::string_view message;
  bool is_report = false;
  while (!log.empty()) {
    std::string_view line = cut(log, '\n');
    bool is_count = line.starts_with("processed ");
    if (is_count) {
      result.instructions = number_after(line, "processed ");
      result.states = number_after(line, "total_states ");
      result.peak_states = number_after(line, "peak_states ");
    }
    // Counts follow the time, of which each release has more. It may stand behind a message.
    const size_t end = line.find("verification time ");
    const bool has_time = end != line.npos;
    if (has_time) result.microseconds = number_after(line, "verification time ");
    line = line.substr(0, end);
    bool is_message = !is_report && !is_count && !line.empty();
    is_report |= is_count || has_time;
    if (!is_message) continue;
    bool is_title = line.starts_with("Verification failed: ");
    is_report |= is_title;
    if (is_title && !begins_with_digit(message)) continue;
    if (line.starts_with("; ")) result.source = line.substr(2);
    if (begins_with_digit(line) && line.contains(": ("))
      result.place = place_of(object, program, number_after(line));
    message = line;
  }
  return message;
}

}  // namespace

const LoadKindName& name_of(LoadResult::Kind kind) {
  constexpr static LoadKindName names[] = {
      {"not_run", '?', "not known"},
      {"loads", '+', "loads"},
      {"refused", 'V', "refused by the verifier"},
      {"loader", 'L', "refused by libbpf before the kernel was asked"},
      {"failed", 'M', "its map or BTF refused by the kernel"},
      {"lacks", '?', "not known"},
      {"together", 'V', "refused by the verifier"},
      {"ended", 'E', "crashed or took too long"}};
  return names[static_cast<size_t>(kind)];
}

std::vector<LoadJob> make_jobs(const CoreObject& object, bool is_whole) {
  std::vector<LoadJob> jobs(is_whole ? 1 : 0);
  auto add = [&](char kind, std::string_view name) {
    jobs.back().steps.append(1, kind).append(name).append(1, '\0');
  };
  std::span<const Program> programs = object.object.programs();
  for (size_t i = 0; i < programs.size(); ++i) {
    if ((is_whole && !programs[i].meaning.autoload) || programs[i].size == 0) continue;
    if (!is_whole) jobs.emplace_back();
    add('p', programs[i].name);
    jobs.back().programs.push_back(i);
    // libbpf loads the other programs of its struct_ops maps with it.
    for (const StructOps& ops : object.object.struct_ops()) {
      if (std::ranges::count(ops.members, programs[i].name, &StructOpsMember::program) == 0)
        continue;
      add('m', ops.name);
      for (const StructOpsMember& member : ops.members) add('w', member.program);
    }
    if (!is_whole) add('r', "alone");
  }
  if (is_whole) add('r', "");
  std::erase_if(jobs, [](const LoadJob& job) { return job.programs.empty(); });
  return jobs;
}

LoadResult read_result(const CoreObject& object, size_t program, const GuestEvent& event,
                       const Guest& guest, bool with_config) {
  using enum LoadResult::Kind;
  LoadResult result{.error = event.error, .lacks_btf = event.lacks_btf};
  for (auto kind : {Loads, Refused, Loader, Failed, Together, Ended})
    if (name_of(kind).word == event.word) result.kind = kind;
  if (result.kind == NotRun) return result;
  const std::string_view message =
      read_log(object, object.object.programs()[program], event.log, result);
  if (result.loads()) return result;
  std::string_view said = event.said;
  said = cut(said, '\n');
  if (said.starts_with("libbpf: ")) said.remove_prefix(8);
  result.message = result.kind == Refused && !message.empty() ? message : said;
  if (result.message.empty()) result.message = std::strerror(result.error);
  const bool lacks_config = said == "failed to open system Kconfig" && !with_config;
  if (lacks_config) result.advice = "give the kernel's configuration with --config";
  if (result.error == ENOMEM)
    result.advice =
        fmt::format("the guest has {} MiB of memory: give it more with --memory", guest.memory);
  if (!result.advice.empty()) result.kind = Lacks;
  return result;
}

std::expected<void, Error> write_initramfs(int fd, const TarEntries& entries) {
  constexpr size_t alignment = 4;
  constexpr std::byte zeros[alignment] = {};
  unsigned inode = 0;
  auto write_entry = [&](std::string_view path, std::span<const std::byte> contents) {
    constexpr unsigned program = 0100755;
    // inode, mode, user, group, links, time, size, devices, name, checksum
    std::string header =
        fmt::format("070701{:08X}{:08X}{:016X}{:08X}{:08X}{:08X}{:032X}{:08X}{:08X}{}", ++inode,
                    program, 0, 1, 0, contents.size(), 0, path.size() + 1, 0, path);
    header.append(1 + -(header.size() + 1) % alignment, '\0');
    auto ok = write_all(fd, std::as_bytes(std::span(header)));
    if (ok) ok = write_all(fd, contents);
    return ok ? write_all(fd, std::span(zeros).first(-contents.size() % alignment)) : ok;
  };
  std::expected<void, Error> ok;
  for (const auto& [path, contents] : entries)
    if (ok) ok = write_entry(path, contents);
  return ok ? write_entry("TRAILER!!!", {}) : ok;
}

}  // namespace bpflink
