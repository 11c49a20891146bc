// Pass: refuse to overwrite inputs.
//
// A typing error turns `main.o -o` into `-o main.o`, or omits the file of --Map, so that `--Map
// main.o` follows; a shell expands `-o *.o` to `-o a.o b.o c.o`. Files are compared by identity,
// not by name: several names can lead to one file.
#include <fmt/format.h>

#include <algorithm>

#include "linker/context.hpp"
#include "linker/elf/archive.hpp"
#include "linker/elf/elf_kind.hpp"
#include "linker/elf/origin.hpp"

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

/// The input that is the same file as the output, or null.
const InputFile* find_input(const Context& context, const PendingOutput& output) {
  for (const InputFile& input : context.files)
    if (input.identity() && input.identity() == output.file.identity()) return &input;
  return nullptr;
}

/// An earlier output that is the same file, or null.
const PendingOutput* find_output_before(const Context& context, const PendingOutput& output) {
  for (const PendingOutput& before : context.outputs) {
    if (&before == &output) break;
    if (before.file.identity() && before.file.identity() == output.file.identity()) return &before;
  }
  return nullptr;
}

/// Whether a report would overwrite an object or archive, which nobody does on purpose.
bool replaces_object(const PendingOutput& output) {
  if (output.contents == PendingOutput::Contents::Object || output.file.is_special()) return false;
  auto file = InputFile::open(output.name);
  return file && (is_elf(file->bytes()) || is_archive(file->bytes()));
}

/// Describes an output that would overwrite an input.
std::string describe_replaced(const Context& context, const InputFile& input) {
  auto object = std::ranges::find(context.objects, input.name(), &ObjectFile::name);
  bool is_earlier = object != context.objects.end() && looks_linked_from(**object, context.objects);
  return fmt::format("would replace the input '{}'{}", input.name(),
                     is_earlier ? ", which looks like an earlier output of these files: leave it "
                                  "out of the inputs"
                                : ": name another file");
}

/// Describes a compiler's output that the linked object would overwrite although its source is
/// unrelated to the inputs; "" if there is none.
std::string describe_unrelated(const Context& context, const PendingOutput& output) {
  bool is_object = output.contents == PendingOutput::Contents::Object && context.target.path &&
                   !context.target.convert;
  if (!is_object || output.file.is_special()) return "";
  auto file = InputFile::open(output.name);
  if (!file) return "";
  std::string source = find_unrelated_source(file->bytes(), [&](const ObjectFile& object) {
    return std::ranges::any_of(
        context.objects, [&](const auto& input) { return have_common_origin(object, *input); });
  });
  if (source.empty()) return "";
  return fmt::format(
      "would replace the compiled object of '{}', which is unrelated to the inputs: name "
      "another file, or delete it first",
      source);
}

}  // namespace

void check_outputs(Context& context) {
  for (const PendingOutput& output : context.outputs) {
    std::string problem;
    if (const InputFile* input = find_input(context, output))
      problem = describe_replaced(context, *input);
    else if (const PendingOutput* before = find_output_before(context, output))
      problem = fmt::format("and {} are the same file", describe(*before));
    else if (replaces_object(output))
      problem = "would replace an object file or archive with text: delete it first";
    bool is_error = !problem.empty();
    if (!is_error) problem = describe_unrelated(context, output);
    if (problem.empty()) continue;
    // libbpf's linker overwrites any file, so for a partial link this is a warning only.
    is_error |= !context.options.partial;
    context.diagnostics.report({.severity = is_error ? Severity::Error : Severity::Warning,
                                .message = fmt::format("{} {}", describe(output), problem),
                                .code = DiagnosticCode::OutputFailure,
                                .file = output.name});
  }
}

}  // namespace bpflink
