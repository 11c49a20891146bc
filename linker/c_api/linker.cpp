// The C interface's linker, and what belongs to no handle.
#include "bpflink/linker.hpp"

#include <algorithm>
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

bpflink_location location_for_c(const DiagnosticLocation& location) {
  return {location.object.c_str(), location.section.c_str(),
          location.offset,         location.source.c_str(),
          location.line,           location.column};
}

/// Hands a diagnostic to C for the time of the call.
void deliver(const bpflink_link_options& options, const Diagnostic& diagnostic) {
  std::vector<std::string> lines = detail_lines(diagnostic);
  std::vector<const char*> details(lines.size());
  std::ranges::transform(lines, details.begin(), [](const auto& line) { return line.c_str(); });
  const std::vector<const DiagnosticLocation*> places = places_of(diagnostic);
  std::vector<bpflink_location> locations;
  locations.reserve(places.size());
  std::vector<const char*> texts;
  texts.reserve(places.size());
  for (const DiagnosticLocation* location : places) {
    locations.push_back(location_for_c(*location));
    texts.push_back(location->text.c_str());
  }
  bpflink_diagnostic for_c{sizeof for_c,
                           static_cast<bpflink_severity>(diagnostic.severity),
                           static_cast<bpflink_diagnostic_code>(diagnostic.code),
                           diagnostic.message.c_str(),
                           details.data(),
                           details.size(),
                           diagnostic.file.c_str(),
                           diagnostic.symbol.c_str(),
                           locations.data(),
                           locations.size(),
                           texts.data()};
  options.on_diagnostic(options.context, &for_c);
}

constexpr uint64_t known_flags = 2 * BPFLINK_LINK_PRUNE_TYPES - 1;

bool is_valid_list(const char* const* strings, size_t count) {
  return count == 0 ||
         (strings && std::all_of(strings, strings + count, [](const char* s) { return s; }));
}

bool is_valid(const bpflink_link_options& options) {
  return (options.flags & ~known_flags) == 0 &&
         is_valid_list(options.undefined, options.undefined_count) &&
         is_valid_list(options.keep_sections, options.keep_section_count) &&
         is_valid_list(options.trace_symbols, options.trace_symbol_count) &&
         is_valid_list(options.library_paths, options.library_path_count) &&
         is_valid_list(options.redefine_symbols, options.redefine_symbol_count) &&
         is_valid_list(options.prefix_symbols_of, options.prefix_symbols_of_count);
}

/// Takes the pairs of names that `parse` reads. Returns whether all are pairs.
template <typename Parse>
bool take_pairs(const char* const* texts, size_t count, Parse parse,
                std::vector<std::pair<std::string, std::string>>& pairs) {
  for (size_t i = 0; i < count; ++i) {
    auto pair = parse(texts[i]);
    if (!pair) return false;
    pairs.push_back(std::move(*pair));
  }
  return true;
}

/// Nothing where a name is missing.
std::optional<LinkOptions> options_from_c(const bpflink_link_options& options) {
  LinkOptions result;
  result.partial = options.flags & BPFLINK_LINK_PARTIAL;
  result.gc_sections = options.flags & BPFLINK_LINK_GC_SECTIONS;
  result.localize_hidden = options.flags & BPFLINK_LINK_LOCALIZE_HIDDEN;
  result.keep_debug = options.flags & BPFLINK_LINK_KEEP_DEBUG;
  result.discard_locals = options.flags & BPFLINK_LINK_DISCARD_LOCALS;
  result.strip_line_info = options.flags & BPFLINK_LINK_STRIP_LINE_INFO;
  result.prune_types = options.flags & BPFLINK_LINK_PRUNE_TYPES;
  result.check_types = !(options.flags & BPFLINK_LINK_NO_CHECK_TYPES);
  result.warn_odr = !(options.flags & BPFLINK_LINK_NO_WARN_ODR);
  result.fatal_warnings = options.flags & BPFLINK_LINK_FATAL_WARNINGS;
  result.verify = options.flags & BPFLINK_LINK_VERIFY;
  result.threads = static_cast<unsigned>(std::min<size_t>(options.threads, UINT_MAX));
  if (options.license) result.license = options.license;
  result.undefined.assign(options.undefined, options.undefined + options.undefined_count);
  result.keep_sections.assign(options.keep_sections,
                              options.keep_sections + options.keep_section_count);
  result.trace_symbols.assign(options.trace_symbols,
                              options.trace_symbols + options.trace_symbol_count);
  result.library_paths.assign(options.library_paths,
                              options.library_paths + options.library_path_count);
  if (options.prefix_symbols) result.prefix_symbols = options.prefix_symbols;
  if (!take_pairs(options.redefine_symbols, options.redefine_symbol_count, parse_redefinition,
                  result.redefine_symbols) ||
      !take_pairs(options.prefix_symbols_of, options.prefix_symbols_of_count, parse_prefix,
                  result.prefix_symbols_of))
    return std::nullopt;
  return result;
}

bpflink_status status_of_link(bool linked) {
  return linked ? BPFLINK_OK : BPFLINK_ERROR_LINK;
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

bpflink_status bpflink_linker_new(const bpflink_link_options* options, bpflink_linker** linker) {
  if (!linker) return BPFLINK_ERROR_ARGUMENT;
  *linker = nullptr;
  auto known = read_options(options, bpflink_link_options BPFLINK_LINK_OPTIONS_INIT);
  if (!known || !is_valid(*known)) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    auto link_options = options_from_c(*known);
    if (!link_options) return BPFLINK_ERROR_ARGUMENT;
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
  return guarded([&] {
    linker->linker.add_file(path);
    return BPFLINK_OK;
  });
}

bpflink_status bpflink_linker_add_library(bpflink_linker* linker, const char* name) {
  if (!linker || !name) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    linker->linker.add_library(name);
    return BPFLINK_OK;
  });
}

bpflink_status bpflink_linker_add_whole_archive(bpflink_linker* linker, const char* path) {
  if (!linker || !path) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    linker->linker.add_whole_archive(path);
    return BPFLINK_OK;
  });
}

bpflink_status bpflink_linker_add_fd(bpflink_linker* linker, int fd, const char* name) {
  if (!linker || fd < 0) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    linker->linker.add_fd(fd, name ? name : "");
    return BPFLINK_OK;
  });
}

bpflink_status bpflink_linker_add_memory(bpflink_linker* linker, const char* name,
                                         const void* image, size_t size) {
  if (!linker || !name || (!image && size != 0)) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    linker->linker.add_memory(name, {static_cast<const std::byte*>(image), size});
    return BPFLINK_OK;
  });
}

bpflink_status bpflink_linker_link_to_file(bpflink_linker* linker, const char* path) {
  if (!linker || !path) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] { return status_of_link(linker->linker.link_to_file(path)); });
}

bpflink_status bpflink_linker_link_to_fd(bpflink_linker* linker, int fd) {
  if (!linker || fd < 0) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] { return status_of_link(linker->linker.link_to_fd(fd)); });
}

bpflink_status bpflink_linker_link_to_memory(bpflink_linker* linker, void** image, size_t* size) {
  if (!linker || !image || !size) return BPFLINK_ERROR_ARGUMENT;
  *image = nullptr;
  *size = 0;
  return guarded([&] {
    auto bytes = linker->linker.link_to_memory();
    return bytes ? give_bytes(*bytes, image, size) : BPFLINK_ERROR_LINK;
  });
}

}  // extern "C"
