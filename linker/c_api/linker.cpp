// The C interface's linker, and what belongs to no handle.
#include "bpflink/linker.hpp"

#include <algorithm>
#include <charconv>
#include <climits>
#include <tuple>
#include <vector>

#include "linker/c_api/support.hpp"
#include "linker/diagnostics/render.hpp"
#include "linker/elf/renaming.hpp"

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
void deliver(const bpflink_link_options& options, const Diagnostic& diagnostic) {
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
  options.on_diagnostic(options.context, &delivered);
}

/// Null for a struct that the caller made and filled with zeros.
const DiagnosticSource* source_of(const bpflink_diagnostic* diagnostic) {
  bool has_source = diagnostic && diagnostic->size >= sizeof *diagnostic;
  return has_source ? static_cast<const DiagnosticSource*>(diagnostic->source) : nullptr;
}

constexpr uint64_t known_flags = 2 * BPFLINK_LINK_KERNEL_NAMES - 1;

/// Adds the pairs of names that `parse` reads. An error if an option's text is not `form`.
template <typename Parse>
std::expected<void, Error> add_pairs(std::string_view option, std::string_view form,
                                     const std::vector<std::string>& texts, Parse parse,
                                     std::vector<std::pair<std::string, std::string>>& pairs) {
  for (const std::string& text : texts) {
    auto pair = parse(text);
    if (!pair) return fail("{}[{}] is '{}', not {}", option, pairs.size(), text, form);
    pairs.push_back(std::move(*pair));
  }
  return {};
}

/// Errors name the option that is invalid.
std::expected<LinkOptions, Error> options_from_c(const bpflink_link_options& options) {
  if (uint64_t unknown = options.flags & ~known_flags)
    return fail("flags has unknown bits: {:#x}", unknown);
  LinkOptions result;
  for (auto [flag, option] : {std::pair{BPFLINK_LINK_PARTIAL, &LinkOptions::partial},
                              {BPFLINK_LINK_GC_SECTIONS, &LinkOptions::gc_sections},
                              {BPFLINK_LINK_LOCALIZE_HIDDEN, &LinkOptions::localize_hidden},
                              {BPFLINK_LINK_KEEP_DEBUG, &LinkOptions::keep_debug},
                              {BPFLINK_LINK_DISCARD_LOCALS, &LinkOptions::discard_locals},
                              {BPFLINK_LINK_STRIP_LINE_INFO, &LinkOptions::strip_line_info},
                              {BPFLINK_LINK_CLASSIC_HEADER, &LinkOptions::classic_header},
                              {BPFLINK_LINK_PRUNE_TYPES, &LinkOptions::prune_types},
                              {BPFLINK_LINK_KERNEL_NAMES, &LinkOptions::kernel_names},
                              {BPFLINK_LINK_FATAL_WARNINGS, &LinkOptions::fatal_warnings},
                              {BPFLINK_LINK_VERIFY, &LinkOptions::verify},
                              {BPFLINK_LINK_HINT_AT_OPTIONS, &LinkOptions::hint_at_options},
                              {BPFLINK_LINK_GC_CONSTANTS, &LinkOptions::gc_constants},
                              {BPFLINK_LINK_GC_MAPS, &LinkOptions::gc_maps},
                              {BPFLINK_LINK_MUST_OPEN, &LinkOptions::must_open},
                              {BPFLINK_LINK_FAT_LTO, &LinkOptions::fat_lto},
                              {BPFLINK_LINK_SAVE_TEMPS, &LinkOptions::lto_save_temps},
                              {BPFLINK_LINK_LTO_EMIT_ASM, &LinkOptions::lto_emit_assembly},
                              {BPFLINK_LINK_REPORT, &LinkOptions::report}})
    result.*option = options.flags & flag;
  result.check_types = !(options.flags & BPFLINK_LINK_NO_CHECK_TYPES);
  result.check_pointers = !(options.flags & BPFLINK_LINK_NO_CHECK_POINTERS);
  result.warn_odr = !(options.flags & BPFLINK_LINK_NO_WARN_ODR);
  result.print_sizes = static_cast<unsigned>(std::min<size_t>(options.print_sizes, UINT_MAX));
  result.threads = static_cast<unsigned>(std::min<size_t>(options.threads, UINT_MAX));
  if (options.license) result.license = options.license;
  for (auto [from, to] : {std::pair{options.prefix_symbols, &result.prefix_symbols},
                          {options.map_file, &result.map_file},
                          {options.dependency_file, &result.dependency_file},
                          {options.json_file, &result.json_file},
                          {options.size_map_file, &result.size_map_file},
                          {options.size_map_against, &result.size_map_against},
                          {options.lto_cpu, &result.lto_cpu},
                          {options.lto_library, &result.lto_library}})
    if (from) *to = from;
  if (options.lto_level) {
    std::string_view level = options.lto_level;
    if (level.size() != 1 || level[0] < '0' || level[0] > '3')
      return fail("lto_level is '{}', not 0 to 3", level);
    result.lto_level = static_cast<unsigned>(level[0] - '0');
  }
  for (auto [name, text, to] : {std::tuple{"lto_timeout", options.lto_timeout, &result.lto_timeout},
                                {"lto_memory", options.lto_memory, &result.lto_memory}}) {
    if (!text) continue;
    std::string_view number = text;
    auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), *to);
    if (number.empty() || error != std::errc() || end != number.data() + number.size())
      return fail("{} is '{}', not a number", name, number);
  }
  if (options.lto_target) {
    if (std::string_view target = options.lto_target; target != "bpf")
      return fail("lto_target is '{}', not bpf", target);
    result.lto_foreign = true;
  }
  std::vector<std::string> redefined, prefixed;
  for (auto [name, texts, count, to] :
       {std::tuple{"undefined", options.undefined, options.undefined_count, &result.undefined},
        {"keep_sections", options.keep_sections, options.keep_section_count, &result.keep_sections},
        {"keep_types", options.keep_types, options.keep_type_count, &result.keep_types},
        {"trace_symbols", options.trace_symbols, options.trace_symbol_count, &result.trace_symbols},
        {"library_paths", options.library_paths, options.library_path_count, &result.library_paths},
        {"redefine_symbols", options.redefine_symbols, options.redefine_symbol_count, &redefined},
        {"prefix_symbols_of", options.prefix_symbols_of, options.prefix_symbols_of_count,
         &prefixed},
        {"explain", options.explain, options.explain_count, &result.explain}}) {
    if (auto ok = check_list(name, texts, count); !ok) return std::unexpected(ok.error());
    to->assign(texts, texts + count);
  }
  auto ok = add_pairs("redefine_symbols", "OLD=NEW", redefined, parse_redefinition,
                      result.redefine_symbols);
  if (ok)
    ok = add_pairs("prefix_symbols_of", "INPUT=PREFIX", prefixed, parse_prefix,
                   result.prefix_symbols_of);
  if (!ok) return std::unexpected(ok.error());
  return result;
}

/// Tells the caller which option is invalid.
void refuse(const bpflink_link_options& options, const Error& error) {
  bool has_handler = options.size >= offsetof(bpflink_link_options, flags);
  if (has_handler && options.on_diagnostic)
    deliver(options, {.message = "bpflink_link_options: " + error.message});
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

bpflink_status bpflink_linker_new(const bpflink_link_options* options, bpflink_linker** linker) {
  if (!linker) return BPFLINK_ERROR_ARGUMENT;
  *linker = nullptr;
  return guarded([&] {
    auto known = read_options(options, bpflink_link_options BPFLINK_LINK_OPTIONS_INIT);
    std::expected<LinkOptions, Error> link_options =
        known ? options_from_c(*known) : std::unexpected(known.error());
    if (!link_options) {
      refuse(*options, link_options.error());
      return BPFLINK_ERROR_ARGUMENT;
    }
    Linker::DiagnosticHandler handler;
    if (known->on_diagnostic)
      handler = [options = *known](const Diagnostic& diagnostic) { deliver(options, diagnostic); };
    *linker = new bpflink_linker{Linker(std::move(*link_options), std::move(handler))};
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
