// Checks types of maps, programs and attachments, which a kernel identifies by number. Its BTF has
// enums that list them. A number that is not in its enum is not supported.
#include <fmt/format.h>
#include <linux/bpf.h>

#include <utility>

#include "bpflink/btf_query.hpp"
#include "linker/kernels/kernel_needs.hpp"
#include "linker/object/section_names.hpp"
#include "linker/types/map_definition.hpp"
#include "linker/types/map_rules.hpp"

namespace bpflink {
namespace {

/// Checks that an enum of the kernel has a value. `what` describes it: "map type ringbuf (27)".
void check_value(const Kernel& kernel, std::string_view of_enum, uint64_t value, std::string what,
                 CoreFinding& finding) {
  Knowledge knowledge = kernel.has_enumerator(of_enum, value);
  if (knowledge == Knowledge::Known) return;
  if (knowledge == Knowledge::Unknown)
    return finding.leave_unknown(std::move(what), whole_btf_advice);
  finding.fail(fmt::format("there is no {}", what));
}

/// Returns the finding.
CoreFinding& check_map_type(KernelNeeds& needs, std::string_view map, uint32_t type) {
  std::string name(map_type_name(type));
  CoreFinding& finding = needs.add(CoreNeed::MapType, name, map);
  check_value(needs.kernel, "bpf_map_type", type, fmt::format("map type {} ({})", name, type),
              finding);
  return finding;
}

/// Checks whether libbpf understands a definition, and opens the object.
void check_definition(const BtfView* types, const Map& map, CoreFinding& finding) {
  std::string fault = map.is_static     ? "is static"
                      : map.var_id == 0 ? "has no BTF that describes it"
                                        : "";
  if (fault.empty())
    fault = find_map_fault(*types, skip_modifiers(*types, types->type(map.var_id).type()));
  if (!fault.empty()) return finding.fail(fmt::format("map {} {}", map.name, fault));
  if (fault = find_pinning_fault(map); !fault.empty())
    finding.leave_unknown(fmt::format("how a loader pins map {}, which {}", map.name, fault),
                          loader_sets_it_advice);
}

/// Checks what kernels demand of a map of a type that they have.
void check_rules(const Kernel& kernel, const Map& map, CoreFinding& finding) {
  auto fault = find_rule_fault(map);
  if (!fault || finding.status != CoreStatus::Resolves) return;
  Knowledge creates =
      fault->since == LinuxRelease{} ? Knowledge::Absent : kernel.has_release(fault->since);
  std::string what = fmt::format("map {} {}", map.name, fault->text);
  if (creates == Knowledge::Unknown)
    finding.leave_unknown(std::move(what), release_advice);
  else if (creates == Knowledge::Absent)
    finding.fail(std::move(what), std::move(fault->advice));
}

void check_maps(KernelNeeds& needs) {
  for (const Map& map : needs.object.maps()) {
    CoreFinding& finding = map.type == 0 ? needs.add(CoreNeed::MapType, "", map.name)
                                         : check_map_type(needs, map.name, map.type);
    check_definition(needs.object.btf(), map, finding);
    check_rules(needs.kernel, map, finding);
    for (const MapAttribute& attribute : map.inner_attributes)
      if (attribute.name == "type" && attribute.form == MapAttribute::Form::Number)
        check_map_type(needs, map.name, static_cast<uint32_t>(attribute.number));
  }
  auto arenas = std::ranges::count(needs.object.maps(), map_type_arena, &Map::type);
  if (arenas > 1)
    needs.add(CoreNeed::MapType, "arena", "")
        .leave_unknown(fmt::format("whether a loader takes {} arenas", arenas),
                       "libbpf accepts one");
  for (const StructOps& ops : needs.object.struct_ops())
    if (ops.autoload) check_map_type(needs, ops.name, BPF_MAP_TYPE_STRUCT_OPS);
}

/// Whether the kernel checks the attach type of such programs when it loads them, not when they
/// attach.
bool is_checked_at_load(ProgramType type) {
  using enum ProgramType;
  switch (type) {
    case CgroupSkb:
    case CgroupSock:
    case CgroupSockAddr:
    case CgroupSockopt:
    case SkLookup:
    case Netfilter:
    case Tracing:
    case Lsm:
      return true;
    default:
      return false;
  }
}

/// Whether programs with that attach type can also attach without it: XDP and tc through netlink,
/// which is older than bpf_link; sk_reuseport, which had no attach type before Linux 5.14.
bool has_older_way(const Program& program) {
  return program.meaning.attach_type == BPF_XDP || program.section.starts_with("tc/") ||
         program.section == "sk_reuseport";
}

/// A section whose name says nothing: libbpf refuses the program unless its user sets a type.
void check_nameless_type(KernelNeeds& needs, const Program& program) {
  std::string similar = similar_section(program.section);
  std::string_view whole = continued_section(program.section);
  std::string advice = "the program that loads them must set one";
  if (!similar.empty())
    advice = fmt::format("did you mean {}?", similar);
  else if (!whole.empty())
    advice = fmt::format("libbpf wants '{}' alone; cilium/ebpf lets a name follow", whole);
  needs.add(CoreNeed::ProgramType, std::string(program.section), program.name)
      .leave_unknown(fmt::format("the type of programs in section '{}'", program.section),
                     std::move(advice));
}

void check_static_programs(KernelNeeds& needs) {
  constexpr size_t max_names = 3;
  const ObjectFile& file = needs.code.file();
  std::vector<std::string_view> names;
  for (const InputSymbol& symbol : file.symbols)
    if (symbol.is_in_section() && symbol.is_local() && symbol.type == STT_FUNC &&
        file.sections[symbol.section].holds_programs())
      names.push_back(symbol.name);
  if (!names.empty())
    needs.add(CoreNeed::ProgramType, "static", names.front())
        .leave_unknown("whether a loader takes static programs: " + list_of(names, max_names),
                       "libbpf opens no object that has one: remove static");
}

void check_programs(KernelNeeds& needs) {
  check_static_programs(needs);
  for (const Program& program : needs.object.programs()) {
    const SectionMeaning& meaning = program.meaning;
    std::string_view name = program_type_name(meaning.type), section = program.section;
    if (meaning.type == ProgramType::Unspec) {
      check_nameless_type(needs, program);
      continue;
    }
    auto number = static_cast<uint32_t>(meaning.type);
    check_value(needs.kernel, "bpf_prog_type", number,
                fmt::format("program type {} ({})", name, number),
                needs.add(CoreNeed::ProgramType, std::string(name), program.name));
    if (meaning.attach_type == 0 || has_older_way(program)) continue;
    CoreFinding& finding = needs.add(
        CoreNeed::AttachType, std::string(section.substr(0, section.find('/'))), program.name);
    check_value(needs.kernel, "bpf_attach_type", meaning.attach_type,
                fmt::format("attach type of {} ({})", section, meaning.attach_type), finding);
    if (!is_checked_at_load(meaning.type)) finding.fail_to_attach();
  }
}

}  // namespace

void KernelNeeds::check_kernel_enums() {
  check_maps(*this);
  check_programs(*this);
}

}  // namespace bpflink
