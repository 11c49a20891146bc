#include "linker/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <span>

#include "dedup/try.hpp"
#include "linker/files/archive.hpp"
#include "linker/files/common_origin.hpp"
#include "linker/files/elf_kind.hpp"
#include "linker/io/descriptor.hpp"
#include "linker/io/input_file.hpp"
#include "linker/io/paths.hpp"
#include "linker/io/signals.hpp"

namespace bpflink {
namespace {

/// The file that the output would replace; nothing if there is none.
std::expected<std::optional<InputFile>, Error> open_replaced(const Outputs::Output& output) {
  if (!output.file.identity() || output.file.is_special()) return std::nullopt;
  auto found = TRY(find_file(output.name));
  if (!found) return std::nullopt;
  auto file = TRY(InputFile::open_regular(output.name));
  return file;
}

/// Whether a file is what a person wrote: by its name, and because programs write no such file.
/// Skeletons of whatever program may be headers and modules of Rust.
bool is_source(std::string_view name, std::span<const std::byte> bytes, bool may_be_skeleton) {
  constexpr std::string_view suffixes[] = {".h",  ".hpp", ".rs", ".c", ".cpp",
                                           ".cc", ".go",  ".s",  ".S"};
  constexpr std::string_view made = "/* Made by bpfskel";
  auto begin = bytes.first(std::min(bytes.size(), made.size()));
  bool is_ours = std::ranges::equal(begin, std::as_bytes(std::span(made)));
  return !bytes.empty() && !is_elf(bytes) && !is_archive(bytes) && !(may_be_skeleton && is_ours) &&
         std::ranges::any_of(std::span(suffixes).subspan(may_be_skeleton ? 3 : 0),
                             [&](std::string_view suffix) { return name.ends_with(suffix); });
}

}  // namespace

OutputProblem Outputs::problem_of(const std::string& file, const Error& error) {
  return {file, fmt::format("{}: {}", file, error.message)};
}

std::expected<Outputs::Output*, OutputProblem> Outputs::open(std::string option,
                                                             const std::string& path,
                                                             bool is_object) {
  return add(std::move(option), path, is_object, OutputFile::open(path));
}

std::expected<Outputs::Output*, OutputProblem> Outputs::add(std::string option, std::string name,
                                                            bool is_object,
                                                            std::expected<OutputFile, Error> file) {
  if (!file) return std::unexpected(problem_of(name, file.error()));
  outputs_.push_back({std::move(option), std::move(name), is_object, std::move(*file)});
  return &outputs_.back();
}

std::vector<OutputProblem> Outputs::check(
    std::span<const NamedFile> inputs,
    const std::function<bool(const ObjectFile&)>& is_related) const {
  std::vector<OutputProblem> problems;
  for (auto output = outputs_.begin(); output != outputs_.end(); ++output) {
    const auto& identity = output->file.identity();
    if (!identity) continue;
    auto report = [&](std::string message, bool is_suspicion = false) {
      message = fmt::format("{} '{}' {}", output->option, output->name, message);
      problems.push_back({output->name, std::move(message), is_suspicion});
    };
    auto input = std::ranges::find(inputs, *identity, &NamedFile::identity);
    auto earlier = std::find_if(outputs_.begin(), output, [&](const Output& other) {
      return other.file.identity() == identity;
    });
    auto opened = open_replaced(*output);
    const InputFile* replaced = opened && *opened ? &**opened : nullptr;
    if (input != inputs.end())
      report(fmt::format("would replace the input '{}': {}", input->name,
                         output->is_object ? advice_ : "name another file"));
    else if (earlier != output)
      report(fmt::format("and {} '{}' are the same file", earlier->option, earlier->name));
    else if (!opened && !output->is_object)
      report(fmt::format("would replace a file that cannot be read: {}", opened.error().message));
    else if (replaced && !output->is_object &&
             (is_elf(replaced->bytes()) || is_archive(replaced->bytes())))
      report("would replace an object file or archive: delete it first");
    else if (replaced && is_source(output->name, replaced->bytes(), !output->is_object))
      report("would replace a source file: name another file", true);
    else if (replaced && output->is_object && is_related)
      if (std::string source = find_unrelated_source(replaced->bytes(), is_related);
          !source.empty())
        report(fmt::format("would replace the compiled object of '{}', which is unrelated to the "
                           "inputs: name another file, or delete it first",
                           source),
               true);
  }
  return problems;
}

Outputs::Output* Outputs::find(std::string_view option) {
  auto output = std::ranges::find(outputs_, option, &Output::option);
  return output == outputs_.end() ? nullptr : &*output;
}

std::expected<void, OutputProblem> Outputs::write(const Output& output,
                                                  std::span<const std::byte> bytes) {
  if (auto ok = write_all(output.file.fd(), bytes); !ok)
    return std::unexpected(problem_of(output.name, ok.error()));
  return {};
}

std::expected<void, OutputProblem> Outputs::commit() {
  std::expected<void, OutputProblem> result;
  auto is_done = [&](Output& output, std::expected<void, Error> ok) {
    if (!ok) result = std::unexpected(problem_of(output.name, ok.error()));
    return ok.has_value();
  };
  for (Output& output : outputs_)
    if (!is_done(output, output.file.prepare())) return result;
  // A pipe among the reports may take forever, so it comes before signals wait.
  for (Output& output : outputs_ | std::views::drop(1))
    if (output.file.is_special() && !is_done(output, output.file.commit())) return result;
  std::optional<HeldSignals> held(std::in_place);
  for (Output& output : outputs_ | std::views::reverse) {
    bool is_first = &output == &outputs_.front();
    if (output.file.is_special() && !is_first) continue;
    if (output.file.is_special()) held.reset();
    if (!is_done(output, output.file.commit())) return result;
  }
  return result;
}

}  // namespace bpflink
