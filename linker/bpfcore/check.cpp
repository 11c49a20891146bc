// bpfcore check: what becomes of each relocation of each program on each kernel.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "linker/bpfcore/commands.hpp"
#include "linker/bpfcore/inputs.hpp"
#include "linker/bpfcore/judge.hpp"
#include "linker/bpfcore/outputs.hpp"
#include "linker/error.hpp"
#include "linker/io/output_file.hpp"
#include "linker/io/program.hpp"
#include "linker/io/write_all.hpp"

namespace bpflink {
namespace {

/// Writes a file in pieces, which takes its place when all are written.
class ReportFile {
 public:
  static std::expected<ReportFile, Error> open(const std::string& path) {
    auto file = OutputFile::open(path);
    if (!file) return fail("{}: {}", path, file.error().message);
    return ReportFile(path, std::move(*file));
  }

  void write(std::string_view text) {
    buffer_ += text;
    constexpr size_t enough = 1 << 20;
    if (buffer_.size() >= enough) flush();
  }

  std::expected<void, Error> finish() {
    flush();
    if (!error_) {
      auto committed = file_.commit();
      if (committed) return {};
      error_ = committed.error();
    }
    return fail("{}: {}", path_, error_->message);
  }

 private:
  ReportFile(std::string path, OutputFile file) : path_(std::move(path)), file_(std::move(file)) {}

  void flush() {
    if (!error_)
      if (auto ok = write_all(file_.fd(), std::as_bytes(std::span(buffer_))); !ok)
        error_ = ok.error();
    buffer_.clear();
  }

  std::string path_;
  OutputFile file_;
  std::string buffer_;
  std::optional<Error> error_;
};

/// Marks the programs that may fail. Errors: a name that no program has.
std::expected<void, Error> mark_optional(const std::vector<std::string>& names,
                                         CoreReport& report) {
  for (const std::string& name : names) {
    bool is_known = false;
    for (ObjectSummary& object : report.objects)
      for (CoreProgram& program : object.programs) {
        if (program.name != name) continue;
        program.is_optional = true;
        is_known = true;
      }
    if (!is_known) return fail("--optional {}: no object has a program of that name", name);
  }
  return {};
}

std::expected<void, Error> write_reports(const BpfcoreOptions& options, const CoreReport& report,
                                         const std::vector<CoreProblem>& problems) {
  if (options.table) print_text(make_table(report));
  if (!options.json.empty()) {
    auto file = ReportFile::open(options.json);
    if (!file) return std::unexpected(file.error());
    write_json(report, [&](std::string_view text) { file->write(text); });
    if (auto ok = file->finish(); !ok) return ok;
  }
  if (!options.html.empty()) {
    auto file = ReportFile::open(options.html);
    if (!file) return std::unexpected(file.error());
    file->write(make_page(report, problems));
    if (auto ok = file->finish(); !ok) return ok;
  }
  return {};
}

}  // namespace

std::expected<bool, Error> check(const BpfcoreOptions& options) {
  auto inputs = open_inputs(options);
  if (!inputs) return std::unexpected(inputs.error());
  CoreReport report;
  for (CoreObject& object : inputs->objects) {
    object.look_at_code();
    report.objects.push_back(object.summary);
  }
  if (auto ok = mark_optional(options.optional_programs, report); !ok)
    return std::unexpected(ok.error());
  std::deque<KernelNeeds> needs;
  for (const CoreObject& object : inputs->objects)
    needs.emplace_back(object.object, object.file->image, helpers_called(*object.graph));
  report.kernels.resize(inputs->kernels.size());
  report.verdicts.resize(inputs->kernels.size());
  auto done = for_each_kernel(*inputs, options.threads, [&](size_t index, const Kernel& kernel) {
    report.kernels[index] = summary_of(kernel);
    CoreKernel types = index_kernel(kernel);
    for (size_t i = 0; i < inputs->objects.size(); ++i)
      report.verdicts[index].push_back(judge(inputs->objects[i], needs[i], kernel, types, options));
    return std::expected<void, Error>();
  });
  if (!done) return std::unexpected(done.error());
  bool has_failed = false;
  std::vector<CoreProblem> problems = find_problems(report, options.differences);
  for (const CoreProblem& problem : problems) {
    has_failed |= problem.diagnostic.severity == Severity::Error;
    print_diagnostic("bpfcore", problem.diagnostic);
  }
  if (auto ok = write_reports(options, report, problems); !ok) return std::unexpected(ok.error());
  return !has_failed;
}

}  // namespace bpflink
