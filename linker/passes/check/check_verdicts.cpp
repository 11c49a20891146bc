// Pass: warn about what no loader or kernel takes of the output (verdicts/), at the places of the
// inputs that it is from.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "linker/facts/license.hpp"
#include "linker/files/symbols_by_place.hpp"
#include "linker/program/object_contents.hpp"
#include "linker/state/context.hpp"
#include "linker/text/locations.hpp"
#include "linker/verdicts/verdict.hpp"

namespace bpflink {
namespace {

constexpr size_t max_places = 3;  ///< how many a message lists

/// Where the bytes of the output's sections are from.
class Origins {
 public:
  explicit Origins(const Context& context) {
    for (const auto& section : context.sections)
      for (const InputSection* member : section->members)
        for (const Fragment& fragment : member->fragments)
          if (fragment.live) runs_.push_back({section->index, member, &fragment});
    std::ranges::sort(runs_, {}, &Run::place);
  }

  /// The place in an input; none for what the link made.
  InputPlace find(const InsnPlace& place) const {
    auto next =
        std::ranges::upper_bound(runs_, std::pair(place.section, place.offset), {}, &Run::place);
    if (next == runs_.begin()) return {};
    const auto& [section, member, fragment] = *std::prev(next);
    const uint64_t at = place.offset - fragment->output_offset;
    if (section != place.section || at >= fragment->end - fragment->begin) return {};
    return {member, static_cast<int64_t>(fragment->begin + at)};
  }

 private:
  struct Run {
    uint32_t section;
    const InputSection* member;
    const Fragment* fragment;

    std::pair<uint32_t, uint64_t> place() const { return {section, fragment->output_offset}; }
  };
  std::vector<Run> runs_;
};

class Reporter {
 public:
  Reporter(Context& context, const CoreObject& object) : context_(context), object_(object) {}

  void report(const Verdict& verdict) {
    // Nobody loads the code of a library alone, nor what a final link has not called.
    std::vector<InsnPlace> places = verdict.places;
    if (verdict.by == RefusedBy::Verifiers) {
      std::erase_if(places, [&](const InsnPlace& place) { return !is_loaded(place); });
      if (places.empty() && !verdict.places.empty()) return;
    }
    if (verdict.is_of_symbol) places.clear();
    const auto symbols = std::span(verdict.symbols);
    std::vector<DiagnosticReference> references;
    for (size_t i = 0; i < std::min(places.size(), max_places); ++i) {
      std::string_view name = symbols.size() == places.size() ? symbols[i] : "";
      DiagnosticLocation location = location_of_output(places[i], name);
      bool is_same_line = i != 0 && location.line != 0 &&
                          location.line == references.back().location.line &&
                          location.source == references.back().location.source;
      if (!is_same_line) references.push_back({ReferenceRole::Occurrence, std::move(location), ""});
    }
    add_more(references, ReferenceRole::Occurrence, places.size(), max_places);
    for (std::string_view name : symbols.first(std::min(symbols.size(), max_places)))
      if (const Symbol* symbol = context_.symbols.find(name); symbol && symbol->is_defined)
        references.push_back(reference_to(*symbol->file, symbol->input()));
    add_more(references, ReferenceRole::Definition, symbols.size(), max_places);
    const bool has_option = verdict.advice == gpl_advice && context_.options.hint_at_options;
    if (!verdict.advice.empty())
      references.push_back(hint(verdict.advice + (has_option ? " or --license GPL" : "")));
    context_.diagnostics.warning(message_of(verdict), std::move(references),
                                 verdict.by == RefusedBy::Verifiers ? DiagnosticCode::NotLoadable
                                                                    : DiagnosticCode::NotOpenable,
                                 {.symbol = symbols.empty() ? verdict.name : symbols.front()});
  }

 private:
  static std::string message_of(const Verdict& verdict) {
    std::string message = verdict.what;
    if (verdict.by == RefusedBy::Libbpf)
      message = "libbpf refuses " + message;
    else if (!verdict.lacks.empty())
      message = verdict.is_in_no_kernel() ? "no kernel takes " + message
                                          : fmt::format("{} came with {}", verdict.lacks,
                                                        linux_name(verdict.brought.since));
    if (verdict.symbols.empty()) return message;
    const std::string_view name = verdict.symbols.front();
    for (std::string_view thing : {"map ", "function "})
      if (size_t noun = message.find(thing); noun != message.npos)
        if (size_t at = noun + thing.size(); find_word(message, name, at) == at)
          return message.insert(at + name.size(), "'").insert(at, "'");
    return message;
  }

  bool is_loaded(const InsnPlace& place) const {
    const uint32_t function =
        object_.graph->find_function(place.section, static_cast<int64_t>(place.offset));
    return function != no_function && object_.graph->is_loaded[function];
  }

  DiagnosticLocation location_of_output(const InsnPlace& place, std::string_view name) {
    if (!origins_) origins_.emplace(context_);
    auto [section, offset] = origins_->find(place);
    if (!section) {  // the link made it
      section = &object_.file().sections[place.section];
      offset = static_cast<int64_t>(place.offset);
    }
    const auto at = static_cast<uint64_t>(offset);
    const InputSymbol* variable =
        section->is_code() ? nullptr : section->file->by_place().find_variable(section->index, at);
    return variable ? location_of(*section->file, *variable)
                    : location_of(*section->file, *section, at, name);
  }

  Context& context_;
  const CoreObject& object_;
  std::optional<Origins> origins_;
};

}  // namespace

void check_verdicts(Context& context) {
  CoreObject core(context.written->name, ObjectAccess::view(context.written));
  core.analyze_code();
  Reporter reporter(context, core);
  for (const Verdict& verdict : judge(core, ToldBy::Link, context.options.for_rustc))
    reporter.report(verdict);
}

}  // namespace bpflink
