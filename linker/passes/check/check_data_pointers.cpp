// Pass: refuse pointers in variables that programs read.
//
// The link resolves such a pointer, but no loader writes its value: libbpf, cilium/ebpf and aya
// apply the relocations of code, and libbpf also those of .maps and .struct_ops. The program would
// read the addend, most often 0. A variable that no code refers to does no harm: compilers keep
// functions alive by a table of them. Code that only passes the variable's address on may not read
// it: that is a warning.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "linker/files/label_tables.hpp"
#include "linker/files/references.hpp"
#include "linker/files/symbols_by_place.hpp"
#include "linker/program/address_uses.hpp"
#include "linker/state/context.hpp"
#include "linker/text/locations.hpp"

namespace bpflink {
namespace {

/// Whether a loader takes the section's bytes for variables of programs, as they are.
bool holds_variables(const InputSection& section) {
  using enum SectionRole;
  bool is_data =
      facts_of(section.role).is_global_data || section.role == Arena || section.role == Other;
  return is_data && section.is_loaded() && !section.is_code() && !section.relocations.empty();
}

/// Whether a section has a pointer in the bytes at an offset.
bool has_pointer_at(const InputSection& data, int64_t offset, uint32_t size) {
  if (offset < 0) return false;
  auto relocation = data.first_relocation(static_cast<uint64_t>(offset));
  return relocation != data.relocations.end() &&
         relocation->offset - static_cast<uint64_t>(offset) < size;
}

/// Whether code may load a pointer through an address, `target`, which the instruction at `at` puts
/// into a register.
bool loads_pointer(const InputSection& code, uint64_t at, InputPlace target) {
  bool found = false;
  for_each_use_of_address(
      code, at, target.offset, [&](uint64_t, const Insn& insn, std::optional<int64_t> offset) {
        if (BPF_CLASS(insn.code) == BPF_LDX)
          found |=
              !offset || has_pointer_at(*target.section, *offset + insn.off, insn.access_size());
      });
  return found;
}

class PointerFinder {
 public:
  explicit PointerFinder(Context& context) : context_(context) {}

  void run() {
    for (const auto& object : context_.objects)
      for (const InputSection& section : object->linked_sections())
        if (holds_variables(section)) reads_.emplace(&section, std::vector<Read>{});
    if (reads_.empty()) return;
    for (const auto& object : context_.objects)
      for (const InputSection& section : object->linked_sections())
        if (section.is_code()) collect_reads(*object, section);
    for (auto& [section, reads] : reads_) std::ranges::sort(reads, {}, &Read::offset);
    for (const auto& object : context_.objects)
      for (const InputSection& section : object->linked_sections())
        if (auto reads = reads_.find(&section); reads != reads_.end())
          check(*object, section, reads->second);
  }

 private:
  /// A reference of live code to a variable.
  struct Read {
    uint64_t offset;  ///< in the variable's section
    const InputSection* code;
    uint64_t at;  ///< in the code
    bool loads;   ///< it may load a pointer
  };

  void collect_reads(const ObjectFile& object, const InputSection& code) {
    for (const Relocation& relocation : code.relocations) {
      if (relocation.type != R_BPF_64_64) continue;
      InputPlace place = definition_of(target_of(object, relocation));
      auto reads = reads_.find(place.section);
      if (reads == reads_.end() || place.offset < 0) continue;
      if (is_live(code, relocation.offset))
        reads->second.push_back({static_cast<uint64_t>(place.offset), &code, relocation.offset,
                                 loads_pointer(code, relocation.offset, place)});
    }
  }

  /// Whether the address is known only to the loader, or is nothing at all.
  static bool is_pointer(const ObjectFile& object, const Relocation& relocation) {
    const Target target = target_of(object, relocation);
    const Symbol* global = target.global();
    return global ? global->is_defined : target.place.section != nullptr;
  }

  void check(const ObjectFile& object, const InputSection& section,
             const std::vector<Read>& reads) {
    if (reads.empty()) return;
    uint64_t reported_end = 0;
    for (const Relocation& relocation : section.relocations) {
      const Fragment& fragment = fragment_at(section, static_cast<int64_t>(relocation.offset));
      if (relocation.offset < reported_end || !fragment.live || !is_pointer(object, relocation) ||
          points_to_label(object, relocation))  // check_verdicts() says so
        continue;
      const InputSymbol* variable =
          object.by_place().find_variable(section.index, relocation.offset);
      uint64_t begin = variable ? variable->value : fragment.begin;
      uint64_t end = variable ? begin + variable->size : fragment.end;
      auto read = std::ranges::lower_bound(reads, begin, {}, &Read::offset);
      if (read == reads.end() || read->offset >= end) continue;
      auto last = std::ranges::lower_bound(reads, end, {}, &Read::offset);
      auto load = std::find_if(read, last, [](const Read& each) { return each.loads; });
      reported_end = end;
      report(object, section, variable, relocation, load == last ? *read : *load);
    }
  }

  /// The name of what a pointer points to, or "".
  static std::string_view name_of_target(const ObjectFile& object, const Relocation& relocation) {
    const Target target = target_of(object, relocation);
    if (target.symbol) return target.symbol->name;
    const SymbolsByPlace& symbols = object.by_place();
    uint32_t section = target.place.section->index;
    auto offset = static_cast<uint64_t>(target.place.offset);
    const InputSymbol* found = symbols.find_function(section, offset);
    if (!found) found = symbols.find_variable(section, offset);
    return found ? found->name : "";
  }

  void report(const ObjectFile& object, const InputSection& section, const InputSymbol* variable,
              const Relocation& relocation, const Read& read) {
    std::string name(variable ? variable->name
                              : fmt::format("{}+{:#x}", section.name, relocation.offset));
    std::string_view target = name_of_target(object, relocation);
    std::vector<DiagnosticReference> references;
    if (variable)
      references.push_back(reference_to(object, *variable));
    else
      references.push_back({ReferenceRole::Occurrence,
                            location_of(object, section, relocation.offset), "the pointer"});
    references.push_back(
        {ReferenceRole::ReferencedBy, location_of(*read.code->file, *read.code, read.at, name)});
    references.push_back(
        note(fmt::format("no loader fills in the address of {}: programs would read {}",
                         target.empty() ? "what it points to" : target, relocation.addend)));
    references.push_back(
        hint("for strings, use an array of arrays, char names[][8]; for others, an index"));
    bool is_error = read.loads && context_.options.check_pointers;
    if (is_error && context_.options.hint_at_options)
      references.push_back(hint("--no-check-pointers links it, for user space that sets it"));
    context_.diagnostics.report(
        {.severity = is_error ? Severity::Error : Severity::Warning,
         .message = read.loads
                        ? fmt::format("a program reads a pointer in '{}'", name)
                        : fmt::format("a program refers to '{}', which holds a pointer", name),
         .code = DiagnosticCode::NotLoadable,
         .symbol = std::string(variable ? variable->name : ""),
         .references = std::move(references)});
  }

  Context& context_;
  std::unordered_map<const InputSection*, std::vector<Read>> reads_;
};

}  // namespace

void check_data_pointers(Context& context) {
  PointerFinder(context).run();
}

}  // namespace bpflink
