// Pass: open a temporary file beside each output.
//
// commit_outputs() renames them. An unwritable target fails here, before any work.
#include "linker/context.hpp"
#include "linker/error.hpp"

namespace bpflink {
namespace {

std::expected<OutputFile, Error> open_target(const OutputTarget& target) {
  if (target.fd) return OutputFile::open(*target.fd);
  return target.path && !target.convert ? OutputFile::open(*target.path)
                                        : OutputFile::open_in_memory();
}

void add(Context& context, PendingOutput::Contents contents, std::string name,
         std::expected<OutputFile, Error> file) {
  if (file)
    context.outputs.push_back({contents, std::move(name), std::move(*file)});
  else
    fail_output(context, name, file.error());
}

}  // namespace

void open_outputs(Context& context) {
  using enum PendingOutput::Contents;
  const OutputTarget& target = context.target;
  add(context, Object, target.path.value_or("the output"), open_target(target));
  if (target.convert) add(context, Converted, *target.path, OutputFile::open(*target.path));
  for (auto [contents, path] : {std::pair{Map, &context.options.map_file},
                                {Dependencies, &context.options.dependency_file},
                                {Json, &context.options.json_file},
                                {SizeMap, &context.options.size_map_file}})
    if (!path->empty()) add(context, contents, *path, OutputFile::open(*path));
}

void fail_output(Context& context, const std::string& name, const Error& error) {
  context.diagnostics.report({.message = fmt::format("{}: {}", name, error.message),
                              .code = DiagnosticCode::OutputFailure,
                              .file = name});
}

}  // namespace bpflink
