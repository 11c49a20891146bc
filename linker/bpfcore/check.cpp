// bpfcore check: checks each relocation of each program on each kernel.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "linker/bpfcore/commands.hpp"
#include "linker/bpfcore/inputs.hpp"
#include "linker/bpfcore/outputs.hpp"
#include "linker/core/core_check.hpp"
#include "linker/error.hpp"
#include "linker/io/output_file.hpp"
#include "linker/io/program.hpp"
#include "linker/io/write_all.hpp"
#include "linker/kernels/kernel_needs.hpp"

namespace bpflink {
namespace {

/// The files of reports. They are opened before the work, so that an unwritable path fails first,
/// and are committed together.
class ReportFiles {
 public:
  std::expected<void, Error> open(const std::string& path) {
    if (path.empty()) return {};
    auto file = OutputFile::open(path);
    if (!file) return fail("{}: {}", path, file.error().message);
    files_.emplace_back(path, std::move(*file));
    return {};
  }

  std::expected<void, Error> write(const std::string& path, std::string_view text) {
    auto file = std::ranges::find(files_, path, &File::first);
    if (auto ok = write_all(file->second.fd(), std::as_bytes(std::span(text))); !ok)
      return fail("{}: {}", path, ok.error().message);
    return {};
  }

  std::expected<void, Error> commit() {
    std::vector<OutputFile*> files;
    files.reserve(files_.size());
    for (auto& [path, file] : files_) files.push_back(&file);
    for (const auto& [index, error] : OutputFile::commit_all(files))
      return fail("{}: {}", files_[index].first, error.message);
    return {};
  }

 private:
  using File = std::pair<std::string, OutputFile>;
  std::vector<File> files_;
};

/// Marks the programs that may fail. Errors: a name that no program has.
std::expected<void, Error> mark_optional(const std::vector<std::string>& names,
                                         std::vector<CoreObject>& objects) {
  for (const std::string& name : names) {
    bool is_known = false;
    for (CoreObject& object : objects) {
      auto found = object.find_program(name);
      if (!found) continue;
      object.is_optional[*found] = true;
      is_known = true;
    }
    if (!is_known) return fail("--optional {}: no object has a program of that name", name);
  }
  return {};
}

/// Errors: `--set` names a variable that no object has in .rodata.
std::expected<void, Error> check_settings(const std::map<std::string, uint64_t>& settings,
                                          const std::vector<CoreObject>& objects) {
  for (const auto& [name, value] : settings) {
    auto has_variable = [&](const CoreObject& object) {
      const Variable* variable = object.object.find_variable(name);
      return variable && object.object.data_sections()[variable->data_section].kind ==
                             DataSection::Kind::Rodata;
    };
    if (!std::ranges::any_of(objects, has_variable))
      return fail("--set {}: no object has a variable of that name in .rodata", name);
  }
  return {};
}

/// Checks an object on a kernel: relocations and everything else that the kernel binds. The reached
/// code depends on which externs the kernel has, and a missing helper matters only in reached code.
std::vector<CoreFinding> check_object(const CoreObject& object, const Kernel& kernel,
                                      const BpfcoreOptions& options) {
  KernelNeeds needs{object.object, kernel};
  needs.check();
  auto value_of = [&](std::string_view name) -> std::optional<uint64_t> {
    auto found = needs.externs.find(name);
    if (found == needs.externs.end() || found->second.knowledge == Knowledge::Unknown) return {};
    return found->second.value;
  };
  ObjectCheck check(object, kernel.index,
                    {.version = kernel.version_code.value_or(0),
                     .kconfig = value_of,
                     .has_ksym = [&](std::string_view name) -> std::optional<bool> {
                       auto value = value_of(name);
                       return value ? std::optional(*value != 0) : std::nullopt;
                     },
                     .settings = options.settings,
                     .strict = options.strict});
  auto helpers = object.helper_calls | std::views::keys;
  needs.check_helpers({helpers.begin(), helpers.end()},
                      [&](uint32_t helper) { return check.programs_calling(helper); });
  std::vector<CoreFinding> findings = check.take_relocations();
  std::ranges::move(needs.findings, std::back_inserter(findings));
  return findings;
}

std::expected<void, Error> write_reports(const BpfcoreOptions& options, const CoreReport& report,
                                         const std::vector<CoreProblem>& problems,
                                         ReportFiles& files) {
  if (options.table) print_text(make_table(report));
  if (std::fflush(stdout) != 0) return fail("cannot write to standard output");
  if (!options.json.empty()) {
    std::expected<void, Error> written;
    std::string buffer;
    constexpr size_t enough = 1 << 20;
    write_json(report, [&](std::string_view text) {
      buffer += text;
      if (buffer.size() < enough || !written) return;
      written = files.write(options.json, buffer);
      buffer.clear();
    });
    if (written) written = files.write(options.json, buffer);
    if (!written) return written;
  }
  if (!options.html.empty())
    if (auto ok = files.write(options.html, make_page(report, problems)); !ok) return ok;
  return files.commit();
}

}  // namespace

std::expected<bool, Error> check(const BpfcoreOptions& options) {
  auto inputs = open_inputs(options);
  if (!inputs) return std::unexpected(inputs.error());
  if (auto ok = mark_optional(options.optional_programs, inputs->objects); !ok)
    return std::unexpected(ok.error());
  if (auto ok = check_settings(options.settings, inputs->objects); !ok)
    return std::unexpected(ok.error());
  ReportFiles files;
  for (const std::string* path : {&options.json, &options.html})
    if (auto ok = files.open(*path); !ok) return std::unexpected(ok.error());
  for (CoreObject& object : inputs->objects) object.analyze_code();
  CoreReport report{inputs->objects, std::vector<KernelSummary>(inputs->kernels.size()), {}};
  report.findings.resize(inputs->kernels.size());
  std::vector<std::vector<std::string>> notes(inputs->kernels.size());
  auto done = for_each_kernel(*inputs, options.threads, [&](size_t index, const Kernel& kernel) {
    report.kernels[index] = {kernel.name, kernel.identity};
    notes[index] = kernel.notes;
    for (const CoreObject& object : inputs->objects)
      report.findings[index].push_back(check_object(object, kernel, options));
    return std::expected<void, Error>();
  });
  if (!done) return std::unexpected(done.error());
  warn_modules(notes);
  bool has_failed = false;
  std::vector<CoreProblem> problems = find_problems(report, options.differences);
  for (const CoreProblem& problem : problems) {
    has_failed |= problem.diagnostic.severity == Severity::Error;
    print_diagnostic("bpfcore", problem.diagnostic);
  }
  if (auto ok = write_reports(options, report, problems, files); !ok)
    return std::unexpected(ok.error());
  return !has_failed;
}

}  // namespace bpflink
