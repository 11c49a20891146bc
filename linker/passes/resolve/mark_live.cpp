// Pass: find what the output needs.
//
// Without --gc-sections everything is live except losers, and code metadata of losers
// (code_metadata.hpp). With it, only fragments are live that are reached from the roots
// (gc_roots.hpp) or from callbacks that tags name. The walk follows references from fragment to
// fragment, with a worklist instead of recursion.
//
// Then symbols are marked. A definition is in the output if its bytes are. An extern is in the
// output if live code refers to it and the loader or a later link may provide it.
#include <fmt/format.h>

#include <algorithm>

#include "bpflink/btf_query.hpp"
#include "dedup/for_linker.hpp"
#include "linker/files/code_metadata.hpp"
#include "linker/files/references.hpp"
#include "linker/report/report_files.hpp"
#include "linker/report/reports.hpp"
#include "linker/state/context.hpp"
#include "linker/state/gc_roots.hpp"
#include "linker/types/map_definition.hpp"

namespace bpflink {
namespace {

class Marker {
 public:
  explicit Marker(Context& context) : context_(context) {}

  void run() {
    for (auto& object : context_.objects) begin(*object);
    const LinkOptions& options = context_.options;
    if (options.gc_sections || shows_model(options) || !options.explain.empty()) note_references();
    if (options.gc_sections) mark_roots();
    follow();
    for (const NamedMap& map : named_maps_) keep(map);
    follow();
    if (context_.options.gc_sections) report();
  }

 private:
  /// A map that stays because of its name or definition.
  struct NamedMap {
    InputSection* section;
    const InputSymbol* symbol;
    std::string_view reason;
  };

  /// Marks what live fragments lead to.
  void follow() {
    while (!pending_.empty()) {
      auto [section, fragment] = pending_.back();
      pending_.pop_back();
      if (!section->is_loaded() && !section->is_code_metadata()) continue;
      for_each_reference_from(*section, fragment->begin, fragment->end,
                              [&](const Reference& reference) {
                                if (section->is_code()) note_jump_table(*section, reference.to);
                                mark(definition_of(reference.to));
                              });
      mark_entries(*section, *fragment);
    }
  }

  /// Collectable fragments start dead: all with --gc-sections, otherwise only code metadata.
  void begin(ObjectFile& object) {
    bool has_tables =
        std::ranges::any_of(object.linked_sections(),
                            [](const InputSection& section) { return section.is_code_metadata(); });
    if (!has_tables && !context_.options.gc_sections) return;
    for (InputSection& section : object.linked_sections()) {
      bool is_candidate = context_.options.gc_sections || section.is_code_metadata();
      for (Fragment& fragment : section.fragments) {
        if (!fragment.live) continue;
        fragment.live = !is_candidate;
        fragment.is_candidate = is_candidate;
        if (!is_candidate) pending_.emplace_back(&section, &fragment);
      }
      if (section.role == SectionRole::Cleanups || section.role == SectionRole::Frames)
        index_entries(object, section);
    }
  }

  /// An entry is about the code that its first relocation points to.
  void index_entries(ObjectFile& object, InputSection& section) {
    for (Fragment& fragment : section.fragments) {
      auto relocation = section.first_relocation(fragment.begin);
      if (relocation == section.relocations.end()) return;
      if (relocation->offset >= fragment.end || lost_resolution(object, relocation->symbol))
        continue;
      auto [code, offset] = target_of(object, *relocation).place;
      if (!code || !code->is_linked() || code->fragments.empty()) continue;
      entries_.emplace(&fragment_at(*code, offset), std::pair(&section, &fragment));
    }
  }

  /// Marks the entries about a fragment, and the targets of an entry that have no relocation.
  void mark_entries(InputSection& section, Fragment& fragment) {
    auto [begin, end] = entries_.equal_range(&fragment);
    for (auto entry = begin; entry != end; ++entry)
      mark(*entry->second.first, *entry->second.second);
    if (auto cie = find_cie(section, fragment)) mark({&section, static_cast<int64_t>(cie->cie)});
    if (section.role != SectionRole::JumpTables) return;
    auto code = context_.code_of_jump_tables.find(&fragment);
    if (code == context_.code_of_jump_tables.end()) return;
    for_each_plain_offset(section, fragment, [&](uint64_t, uint64_t offset) {
      mark({&section.file->sections[code->second->index], static_cast<int64_t>(offset)});
    });
  }

  /// Records which code section a jump table's offsets point into: there can be only one.
  void note_jump_table(const InputSection& code, const Target& target) {
    auto [section, offset] = target.place;
    if (target.global() || !section || section->role != SectionRole::JumpTables ||
        !section->is_linked())
      return;
    const Fragment& table = fragment_at(*section, offset);
    auto [known, is_new] = context_.code_of_jump_tables.try_emplace(&table, &code);
    if (is_new || known->second == &code) return;
    const ObjectFile& object = *code.file;
    context_.diagnostics.error(
        fmt::format("{}: the jump table is used by code of two sections",
                    object.describe_place(*section, table.begin)),
        {note(fmt::format("'{}' and '{}': its offsets may be relative to either",
                          known->second->name, code.name))});
  }

  /// Finds what code or data refers to, for gc_root_reason().
  void note_references() {
    for (auto& object : context_.objects)
      for (const InputSection& section : object->linked_sections()) {
        if (!section.is_loaded()) continue;
        for (const Relocation& relocation : section.relocations) {
          InputPlace to = definition_of(target_of(*object, relocation));
          if (!to.section || !to.section->is_linked()) continue;
          InputSection& target = to.section->file->sections[to.section->index];
          fragment_at(target, to.offset).is_referenced = true;
        }
      }
  }

  void mark_roots() {
    for (auto& object : context_.objects) {
      for (InputSection& section : object->linked_sections())
        if (!gc_root_reason(section, context_.options).empty())
          for (Fragment& fragment : section.fragments) mark(section, fragment);
      for (uint32_t i = 1; i < object->symbols.size(); ++i) {
        const InputSymbol& symbol = object->symbols[i];
        if (!symbol.is_in_section() || lost_resolution(*object, i)) continue;
        InputSection& section = object->sections[symbol.section];
        std::string_view reason = gc_root_reason(symbol, symbol.global, section, context_.options);
        if (reason.empty()) continue;
        if (section.role == SectionRole::Maps && section.is_linked())
          named_maps_.push_back({&section, &symbol, reason});
        else
          mark({&section, static_cast<int64_t>(symbol.value)});
      }
      for_each_tagged_callback(*object, [&](std::string_view name, uint32_t) {
        if (Symbol* symbol = context_.symbols.find(name)) mark(symbol->place());
      });
    }
  }

  /// Marks a map that nothing need refer to. With --gc-maps, reports it if nothing does.
  void keep(const NamedMap& map) {
    Fragment& fragment = fragment_at(*map.section, static_cast<int64_t>(map.symbol->value));
    if (fragment.live) return;
    mark(*map.section, fragment);
    if (!context_.options.gc_maps) return;
    std::string text = fmt::format("keeping map {}: {}", map.symbol->name, map.reason);
    if (uint64_t memory = memory_of(*map.symbol))
      text += fmt::format(", up to {} of memory", count_of(memory, "byte"));
    context_.diagnostics.note(std::move(text), {}, DiagnosticCode::Dropped,
                              {.symbol = map.symbol->name});
  }

  void mark(InputPlace place) {
    if (!place.section || !place.section->is_linked()) return;
    InputSection& section = place.section->file->sections[place.section->index];
    mark(section, fragment_at(section, place.offset));
  }

  void mark(InputSection& section, Fragment& fragment) {
    if (fragment.live || !fragment.is_candidate) return;
    fragment.live = true;
    pending_.emplace_back(&section, &fragment);
  }

  void report() {
    uint64_t bytes = 0, memory = 0;
    auto drop = [&](const InputSection& section, uint64_t offset, uint64_t size,
                    std::string_view name, uint64_t memory_of_map) {
      const DroppedPart& dropped = context_.dropped.emplace_back(dropped_part(
          *section.file, section.name, offset, name, size, "not reached from any root"));
      std::string text = fmt::format("removing unused {}", dropped.place);
      if (memory_of_map != 0)
        text += fmt::format(": up to {} of memory", count_of(memory_of_map, "byte"));
      context_.diagnostics.note(std::move(text), {}, DiagnosticCode::Dropped,
                                {.file = section.file->name, .symbol = name});
      bytes += size;
      memory += memory_of_map;
    };
    for (auto& object : context_.objects)
      for (uint32_t i = 1; i < object->symbols.size(); ++i) {
        const InputSymbol& symbol = object->symbols[i];
        if (!symbol.is_in_section() || symbol.is_section() || symbol.name.empty() ||
            lost_resolution(*object, i))
          continue;
        InputSection& section = object->sections[symbol.section];
        if (!section.is_linked() || (symbol.type != STT_FUNC && symbol.type != STT_OBJECT))
          continue;
        const Fragment& fragment = fragment_at(section, static_cast<int64_t>(symbol.value));
        if (!fragment.live && fragment.is_candidate)
          drop(section, symbol.value, symbol.size, symbol.name, memory_of(symbol));
      }
    for (auto& object : context_.objects)
      for (InputSection& section : object->linked_sections())
        if (section.is_code_metadata() && section.role != SectionRole::JumpTables)
          for (const Fragment& fragment : section.fragments)
            if (fragment.is_candidate && !fragment.live)
              drop(section, fragment.begin, fragment.end - fragment.begin, "", 0);
    std::string text = fmt::format("removed {} of {}", count_of(bytes, "byte"),
                                   count_of(context_.dropped.size(), "unused definition"));
    if (memory != 0)
      text += fmt::format(", with maps of up to {} of memory", count_of(memory, "byte"));
    context_.diagnostics.note(std::move(text), {}, DiagnosticCode::Dropped);
  }

  /// The bytes of a full map; 0 for other definitions.
  static uint64_t memory_of(const InputSymbol& symbol) {
    if (!symbol.global || symbol.global->place().section->role != SectionRole::Maps) return 0;
    uint32_t type = symbol.global->variable_type();
    if (type == 0) return 0;
    const BtfView& types = *symbol.global->btf_file->btf;
    uint32_t definition = skip_modifiers(types, type);
    Map map;
    if (types.kind(definition) == BtfKind::Struct) read_map_definition(types, definition, map);
    return full_map_bytes(map);
  }

  Context& context_;
  /// The entries about a fragment of code, each with its section.
  std::unordered_multimap<const Fragment*, std::pair<InputSection*, Fragment*>> entries_;
  std::vector<std::pair<InputSection*, Fragment*>> pending_;
  std::vector<NamedMap> named_maps_;
};

/// Marks the externs that live code refers to.
void mark_referenced_externs(Context& context) {
  for (auto& object : context.objects)
    for (InputSection& section : object->linked_sections()) {
      if (!section.is_loaded()) continue;
      for (const Relocation& relocation : section.relocations) {
        Symbol* symbol = object->symbols[relocation.symbol].global;
        if (symbol && !symbol->is_defined && is_live(section, relocation.offset))
          symbol->in_output = true;
      }
    }
}

bool is_live_definition(const Symbol& symbol) {
  auto [section, offset] = symbol.place();
  if (!section) return true;
  if (section->same_as) return false;  // the kept section has its own symbol
  return section->is_linked() && fragment_at(*section, offset).live;
}

/// Whether only its own object can refer to the symbol. User space can refer to maps.
bool may_be_local(const Symbol& symbol) {
  if (symbol.visibility != STV_HIDDEN && symbol.visibility != STV_INTERNAL) return false;
  const InputSection* section = symbol.place().section;
  return section && section->role != SectionRole::Maps;
}

}  // namespace

void mark_live(Context& context) {
  Marker(context).run();
  mark_referenced_externs(context);
  for (Symbol* symbol : context.symbols.all()) {
    if (symbol->is_defined) {
      symbol->in_output = is_live_definition(*symbol);
      symbol->is_localized = context.options.localize_hidden && may_be_local(*symbol);
    } else if (context.options.partial ||
               (!context.options.gc_sections && !symbol->loader_section.empty())) {
      symbol->in_output = true;
    }
  }
}

}  // namespace bpflink
