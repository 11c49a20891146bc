// Pass: warn about inputs that link but will not load, because they are empty, have no types, or
// were compiled in a way that verifiers or other kernels refuse, and of options without effect.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>

#include "linker/facts/insn.hpp"
#include "linker/state/context.hpp"
#include "linker/state/used_types.hpp"
#include "linker/types/kernel_tags.hpp"

namespace bpflink {
namespace {

/// How to get BTF: clang makes it with -g, gcc only with an option of its own.
std::string_view types_hint(const LinkOptions& options, const ObjectFile& object) {
  if (options.for_rustc)
    return "compile with -C debuginfo=2: debug = 2 in the profile of Cargo.toml";
  bool has_dwarf = std::ranges::any_of(
      object.sections, [](const InputSection& s) { return s.role == SectionRole::Dwarf; });
  return has_dwarf ? "compile with -gbtf: gcc's -g makes DWARF alone" : "compile with -g";
}

/// Of objects without BTF: a function that another object, which has BTF, calls.
std::unordered_map<const ObjectFile*, const Symbol*> find_called(const Context& context) {
  std::unordered_map<const ObjectFile*, const Symbol*> called;
  for (const auto& caller : context.objects) {
    if (!caller->btf) continue;
    for (const InputSymbol& symbol : caller->symbols) {
      const Symbol* global = symbol.global;
      if (global && !symbol.is_defined() && global->is_defined && !global->file->btf &&
          global->input().type == STT_FUNC)
        called.emplace(global->file, global);
    }
  }
  return called;
}

void warn_missing_types(Context& context) {
  bool is_any_typed = false, is_reported = false, has_code = false;
  for (auto& object : context.objects) {
    is_any_typed |= object->btf.has_value();
    for (const InputSection& section : object->linked_sections()) {
      if (!is_live(section)) continue;
      has_code |= section.is_code();
      if (section.role != SectionRole::Maps || object->btf) continue;
      is_reported = true;
      context.diagnostics.warning(
          fmt::format("{}: defines maps but has no BTF to describe them", object->name),
          {hint(std::string(types_hint(context.options, *object)))}, DiagnosticCode::NotOpenable,
          {.file = object->name});
    }
  }
  if (!is_any_typed && !is_reported && has_code)
    context.diagnostics.warning(
        "no input has BTF",
        {hint(std::string(types_hint(context.options, *context.objects.front())))});
  if (!is_any_typed || context.options.partial) return;
  const auto called = find_called(context);
  for (const auto& object : context.objects) {
    auto function = called.find(object.get());
    if (function == called.end()) continue;
    std::string_view name = function->second->name;
    context.diagnostics.warning(
        fmt::format("{}: has no BTF, and others call its '{}'", object->name, name),
        {hint(std::string(types_hint(context.options, *object)))}, DiagnosticCode::General,
        {.file = object->name, .symbol = name});
  }
}

/// Whether the function stores its first argument on the stack at once and loads it again before it
/// calls anything, as compilers do without optimization.
bool is_unoptimized(const ObjectFile& object, const InputSymbol& function) {
  const InputSection& section = object.sections[function.section];
  bool has_stored = false, has_loaded = false, has_called = false;
  int16_t slot = 0;
  constexpr uint8_t frame_pointer = 10;
  constexpr uint64_t most = 128 * insn_size;  // functions may share their bytes
  const uint64_t end = function.value + std::min(function.size, most);
  for_each_insn(section.data, function.value, end, object.byte_order,
                [&](uint64_t at, const Insn& insn) {
                  uint8_t kind = BPF_CLASS(insn.code);
                  if (at == function.value && kind == BPF_STX && insn.dst_reg == frame_pointer &&
                      insn.src_reg == BPF_REG_1) {
                    has_stored = true;
                    slot = insn.off;
                  }
                  has_called |= insn.is_call();
                  has_loaded |= has_stored && !has_called && kind == BPF_LDX &&
                                insn.src_reg == frame_pointer && insn.off == slot;
                });
  return has_stored && has_loaded;
}

void warn_unoptimized(Context& context) {
  for (const auto& object : context.objects) {
    size_t functions = 0, unoptimized = 0;
    for (const InputSymbol& symbol : object->symbols) {
      if (symbol.type != STT_FUNC || symbol.size == 0 || !is_live(*object, symbol) ||
          !object->sections[symbol.section].is_code())
        continue;
      ++functions;
      if (!is_unoptimized(*object, symbol)) break;
      ++unoptimized;
    }
    if (functions == 0 || unoptimized != functions) continue;
    context.diagnostics.warning(
        fmt::format("{}: was compiled without optimization, and verifiers refuse most such code",
                    object->name),
        {hint("compile with -O2")}, DiagnosticCode::NotLoadable, {.file = object->name});
  }
}

/// A struct of the kernel that has a member at one of these offsets in bytes, or "".
std::string_view find_kernel_struct(const BtfView& types, const std::set<int32_t>& offsets) {
  constexpr uint32_t least_members = 16;  // programs that declare their own have few
  for (uint32_t id = types.first_id(); id < types.end_id(); ++id) {
    BtfType type = types.type(id);
    if (type.kind() != BtfKind::Struct || type.vlen() < least_members) continue;
    auto found = std::ranges::find(kernel_objects, types.name(type));
    if (found == kernel_objects.end()) continue;
    for (uint32_t i = 0; i < type.vlen(); ++i)
      if (offsets.contains(static_cast<int32_t>(type.member_bit_offset(i) / 8))) return *found;
  }
  return "";
}

/// The distances from a pointer at which live code reads the kernel's memory by a helper: what it
/// adds to the third argument just before the call.
std::set<int32_t> find_kernel_reads(const ObjectFile& object) {
  std::set<int32_t> offsets;
  for (const InputSection& section : object.linked_sections())
    for (const Fragment& fragment : section.fragments) {
      if (!section.is_code() || !fragment.live) continue;
      int32_t added = 0;
      for_each_insn(section.data, fragment.begin, fragment.end, object.byte_order,
                    [&](uint64_t, const Insn& insn) {
                      bool is_read = insn.is_call() && insn.src_reg == 0 &&
                                     (insn.imm == BPF_FUNC_probe_read ||
                                      insn.imm == BPF_FUNC_probe_read_kernel);
                      if (is_read && added > 0) offsets.insert(added);
                      bool is_sum = BPF_CLASS(insn.code) == BPF_ALU64 &&
                                    BPF_OP(insn.code) == BPF_ADD && BPF_SRC(insn.code) == BPF_K;
                      if (is_sum && insn.dst_reg == BPF_REG_3)
                        added = insn.imm;
                      else if (insn.is_call() || insn.dst_reg == BPF_REG_3)
                        added = 0;
                    });
    }
  return offsets;
}

/// Warns about code that reads the kernel's structs without CO-RE.
void warn_fixed_offsets(Context& context) {
  for (const auto& object : context.objects) {
    bool has_core = object->btf_ext && !object->btf_ext->core_relo.sections.empty();
    if (has_core || !object->btf) continue;
    auto offsets = find_kernel_reads(*object);
    std::string_view name = offsets.empty() ? "" : find_kernel_struct(*object->btf, offsets);
    if (name.empty()) continue;
    context.diagnostics.warning(
        fmt::format("{}: reads the kernel's memory by the offsets of struct {} of one "
                    "kernel",
                    object->name, name),
        {hint("include a vmlinux.h, whose structs have preserve_access_index, and "
              "read with BPF_CORE_READ()")},
        DiagnosticCode::NotLoadable, {.file = object->name});
  }
}

void warn_empty_objects(Context& context) {
  for (auto& object : context.objects) {
    bool has_contents = std::ranges::any_of(object->linked_sections(),
                                            [](const InputSection& s) { return s.size != 0; });
    bool has_symbols =
        std::ranges::any_of(object->symbols, [](const InputSymbol& s) { return !s.is_local(); });
    if (has_contents || has_symbols) continue;
    auto gone = std::ranges::find_if(context.optimized_away, [&](const DroppedPart& part) {
      return object->name.contains(part.file);
    });
    context.diagnostics.warning(
        fmt::format("{}: has nothing to link", object->name),
        {gone == context.optimized_away.end()
             ? hint("did an #if exclude the whole source file?")
             : hint(fmt::format("LLVM dropped {}, which nothing needs: -u {} keeps it", gone->name,
                                gone->name))},
        DiagnosticCode::General, {.file = object->name});
  }
}

void warn_idle_options(Context& context) {
  const LinkOptions& options = context.options;
  if (options.exports && !options.for_rustc)
    for (const std::string& name : *options.exports)
      if (const Symbol* symbol = context.symbols.find(name); !symbol || !symbol->is_defined)
        context.diagnostics.warning(
            fmt::format("--export {}: no input defines a symbol of this name", name), {},
            DiagnosticCode::General, {.symbol = name});
  for (const std::string& name : options.trace_symbols)
    if (!context.symbols.find(name))
      context.diagnostics.warning(fmt::format("-y {}: no input has a symbol of this name", name));
  for (const std::string& pattern : options.keep_sections) {
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
  for (const std::string& name : options.keep_types) {
    bool is_met = std::ranges::any_of(context.objects, [&](auto& object) {
      for (uint32_t id = 1; object->btf && id < object->btf->end_id(); ++id)
        if (is_kept_type({name}, *object->btf, id)) return true;
      return false;
    });
    if (!is_met)
      context.diagnostics.warning(
          fmt::format("--keep-type {}: no input has a type of this name", name));
  }
}

}  // namespace

void warn_unloadable(Context& context) {
  warn_missing_types(context);
  if (!context.options.partial) {
    warn_unoptimized(context);
    warn_fixed_offsets(context);
  }
  warn_empty_objects(context);
  warn_idle_options(context);
}

}  // namespace bpflink
