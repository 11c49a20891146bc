// The C interface's linker, and what belongs to no handle.
#include "bpflink/linker.hpp"

#include <algorithm>
#include <vector>

#include "linker/interfaces/c/support.hpp"
#include "linker/options/command_line.hpp"
#include "linker/text/render.hpp"

using namespace bpflink;
using namespace bpflink::c_api;

struct bpflink_linker {
  Linker linker;
  Arrays arrays = {};
  std::vector<const char*> files = {};
  std::optional<bpflink_link_report> report = {};
};

namespace {

bpflink_location location_for_c(const DiagnosticLocation* place) {
  return {.object = place->object.c_str(),
          .section = place->section.c_str(),
          .offset = place->offset,
          .source = place->source.c_str(),
          .line = place->line,
          .column = place->column,
          .text = place->text.c_str()};
}

/// Hands a diagnostic to C for the time of the call.
void deliver(bpflink_diagnostic_fn on_diagnostic, void* context, const Diagnostic& diagnostic) {
  std::vector<std::string> lines = detail_lines(diagnostic);
  std::vector<const char*> details(lines.size());
  std::ranges::transform(lines, details.begin(), [](const auto& line) { return line.c_str(); });
  Arrays arrays;
  bpflink_diagnostic delivered{.severity = static_cast<bpflink_severity>(diagnostic.severity),
                               .code = static_cast<bpflink_diagnostic_code>(diagnostic.code),
                               .message = diagnostic.message.c_str(),
                               .details = details.data(),
                               .detail_count = details.size(),
                               .file = diagnostic.file.c_str(),
                               .symbol = diagnostic.symbol.c_str(),
                               .locations = arrays.keep(places_of(diagnostic), location_for_c),
                               .source = &diagnostic};
  on_diagnostic(context, &delivered);
}

std::expected<LinkCommand, Error> options_from_c(const char* const* options, size_t count) {
  if (count != 0 && !options) return fail("the options are null, but their count is {}", count);
  std::vector<std::string> texts;
  for (const char* option : std::span(options, count)) {
    if (!option) return fail("option {} is null", texts.size());
    texts.emplace_back(option);
  }
  return parse_library_options(texts);
}

/// Describes the last link.
void describe_link(bpflink_linker& linker) {
  linker.report.reset();
  linker.arrays = {};
  const LinkReport& report = linker.linker.report();
  if (report.passes.empty()) return;
  linker.files.clear();
  for (const std::string& file : report.files) linker.files.push_back(file.c_str());
  linker.report = {.objects = report.objects,
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
                   .files = linker.files.data(),
                   .file_count = linker.files.size(),
                   .passes = linker.arrays.keep(report.passes, [](const auto& pass) {
                     return bpflink_pass{.name = pass.first.c_str(), .seconds = pass.second};
                   })};
}

/// Does `add` to the linker of a handle.
template <typename Add>
bpflink_status add_input(bpflink_linker* linker, Add add) {
  return guarded([&] {
    add(linker->linker);
    return BPFLINK_OK;
  });
}

/// Links by `link`, whose result is false on failure and otherwise goes to `give`.
template <typename Link, typename Give>
bpflink_status link_to(bpflink_linker* linker, Link link, Give give) {
  return guarded([&] {
    auto result = link(linker->linker);
    describe_link(*linker);
    if (result) return give(result);
    return linker->linker.ran_out_of_memory() ? BPFLINK_ERROR_MEMORY : BPFLINK_ERROR_LINK;
  });
}

bpflink_status give_nothing(bool) {
  return BPFLINK_OK;
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

char* bpflink_diagnostic_render(const bpflink_diagnostic* diagnostic, const char* program,
                                uint32_t color) {
  if (!diagnostic || !diagnostic->source || !program || color > 1) return nullptr;
  const auto& source = *static_cast<const Diagnostic*>(diagnostic->source);
  return give_text([&] { return render(source, {.program = program, .color = color == 1}); });
}

bpflink_status bpflink_linker_new(const char* const* options, size_t option_count,
                                  bpflink_diagnostic_fn on_diagnostic, void* context,
                                  bpflink_linker** linker, char** error) {
  if (error) *error = nullptr;
  if (!linker) return BPFLINK_ERROR_ARGUMENT;
  *linker = nullptr;
  return guarded([&] {
    auto parsed = options_from_c(options, option_count);
    if (!parsed) return give_reason(parsed.error(), error, BPFLINK_ERROR_ARGUMENT);
    Linker::DiagnosticHandler handler;
    if (on_diagnostic)
      handler = [=, command = *parsed](const Diagnostic& diagnostic) {
        if (command.wants(diagnostic)) deliver(on_diagnostic, context, diagnostic);
      };
    *linker = new bpflink_linker{Linker(std::move(parsed->link), std::move(handler))};
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
  return link_to(
      linker, [&](Linker& from) { return from.link_to_file(path); }, give_nothing);
}

bpflink_status bpflink_linker_link_to_fd(bpflink_linker* linker, int fd) {
  if (!linker || fd < 0) return BPFLINK_ERROR_ARGUMENT;
  return link_to(
      linker, [&](Linker& from) { return from.link_to_fd(fd); }, give_nothing);
}

bpflink_status bpflink_linker_link_to_memory(bpflink_linker* linker, void** image, size_t* size) {
  if (!image || !size) return BPFLINK_ERROR_ARGUMENT;
  *image = nullptr;
  *size = 0;
  if (!linker) return BPFLINK_ERROR_ARGUMENT;
  return link_to(
      linker, [](Linker& from) { return from.link_to_memory(); },
      [&](const auto& bytes) { return give_bytes(*bytes, image, size); });
}

const bpflink_link_report* bpflink_linker_report(const bpflink_linker* linker) {
  return linker && linker->report ? &*linker->report : nullptr;
}

}  // extern "C"
