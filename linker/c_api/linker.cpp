// The C interface's linker, and what belongs to no handle.
#include "bpflink/linker.hpp"

#include <algorithm>
#include <vector>

#include "linker/bpflink/command_line.hpp"
#include "linker/c_api/support.hpp"
#include "linker/diagnostics/render.hpp"

using namespace bpflink;
using namespace bpflink::c_api;

struct bpflink_linker {
  Linker linker;
};

namespace {

/// What a diagnostic's `source` points to.
struct DiagnosticSource {
  const Diagnostic& diagnostic;
  std::vector<const DiagnosticLocation*> places;
};

/// Hands a diagnostic to C for the time of the call.
void deliver(bpflink_diagnostic_fn on_diagnostic, void* context, const Diagnostic& diagnostic) {
  std::vector<std::string> lines = detail_lines(diagnostic);
  std::vector<const char*> details(lines.size());
  std::ranges::transform(lines, details.begin(), [](const auto& line) { return line.c_str(); });
  DiagnosticSource source{diagnostic, places_of(diagnostic)};
  bpflink_diagnostic delivered{.size = sizeof delivered,
                               .severity = static_cast<bpflink_severity>(diagnostic.severity),
                               .code = static_cast<bpflink_diagnostic_code>(diagnostic.code),
                               .message = diagnostic.message.c_str(),
                               .details = details.data(),
                               .detail_count = details.size(),
                               .file = diagnostic.file.c_str(),
                               .symbol = diagnostic.symbol.c_str(),
                               .location_count = source.places.size(),
                               .source = &source};
  on_diagnostic(context, &delivered);
}

/// Null for a struct that the caller made and filled with zeros.
const DiagnosticSource* source_of(const bpflink_diagnostic* diagnostic) {
  bool has_source = diagnostic && diagnostic->size >= sizeof *diagnostic;
  return has_source ? static_cast<const DiagnosticSource*>(diagnostic->source) : nullptr;
}

/// Does `add` to the linker of a handle.
template <typename Add>
bpflink_status add_input(bpflink_linker* linker, Add add) {
  return guarded([&] {
    add(linker->linker);
    return BPFLINK_OK;
  });
}

bpflink_status failure_of(const Linker& linker) {
  return linker.ran_out_of_memory() ? BPFLINK_ERROR_MEMORY : BPFLINK_ERROR_LINK;
}

/// Links by `link`, which returns whether that went well.
template <typename Link>
bpflink_status link_to(bpflink_linker* linker, Link link) {
  return guarded([&] { return link(linker->linker) ? BPFLINK_OK : failure_of(linker->linker); });
}

}  // namespace

extern "C" {

const char* bpflink_version(void) {
  return BPFLINK_VERSION;
}

const char* bpflink_status_text(bpflink_status status) {
  switch (status) {
    case BPFLINK_OK:
      return "done";
    case BPFLINK_ERROR_ARGUMENT:
      return "invalid argument";
    case BPFLINK_ERROR_MEMORY:
      return "out of memory";
    case BPFLINK_ERROR_INPUT:
      return "invalid input";
    case BPFLINK_ERROR_LINK:
      return "link failed";
    case BPFLINK_ERROR_NOT_FOUND:
      return "not found";
  }
  return "unknown status";
}

void bpflink_free(void* memory) {
  std::free(memory);
}

bpflink_status bpflink_diagnostic_location(const bpflink_diagnostic* diagnostic, size_t index,
                                           bpflink_location* out, size_t size) {
  const DiagnosticSource* source = source_of(diagnostic);
  if (!source || index >= source->places.size()) return BPFLINK_ERROR_ARGUMENT;
  const DiagnosticLocation& place = *source->places[index];
  return describe({.object = place.object.c_str(),
                   .section = place.section.c_str(),
                   .offset = place.offset,
                   .source = place.source.c_str(),
                   .line = place.line,
                   .column = place.column,
                   .text = place.text.c_str()},
                  out, size);
}

char* bpflink_diagnostic_render(const bpflink_diagnostic* diagnostic, const char* program,
                                uint32_t color) {
  const DiagnosticSource* source = source_of(diagnostic);
  if (!source || !program || color > 1) return nullptr;
  return give_text(
      [&] { return render(source->diagnostic, {.program = program, .color = color == 1}); });
}

bpflink_status bpflink_linker_new(const char* const* options, size_t option_count,
                                  bpflink_diagnostic_fn on_diagnostic, void* context,
                                  bpflink_linker** linker, char** error) {
  if (error) *error = nullptr;
  if (!linker) return BPFLINK_ERROR_ARGUMENT;
  *linker = nullptr;
  return guarded([&] {
    std::expected<LinkOptions, Error> parsed;
    auto ok = check_list("options", options, option_count);
    if (ok)
      parsed = parse_library_options(std::vector<std::string>(options, options + option_count));
    if (!ok || !parsed)
      return give_reason(ok ? parsed.error() : ok.error(), error, BPFLINK_ERROR_ARGUMENT);
    Linker::DiagnosticHandler handler;
    if (on_diagnostic)
      handler = [=](const Diagnostic& diagnostic) { deliver(on_diagnostic, context, diagnostic); };
    *linker = new bpflink_linker{Linker(std::move(*parsed), std::move(handler))};
    return BPFLINK_OK;
  });
}

void bpflink_linker_free(bpflink_linker* linker) {
  delete linker;
}

bpflink_status bpflink_linker_add_file(bpflink_linker* linker, const char* path) {
  if (!linker || !path) return BPFLINK_ERROR_ARGUMENT;
  return add_input(linker, [&](Linker& to) { to.add_file(path); });
}

bpflink_status bpflink_linker_add_whole_archive(bpflink_linker* linker, const char* path) {
  if (!linker || !path) return BPFLINK_ERROR_ARGUMENT;
  return add_input(linker, [&](Linker& to) { to.add_whole_archive(path); });
}

bpflink_status bpflink_linker_add_library(bpflink_linker* linker, const char* name) {
  if (!linker || !name) return BPFLINK_ERROR_ARGUMENT;
  return add_input(linker, [&](Linker& to) { to.add_library(name); });
}

bpflink_status bpflink_linker_add_whole_library(bpflink_linker* linker, const char* name) {
  if (!linker || !name) return BPFLINK_ERROR_ARGUMENT;
  return add_input(linker, [&](Linker& to) { to.add_library(name, true); });
}

bpflink_status bpflink_linker_add_fd(bpflink_linker* linker, int fd, const char* name) {
  if (!linker || fd < 0) return BPFLINK_ERROR_ARGUMENT;
  return add_input(linker, [&](Linker& to) { to.add_fd(fd, name ? name : ""); });
}

bpflink_status bpflink_linker_add_memory(bpflink_linker* linker, const char* name,
                                         const void* image, size_t size) {
  if (!linker || !name || (!image && size != 0)) return BPFLINK_ERROR_ARGUMENT;
  return add_input(linker, [&](Linker& to) {
    to.add_memory(name, {static_cast<const std::byte*>(image), size});
  });
}

bpflink_status bpflink_linker_link_to_file(bpflink_linker* linker, const char* path) {
  if (!linker || !path) return BPFLINK_ERROR_ARGUMENT;
  return link_to(linker, [&](Linker& from) { return from.link_to_file(path); });
}

bpflink_status bpflink_linker_link_to_fd(bpflink_linker* linker, int fd) {
  if (!linker || fd < 0) return BPFLINK_ERROR_ARGUMENT;
  return link_to(linker, [&](Linker& from) { return from.link_to_fd(fd); });
}

bpflink_status bpflink_linker_link_to_memory(bpflink_linker* linker, void** image, size_t* size) {
  if (!image || !size) return BPFLINK_ERROR_ARGUMENT;
  *image = nullptr;
  *size = 0;
  if (!linker) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    auto bytes = linker->linker.link_to_memory();
    return bytes ? give_bytes(*bytes, image, size) : failure_of(linker->linker);
  });
}

bpflink_status bpflink_linker_report(const bpflink_linker* linker, bpflink_link_report* out,
                                     size_t size) {
  if (!linker || !out) return BPFLINK_ERROR_ARGUMENT;
  const LinkReport& report = linker->linker.report();
  if (report.passes.empty()) return BPFLINK_ERROR_NOT_FOUND;
  return describe({.objects = report.objects,
                   .input_types = report.input_types,
                   .output_types = report.output_types,
                   .input_bytes = report.input_bytes,
                   .output_bytes = report.output_bytes,
                   .relocations = report.relocations,
                   .symbols = report.symbols,
                   .map = report.map.c_str(),
                   .cross_references = report.cross_references.c_str(),
                   .explanations = report.explanations.c_str(),
                   .sizes = report.sizes.c_str(),
                   .file_count = report.files.size(),
                   .pass_count = report.passes.size()},
                  out, size);
}

bpflink_status bpflink_linker_report_file(const bpflink_linker* linker, size_t index,
                                          const char** path) {
  if (!linker || !path || index >= linker->linker.report().files.size())
    return BPFLINK_ERROR_ARGUMENT;
  *path = linker->linker.report().files[index].c_str();
  return BPFLINK_OK;
}

bpflink_status bpflink_linker_report_pass(const bpflink_linker* linker, size_t index,
                                          const char** name, double* seconds) {
  if (!linker || !name || !seconds || index >= linker->linker.report().passes.size())
    return BPFLINK_ERROR_ARGUMENT;
  const auto& [pass, time] = linker->linker.report().passes[index];
  *name = pass.c_str();
  *seconds = time;
  return BPFLINK_OK;
}

}  // extern "C"
