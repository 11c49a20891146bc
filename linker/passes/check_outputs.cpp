// Pass: whether an output would destroy something.
//
// A slip of the hand makes `-o main.o` of `main.o -o`, and `--Map main.o` of a `--Map` whose file
// was forgotten. Files are compared by what they are, not by their names: links lead to one file
// by many.
#include <fmt/format.h>

#include "linker/context.hpp"
#include "linker/elf/archive.hpp"
#include "linker/elf/elf_kind.hpp"

namespace bpflink {
namespace {

std::string_view option_of(PendingOutput::Contents contents) {
  switch (contents) {
    case PendingOutput::Contents::Object:
    case PendingOutput::Contents::Converted:
      return "-o";
    case PendingOutput::Contents::Map:
      return "--Map";
    case PendingOutput::Contents::Dependencies:
      return "--dependency-file";
    case PendingOutput::Contents::Json:
      return "--json";
    case PendingOutput::Contents::SizeMap:
      return "--size-map";
  }
  return "";
}

std::string describe(const PendingOutput& output) {
  return fmt::format("{} '{}'", option_of(output.contents), output.name);
}

/// An input that is the same file, or null.
const InputFile* find_input(const Context& context, const PendingOutput& output) {
  for (const InputFile& input : context.files)
    if (input.identity() && input.identity() == output.file.identity()) return &input;
  return nullptr;
}

/// An output before it that is the same file, or null.
const PendingOutput* find_output_before(const Context& context, const PendingOutput& output) {
  for (const PendingOutput& before : context.outputs) {
    if (&before == &output) break;
    if (before.file.identity() && before.file.identity() == output.file.identity()) return &before;
  }
  return nullptr;
}

/// Whether what stands there is an object or an archive, which no report replaces on purpose.
bool replaces_object(const PendingOutput& output) {
  if (output.contents == PendingOutput::Contents::Object || output.file.is_special()) return false;
  auto file = InputFile::open(output.name);
  return file && (is_elf(file->bytes()) || is_archive(file->bytes()));
}

}  // namespace

void check_outputs(Context& context) {
  for (const PendingOutput& output : context.outputs) {
    std::string problem;
    if (const InputFile* input = find_input(context, output))
      problem = fmt::format("would replace the input '{}': name another file", input->name());
    else if (const PendingOutput* before = find_output_before(context, output))
      problem = fmt::format("and {} are one file", describe(*before));
    else if (replaces_object(output))
      problem = "would replace an object file or archive with text: delete it first";
    if (problem.empty()) continue;
    context.diagnostics.report({.message = fmt::format("{} {}", describe(output), problem),
                                .code = DiagnosticCode::OutputFailure,
                                .file = output.name});
  }
}

}  // namespace bpflink
