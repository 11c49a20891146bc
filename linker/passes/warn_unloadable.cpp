// Pass: warn of inputs that link but will not load, because they are empty or have no types, and of
// options without effect.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "linker/context.hpp"

namespace bpflink {
namespace {

void warn_missing_types(Context& context) {
  bool is_any_typed = false, is_reported = false, has_code = false;
  for (auto& object : context.objects) {
    is_any_typed |= object->btf.has_value();
    for (const InputSection& section : object->linked_sections()) {
      has_code |= section.is_code() && section.size != 0;
      if (section.role != SectionRole::Maps || object->btf) continue;
      is_reported = true;
      context.diagnostics.report(
          {.severity = Severity::Warning,
           .message = fmt::format("{}: defines maps but has no BTF to describe them", object->name),
           .file = object->name,
           .references = {hint("compile with -g")}});
    }
  }
  if (!is_any_typed && !is_reported && has_code)
    context.diagnostics.warning("no input has BTF", {hint("compile with -g")});
}

void warn_empty_objects(Context& context) {
  for (auto& object : context.objects) {
    bool has_contents = std::ranges::any_of(object->linked_sections(),
                                            [](const InputSection& s) { return s.size != 0; });
    bool has_symbols =
        std::ranges::any_of(object->symbols, [](const InputSymbol& s) { return !s.is_local(); });
    if (has_contents || has_symbols) continue;
    context.diagnostics.report({.severity = Severity::Warning,
                                .message = fmt::format("{}: has nothing to link", object->name),
                                .file = object->name,
                                .references = {hint("did an #if exclude the whole source file?")}});
  }
}

void warn_idle_options(Context& context) {
  for (const std::string& name : context.options.trace_symbols)
    if (!context.symbols.find(name))
      context.diagnostics.warning(fmt::format("-y {}: no input has a symbol of this name", name));
  for (const std::string& pattern : context.options.keep_sections) {
    auto matches = [&](const InputSection& section) {
      return ::fnmatch(pattern.c_str(), std::string(section.name).c_str(), 0) == 0;
    };
    bool is_met = std::ranges::any_of(context.objects, [&](auto& object) {
      return std::ranges::any_of(object->linked_sections(), matches);
    });
    if (!is_met)
      context.diagnostics.warning(
          fmt::format("--keep-section {}: no section of an input matches", pattern));
  }
}

}  // namespace

void warn_unloadable(Context& context) {
  warn_missing_types(context);
  warn_empty_objects(context);
  warn_idle_options(context);
}

}  // namespace bpflink
