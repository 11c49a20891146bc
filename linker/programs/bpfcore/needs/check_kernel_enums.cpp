// Checks types of maps, programs and attachments, which a kernel identifies by number. Its BTF has
// enums that list them. A number that is not in its enum is not supported.
#include <fmt/format.h>
#include <linux/bpf.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "linker/facts/kernel_options.hpp"
#include "linker/facts/section_names.hpp"
#include "linker/programs/bpfcore/needs/needs_check.hpp"

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

/// Fails for a kernel that is known to be built without the option that something needs.
template <typename Type>
void check_option(const Kernel& kernel, std::span<const OptionOf<Type>> options, Type type,
                  std::string_view what, CoreFinding& finding) {
  auto row = std::ranges::find(options, type, &OptionOf<Type>::type);
  if (row == options.end() || finding.status != CoreStatus::Resolves) return;
  if (kernel.option(row->option).knowledge == Knowledge::Absent)
    finding.fail(fmt::format("there is no {}", what), fmt::format("{} is not set", row->option));
}

void check_map_type(NeedsCheck& needs, std::string_view map, uint32_t type) {
  std::string name(map_type_name(type));
  CoreFinding& finding = needs.add(CoreNeed::MapType, name, map);
  std::string what = fmt::format("map type {} ({})", name, type);
  check_value(needs.kernel, "bpf_map_type", type, what, finding);
  check_option<uint32_t>(needs.kernel, options_of_maps, type, what, finding);
}

void check_maps(NeedsCheck& needs) {
  for (const Map& map : needs.object.maps()) {
    if (map.type != 0) check_map_type(needs, map.name, map.type);
    for (const MapAttribute& attribute : map.inner_attributes)
      if (attribute.name == "type" && attribute.form == MapAttribute::Form::Number)
        check_map_type(needs, map.name, static_cast<uint32_t>(attribute.number));
  }
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
void check_nameless_type(NeedsCheck& needs, const Program& program) {
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

void check_programs(NeedsCheck& needs) {
  for (const Program& program : needs.object.programs()) {
    const SectionMeaning& meaning = program.meaning;
    std::string_view name = program_type_name(meaning.type), section = program.section;
    if (meaning.type == ProgramType::Unspec) {
      check_nameless_type(needs, program);
      continue;
    }
    auto number = static_cast<uint32_t>(meaning.type);
    std::string what = fmt::format("program type {} ({})", name, number);
    CoreFinding& found = needs.add(CoreNeed::ProgramType, std::string(name), program.name);
    check_value(needs.kernel, "bpf_prog_type", number, what, found);
    check_option<ProgramType>(needs.kernel, options_of_programs, meaning.type, what, found);
    if (meaning.attach_type == 0 || has_older_way(program)) continue;
    CoreFinding& finding = needs.add(
        CoreNeed::AttachType, std::string(section.substr(0, section.find('/'))), program.name);
    check_value(needs.kernel, "bpf_attach_type", meaning.attach_type,
                fmt::format("attach type of {} ({})", section, meaning.attach_type), finding);
    if (!is_checked_at_load(meaning.type)) finding.fail_to_attach();
  }
}

}  // namespace

void NeedsCheck::check_kernel_enums() {
  check_maps(*this);
  check_programs(*this);
}

}  // namespace bpflink
