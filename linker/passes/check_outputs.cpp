// Pass: refuse to overwrite inputs.
//
// A slip of the hand turns `main.o -o` into `-o main.o`, or drops the file of --Map, so that `--Map
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

/// What is wrong with an output that is an input.
std::string describe_replaced(const Context& context, const InputFile& input) {
  auto object = std::ranges::find(context.objects, input.name(), &ObjectFile::name);
  bool is_earlier = object != context.objects.end() && looks_linked_from(**object, context.objects);
  return fmt::format("would replace the input '{}'{}", input.name(),
                     is_earlier ? ", which looks like an earlier output of these files: leave it "
                                  "out of the inputs"
                                : ": name another file");
}

/// What is wrong with the linked object's place where there is a compiler's output that has nothing
/// to do with the inputs; else "".
std::string find_compiled(const Context& context, const PendingOutput& output) {
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
      "would replace what a compiler made of '{}', which has nothing to do with the inputs: name "
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
      problem = fmt::format("and {} are one file", describe(*before));
    else if (replaces_object(output))
      problem = "would replace an object file or archive with text: delete it first";
    bool is_error = !problem.empty();
    if (!is_error) problem = find_compiled(context, output);
    if (problem.empty()) continue;
    // libbpf's linker replaces any file.
    is_error |= !context.options.partial;
    context.diagnostics.report({.severity = is_error ? Severity::Error : Severity::Warning,
                                .message = fmt::format("{} {}", describe(output), problem),
                                .code = DiagnosticCode::OutputFailure,
                                .file = output.name});
  }
}

}  // namespace bpflink
