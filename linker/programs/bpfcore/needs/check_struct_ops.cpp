// Checks structs of functions that programs implement for the kernel, such as tcp_congestion_ops.
//
// The loader copies the object's struct into the kernel's, member by member, by name. The kernel's
// struct may have other members. A member that only the object has must be zero. The kernel's side
// is a `struct bpf_struct_ops_NAME`, which has the struct itself as a member.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "bpflink/btf_query.hpp"
#include "dedup/check/names.hpp"
#include "dedup/edit_distance.hpp"
#include "dedup/for_linker.hpp"
#include "linker/programs/bpfcore/needs/needs_check.hpp"

namespace bpflink {
namespace {

/// The kernel's struct of that name in the BTF that has its value type, or in that BTF's base.
std::optional<KernelType> struct_beside(const Kernel& kernel, const KernelType& value,
                                        std::string_view name) {
  for (const KernelType& type : kernel.find_all(BtfKind::Struct, name))
    if (type.module == value.module || type.module == 0) return type;
  return std::nullopt;
}

bool has_member_of_type(BtfType type, uint32_t id) {
  for (uint32_t i = 0; i < type.vlen(); ++i)
    if (type.member(i).type == id) return true;
  return false;
}

using MemberIndex = std::unordered_map<std::string_view, uint32_t>;

/// The first member of each name.
MemberIndex index_members(const BtfView& types, BtfType type) {
  MemberIndex index;
  for (uint32_t i = 0; i < type.vlen(); ++i)
    index.emplace(bounded_name(types, type.member(i).name_off), i);
  return index;
}

/// Compares the members of one struct with the kernel's.
class Members {
 public:
  Members(NeedsCheck& needs, const StructOps& ops, const KernelType& kernel_struct)
      : needs_(needs),
        ops_(ops),
        types_(*needs.object.btf()),
        kernel_types_(*kernel_struct.types),
        type_(types_.type(ops.type_id)),
        kernel_type_(kernel_struct.type()),
        kernel_members_(index_members(kernel_types_, kernel_type_)) {}

  void check() {
    for (uint32_t i = 0; i < type_.vlen(); ++i) {
      std::string_view name = bounded_name(types_, type_.member(i).name_off);
      std::string advice, fault = member_fault(i, name, advice);
      // Unset members without a fault are not reported.
      if (fault.empty() && !is_set(i)) continue;
      CoreFinding& finding = needs_.add(CoreNeed::StructOpsMember,
                                        fmt::format("{}.{}", ops_.type_name, name), ops_.name);
      if (fault.empty()) continue;
      finding.fail(fmt::format("struct_ops member {} {}", finding.name, fault), std::move(advice));
    }
  }

 private:
  uint64_t begin_of(uint32_t member) const { return type_.member_bit_offset(member) / 8; }
  uint64_t size_of(uint32_t member) const {
    return type_size(types_, type_.member(member).type).value_or(0);
  }

  bool has_program(uint32_t member) const {
    uint64_t begin = begin_of(member), size = size_of(member);
    return std::ranges::any_of(ops_.members, [&](const StructOpsMember& set) {
      return set.offset >= begin && set.offset - begin < size;
    });
  }
  bool is_set(uint32_t member) const {
    if (has_program(member)) return true;
    uint64_t begin = std::min<uint64_t>(begin_of(member), ops_.contents.size());
    uint64_t size = std::min<uint64_t>(size_of(member), ops_.contents.size() - begin);
    auto bytes = ops_.contents.subspan(static_cast<size_t>(begin), static_cast<size_t>(size));
    return std::ranges::any_of(bytes, [](std::byte byte) { return byte != std::byte{0}; });
  }

  /// Why the loader rejects the member, or "".
  std::string member_fault(uint32_t member, std::string_view name, std::string& advice) const {
    auto found = kernel_members_.find(name);
    if (found == kernel_members_.end()) {
      if (!is_set(member)) return "";
      advice = similar_member(name);
      return "does not exist in the kernel's struct";
    }
    if (type_.member_bitfield_size(member) != 0 ||
        kernel_type_.member_bitfield_size(found->second) != 0)
      return "is a bit-field, which the loader does not copy";
    uint32_t id = skip_modifiers(types_, type_.member(member).type);
    uint32_t kernel_id = skip_modifiers(kernel_types_, kernel_type_.member(found->second).type);
    BtfKind kind = types_.kind(id), kernel_kind = kernel_types_.kind(kernel_id);
    if (kind != kernel_kind)
      return fmt::format("is {} here and {} in the kernel", btf_kind_name(kind),
                         btf_kind_name(kernel_kind));
    if (kind == BtfKind::Ptr) return pointer_fault(member, kernel_types_.type(kernel_id));
    auto size = type_size(types_, id), kernel_size = type_size(kernel_types_, kernel_id);
    if (size && kernel_size && *size != *kernel_size)
      return fmt::format("has {} here and {} in the kernel", count_of(*size, "byte"), *kernel_size);
    return "";
  }

  std::string pointer_fault(uint32_t member, BtfType kernel_pointer) const {
    if (!has_program(member)) return "";
    std::string_view name = types_.string(type_.member(member).name_off);
    if (name == "get_info" && essential_name(ops_.type_name) == "tcp_congestion_ops")
      return "is not one that programs may implement";
    uint32_t pointee = skip_modifiers(kernel_types_, kernel_pointer.type());
    return kernel_types_.kind(pointee) == BtfKind::FuncProto
               ? ""
               : "is not a pointer to a function in the kernel";
  }

  std::string similar_member(std::string_view name) const {
    if (--needs_.searches_left < 0) return "";
    NearestName nearest(name);
    for (uint32_t i = 0; i < kernel_type_.vlen(); ++i)
      nearest.consider(bounded_name(kernel_types_, kernel_type_.member(i).name_off));
    return nearest.nearest().empty() ? "" : fmt::format("did you mean {}?", nearest.nearest());
  }

  NeedsCheck& needs_;
  const StructOps& ops_;
  const BtfView& types_;
  const BtfView& kernel_types_;
  BtfType type_, kernel_type_;
  MemberIndex kernel_members_;
};

}  // namespace

void NeedsCheck::check_struct_ops() {
  std::unordered_set<std::string_view> used;
  for (const StructOps& ops : object.struct_ops())
    for (const StructOpsMember& member : ops.members) used.insert(member.program);
  for (const Program& program : object.programs())
    if (program.meaning.type == ProgramType::StructOps && !used.contains(program.name))
      add(CoreNeed::StructOps, std::string(program.meaning.target), program.name)
          .leave_unknown(fmt::format("the struct that has {}", program.name),
                         loader_sets_it_advice);
  for (const StructOps& ops : object.struct_ops()) {
    if (!ops.autoload || ops.type_id == 0) continue;
    WantedName wanted{BtfKind::Struct, "bpf_struct_ops_", essential_name(ops.type_name)};
    CoreFinding& finding = add(CoreNeed::StructOps, std::string(ops.type_name), ops.name);
    auto value = kernel.find(wanted.kind, wanted.full());
    if (!value.is_known()) {
      report_missing(finding, fmt::format("struct_ops type {}", wanted.name), wanted);
      continue;
    }
    if (ops.is_link && kernel.has(KernelFeature::StructOpsLinks) == Knowledge::Absent) {
      const KernelFeatureRow& row = row_of(KernelFeature::StructOpsLinks);
      const std::string thing = fmt::format("section {}", ops.section);
      report_release(finding, row.brought, thing, thing, std::string(row.advice));
      continue;
    }
    if (kernel.absence() == Knowledge::Unknown) {  // its members may be missing as well
      finding.leave_unknown(fmt::format("members of {}", wanted.name), whole_btf_advice);
      continue;
    }
    auto found = struct_beside(kernel, value.value, wanted.name);
    if (found && has_member_of_type(value.value.type(), found->id)) {
      Members(*this, ops, *found).check();
      continue;
    }
    finding.fail(found ? fmt::format("struct {} of the kernel has no member of type {}",
                                     wanted.full(), wanted.name)
                       : fmt::format("there is no struct {}", wanted.name));
  }
}

}  // namespace bpflink
