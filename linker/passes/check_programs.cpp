// Pass: warn of programs that loaders skip, and of helpers that the license forbids.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_set>

#include "bpflink/btf_query.hpp"
#include "bpflink/print.hpp"
#include "dedup/internal.hpp"
#include "linker/context.hpp"
#include "linker/diagnostics/locations.hpp"
#include "linker/elf/references.hpp"

namespace bpflink {
namespace {

struct Helper {
  int32_t id;
  std::string_view name;
};

/// The helpers that kernels mark gpl_only, by id. tests/kernel/gpl-helpers.sh compares this list
/// with the running kernel.
constexpr std::array gpl_helpers = std::to_array<Helper>({
    {4, "bpf_probe_read"},
    {6, "bpf_trace_printk"},
    {22, "bpf_perf_event_read"},
    {25, "bpf_perf_event_output"},
    {27, "bpf_get_stackid"},
    {35, "bpf_get_current_task"},
    {36, "bpf_probe_write_user"},
    {45, "bpf_probe_read_str"},
    {55, "bpf_perf_event_read_value"},
    {56, "bpf_perf_prog_read_value"},
    {58, "bpf_override_return"},
    {67, "bpf_get_stack"},
    {69, "bpf_fib_lookup"},
    {100, "bpf_tcp_check_syncookie"},
    {110, "bpf_tcp_gen_syncookie"},
    {111, "bpf_skb_output"},
    {112, "bpf_probe_read_user"},
    {113, "bpf_probe_read_kernel"},
    {114, "bpf_probe_read_user_str"},
    {115, "bpf_probe_read_kernel_str"},
    {119, "bpf_read_branch_records"},
    {121, "bpf_xdp_output"},
    {126, "bpf_seq_printf"},
    {127, "bpf_seq_write"},
    {150, "bpf_seq_printf_btf"},
    {158, "bpf_get_current_task_btf"},
    {163, "bpf_check_mtu"},
    {165, "bpf_snprintf"},
    {169, "bpf_timer_init"},
    {170, "bpf_timer_set_callback"},
    {171, "bpf_timer_start"},
    {172, "bpf_timer_cancel"},
    {173, "bpf_get_func_ip"},
    {175, "bpf_task_pt_regs"},
    {176, "bpf_get_branch_snapshot"},
    {177, "bpf_trace_vprintk"},
    {191, "bpf_copy_from_user_task"},
    {204, "bpf_tcp_raw_gen_syncookie_ipv4"},
    {205, "bpf_tcp_raw_gen_syncookie_ipv6"},
    {206, "bpf_tcp_raw_check_syncookie_ipv4"},
    {207, "bpf_tcp_raw_check_syncookie_ipv6"},
});

/// The same list as in the kernel's include/linux/license.h.
bool is_gpl_compatible(std::string_view license) {
  constexpr std::string_view compatible[] = {
      "GPL", "GPL v2", "GPL and additional rights", "Dual BSD/GPL", "Dual MIT/GPL", "Dual MPL/GPL"};
  return std::ranges::find(compatible, license) != std::end(compatible);
}

/// The license that the output will have; "" for none.
std::string license_of(const Context& context) {
  if (context.options.license) return *context.options.license;
  for (auto& object : context.objects)
    for (const InputSection& section : object->linked_sections())
      if (section.role == SectionRole::License) {
        std::string text(reinterpret_cast<const char*>(section.data.data()), section.data.size());
        return text.substr(0, text.find('\0'));
      }
  return "";
}

/// Calls `visit(offset, helper)` for each call of a GPL-only helper in live code.
template <typename Visit>
void for_each_gpl_call(const ObjectFile& object, const InputSection& section, Visit visit) {
  for (const Fragment& fragment : section.fragments) {
    if (!fragment.live) continue;
    for_each_insn(section.data, fragment.begin, fragment.end, object.byte_order,
                  [&](uint64_t at, const Insn& insn) {
                    if (!insn.is_call() || insn.src_reg != 0) return;
                    auto helper = std::ranges::lower_bound(gpl_helpers, insn.imm, {}, &Helper::id);
                    if (helper != gpl_helpers.end() && helper->id == insn.imm) visit(at, *helper);
                  });
  }
}

void warn_license(Context& context) {
  std::string license = license_of(context);
  if (is_gpl_compatible(license)) return;
  constexpr size_t max_calls = 5;
  std::vector<DiagnosticReference> references;
  size_t calls = 0;
  for (auto& object : context.objects)
    for (const InputSection& section : object->linked_sections()) {
      if (!section.is_code() || section.is_nobits()) continue;
      for_each_gpl_call(*object, section, [&](uint64_t at, const Helper& helper) {
        if (++calls > max_calls) return;
        references.push_back({ReferenceRole::Occurrence, location_of(*object, section, at),
                              std::string(helper.name)});
      });
    }
  if (calls == 0) return;
  add_more(references, ReferenceRole::Occurrence, calls, max_calls);
  references.push_back(hint(
      fmt::format("if the program is under the GPL: char LICENSE[] SEC(\"license\") = \"GPL\";{}",
                  context.options.hint_at_options ? " or --license GPL" : "")));
  context.diagnostics.report(
      {.severity = Severity::Warning,
       .message = fmt::format("GPL-only helpers are called, but the license "
                              "{}",
                              license.empty() ? "is missing" : fmt::format("is '{}'", license)),
       .references = std::move(references)});
}

/// A context that only the kernel passes to programs, and a section for such programs.
struct ProgramContext {
  std::string_view tag;
  std::string_view section;
};
constexpr ProgramContext program_contexts[] = {{"xdp_md", "xdp"},
                                               {"__sk_buff", "tc"},
                                               {"pt_regs", "kprobe/FUNCTION"},
                                               {"bpf_perf_event_data", "perf_event"},
                                               {"bpf_raw_tracepoint_args", "raw_tp/TRACEPOINT"},
                                               {"bpf_cgroup_dev_ctx", "cgroup/dev"},
                                               {"bpf_sock_addr", "cgroup/connect4"},
                                               {"bpf_sock_ops", "sockops"},
                                               {"bpf_sockopt", "cgroup/getsockopt"},
                                               {"bpf_sysctl", "cgroup/sysctl"},
                                               {"bpf_sk_lookup", "sk_lookup"},
                                               {"sk_msg_md", "sk_msg"},
                                               {"sk_reuseport_md", "sk_reuseport"},
                                               {"bpf_nf_ctx", "netfilter"}};

/// A section for programs with this FUNC's first parameter; "" if it is no program context.
std::string section_for(const BtfView& types, BtfType func) {
  BtfType prototype = types.type(func.type());
  if (prototype.vlen() == 0) return "";
  uint32_t pointer = skip_modifiers(types, prototype.param(0).type);
  if (types.kind(pointer) != BtfKind::Ptr) return "";
  uint32_t id = skip_modifiers(types, types.type(pointer).type());
  if (id == 0 || tag_space(types.type(id)) != TagSpace::structs) return "";
  std::string_view tag = types.name(types.type(id));
  constexpr std::string_view iterator = "bpf_iter__";
  if (tag.starts_with(iterator)) return fmt::format("iter/{}", tag.substr(iterator.size()));
  auto found = std::ranges::find(program_contexts, tag, &ProgramContext::tag);
  return found == std::end(program_contexts) ? "" : std::string(found->section);
}

/// Everything that has a reference: from code and data by relocation or branch, from tags by name.
class Referenced {
 public:
  explicit Referenced(Context& context) {
    for (auto& object : context.objects) {
      for (InputSection& section : object->linked_sections())
        if (section.is_loaded()) add(*object, section);
      for (uint32_t id : object->tags) {
        std::string_view text = object->btf->name(object->btf->type(id));
        if (size_t colon = text.find(':'); colon != text.npos)
          names_.insert(text.substr(colon + 1));
      }
    }
  }

  bool contains(const Symbol& symbol) const {
    InputPlace place = symbol.place();
    return symbols_.contains(&symbol) || names_.contains(symbol.name) ||
           places_.contains({place.section, place.offset});
  }

  /// Whether another file refers to functions of the object.
  bool is_library(const ObjectFile& object) const { return libraries_.contains(&object); }

 private:
  void add(ObjectFile& object, InputSection& section) {
    for (const Relocation& relocation : section.relocations) {
      RelocationTarget to = target_of(object, relocation);
      const Symbol* symbol = to.symbol ? to.symbol->global : nullptr;
      if (!symbol)
        places_.emplace(&object.sections[to.section], to.offset);
      else
        symbols_.insert(symbol);
      if (symbol && symbol->is_defined && !to.symbol->is_defined() && is_function(*symbol))
        libraries_.insert(symbol->file);
    }
    if (!section.is_code()) return;
    for_each_local_branch(section, 0, section.size, [&](const LocalBranch& branch) {
      if (branch.is_call) places_.emplace(&section, branch.to);
    });
  }

  static bool is_function(const Symbol& symbol) {
    const InputSection* section = symbol.place().section;
    return section && section->is_code();
  }

  std::unordered_set<const Symbol*> symbols_;
  std::unordered_set<const ObjectFile*> libraries_;
  std::unordered_set<std::string_view> names_;
  std::set<std::pair<const InputSection*, int64_t>> places_;
};

/// Whether a function only returns a constant.
bool is_constant(const ObjectFile& object, const InputSymbol& function) {
  bool is_constant = true;
  uint64_t end = function.value + function.size;
  for_each_insn(object.sections[function.section].data, function.value, end, object.byte_order,
                [&](uint64_t, const Insn& insn) {
                  is_constant &= insn.is_exit() || insn.has_type_id_immediate();
                });
  return is_constant;
}

/// Whether a compiler has also inlined the function: some source line has instructions inside and
/// outside of it. A function that returns a constant leaves no such line.
bool is_inlined(const ObjectFile& object, const InputSymbol& function) {
  if (!object.btf_ext) return false;
  const BtfExt& ext = *object.btf_ext;
  std::set<std::pair<uint32_t, uint32_t>> lines;  // file and line
  auto for_each_line = [&](bool inside, auto visit) {
    ext.line_info.for_each_record([&](uint32_t section, std::span<const std::byte> record) {
      LineInfo info = ext.load_line_info(record.data());
      bool is_inside =
          section == function.section && info.insn_off - function.value < function.size;
      if (is_inside == inside) visit(std::pair(info.file_name_off, info.line()));
    });
  };
  for_each_line(true, [&](auto line) { lines.insert(line); });
  bool found = false, leaves_none = is_constant(object, function);
  for_each_line(false, [&](auto line) { found |= leaves_none || lines.contains(line); });
  return found;
}

/// Loaders load a function of .text only together with programs that call it. A library may have
/// functions without a caller.
void warn_lost_sections(Context& context) {
  constexpr size_t max_functions = 64;  // more are hardly a mistake
  size_t checked = 0;
  std::optional<Referenced> referenced;
  for (const auto& object : context.objects)
    for (const BtfDeclaration& declaration : object->declarations) {
      const Symbol* symbol = declaration.symbol;
      // Weak functions come from libraries in headers.
      if (!declaration.is_func() || !symbol || !symbol->in_output || symbol->binding == STB_WEAK ||
          !symbol->is_from(*object, declaration.symbol_index))
        continue;
      const InputSection* section = symbol->place().section;
      if (!section || section->role != SectionRole::Text) continue;
      std::string expected = section_for(*object->btf, declaration.type());
      if (expected.empty()) continue;
      if (!referenced) referenced.emplace(context);
      if (referenced->contains(*symbol) || referenced->is_library(*object)) continue;
      if (++checked > max_functions) return;
      if (is_inlined(*object, symbol->input())) continue;
      context.diagnostics.report(
          {.severity = Severity::Warning,
           .message = fmt::format("'{}' is in .text: is SEC(...) missing?", symbol->name),
           .symbol = std::string(symbol->name),
           .references = {reference_to(*object, symbol->input(),
                                       print_c_declaration(*object->btf, declaration.type().type(),
                                                           symbol->name)),
                          note("nothing calls it, so loaders skip it"),
                          hint(fmt::format("if it is a program: SEC(\"{}\")", expected))}});
    }
}

bool has_programs(const Context& context) {
  return std::ranges::any_of(context.objects, [](const auto& object) {
    return std::ranges::any_of(object->linked_sections(), [](const InputSection& section) {
      return section.holds_programs() && section.size != 0;
    });
  });
}

}  // namespace

void check_programs(Context& context) {
  if (context.options.partial) return;
  warn_lost_sections(context);
  if (has_programs(context)) warn_license(context);
}

}  // namespace bpflink
