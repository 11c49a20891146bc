// Checks structs of functions that programs implement for the kernel, such as tcp_congestion_ops.
//
// The loader copies the object's struct into the kernel's, member by member, by name. The kernel's
// struct may have other members. A member that only the object has must be zero. The kernel's side
// is a `struct bpf_struct_ops_NAME`, which has the struct itself as a member.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "bpflink/btf_query.hpp"
#include "bpflink/core.hpp"
#include "dedup/edit_distance.hpp"
#include "linker/elf/elf_file.hpp"
#include "linker/kernels/kernel_fact_checks.hpp"

namespace bpflink {
namespace {

using What = KernelFinding::What;
using Status = KernelFinding::Status;

constexpr std::string_view value_prefix = "bpf_struct_ops_";

bool is_checked(const StructOps& ops) {
  return ops.autoload && ops.type_id != 0;
}

/// The kernel's struct of that name in the BTF that has its value type, or in that BTF's base.
std::optional<KernelType> struct_beside(const KernelNames& names, const KernelType& value,
                                        std::string_view name) {
  for (const KernelType& type : names.find_all(BtfKind::Struct, name))
    if (type.btf == value.btf || type.btf == value.btf->base()) return type;
  return std::nullopt;
}

bool has_member_of_type(BtfType type, uint32_t id) {
  for (uint32_t i = 0; i < type.vlen(); ++i)
    if (type.member(i).type == id) return true;
  return false;
}

std::optional<uint32_t> find_member(const BtfView& types, BtfType type, std::string_view name) {
  for (uint32_t i = 0; i < type.vlen(); ++i)
    if (types.string(type.member(i).name_off) == name) return i;
  return std::nullopt;
}

/// Compares the members of one struct with the kernel's.
class Members {
 public:
  Members(const FactContext& context, const StructOps& ops, const KernelType& kernel_struct,
          std::span<const std::byte> contents)
      : context_(context),
        ops_(ops),
        types_(*context.object.btf()),
        kernel_types_(*kernel_struct.btf),
        type_(types_.type(ops.type_id)),
        kernel_type_(kernel_struct.type()),
        contents_(contents) {}

  void check() {
    for (uint32_t i = 0; i < type_.vlen(); ++i) {
      std::string_view name = types_.string(type_.member(i).name_off);
      KernelFinding finding{.what = What::StructOpsMember,
                            .name = fmt::format("{}.{}", ops_.type_name, name),
                            .user = std::string(ops_.name)};
      finding.reason = member_fault(i, name, finding.note);
      if (!finding.reason.empty()) finding.status = Status::Fails;
      // Unset members without a fault are not reported.
      if (is_set(i) || finding.status != Status::Ok) context_.findings.push_back(finding);
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
    uint64_t begin = std::min<uint64_t>(begin_of(member), contents_.size());
    uint64_t size = std::min<uint64_t>(size_of(member), contents_.size() - begin);
    auto bytes = contents_.subspan(static_cast<size_t>(begin), static_cast<size_t>(size));
    return std::ranges::any_of(bytes, [](std::byte byte) { return byte != std::byte{0}; });
  }

  /// Why the loader rejects the member, or "".
  std::string member_fault(uint32_t member, std::string_view name, std::string& note) const {
    auto found = find_member(kernel_types_, kernel_type_, name);
    if (!found) {
      if (!is_set(member)) return "";
      note = similar_member(name);
      return "does not exist in the kernel's struct";
    }
    if (type_.member_bitfield_size(member) != 0 || kernel_type_.member_bitfield_size(*found) != 0)
      return "is a bit-field, which the loader does not copy";
    uint32_t id = skip_modifiers(types_, type_.member(member).type);
    uint32_t kernel_id = skip_modifiers(kernel_types_, kernel_type_.member(*found).type);
    BtfKind kind = types_.kind(id), kernel_kind = kernel_types_.kind(kernel_id);
    if (kind != kernel_kind)
      return fmt::format("is {} here and {} in the kernel", btf_kind_name(kind),
                         btf_kind_name(kernel_kind));
    if (kind == BtfKind::Ptr) return pointer_fault(member, kernel_types_.type(kernel_id));
    auto size = type_size(types_, id), kernel_size = type_size(kernel_types_, kernel_id);
    if (size && kernel_size && *size != *kernel_size)
      return fmt::format("has {} bytes here and {} in the kernel", *size, *kernel_size);
    return "";
  }

  std::string pointer_fault(uint32_t member, BtfType kernel_pointer) const {
    if (!has_program(member)) return "";
    uint32_t pointee = skip_modifiers(kernel_types_, kernel_pointer.type());
    return kernel_types_.kind(pointee) == BtfKind::FuncProto
               ? ""
               : "is not a pointer to a function in the kernel";
  }

  std::string similar_member(std::string_view name) const {
    NearestName nearest(name);
    for (uint32_t i = 0; i < kernel_type_.vlen(); ++i)
      nearest.consider(kernel_types_.string(kernel_type_.member(i).name_off));
    return nearest.nearest().empty() ? "" : fmt::format("did you mean {}?", nearest.nearest());
  }

  const FactContext& context_;
  const StructOps& ops_;
  const BtfView& types_;
  const BtfView& kernel_types_;
  BtfType type_, kernel_type_;
  std::span<const std::byte> contents_;  // the object's struct, with zeros for programs
};

std::span<const std::byte> contents_of(const std::optional<ElfFile>& elf, const StructOps& ops) {
  auto section = elf ? elf->find(ops.section) : std::nullopt;
  if (!section) return {};
  auto bytes = elf->contents(elf->sections[*section]);
  if (ops.offset > bytes.size()) return {};
  bytes = bytes.subspan(static_cast<size_t>(ops.offset));
  return bytes.first(static_cast<size_t>(std::min<uint64_t>(ops.size, bytes.size())));
}

}  // namespace

void want_struct_ops(const Object& object, WantedNames& wanted) {
  for (const StructOps& ops : object.struct_ops()) {
    if (!is_checked(ops)) continue;
    std::string name(essential_name(ops.type_name));
    wanted.add(BtfKind::Struct, std::string(value_prefix) + name);
    wanted.add(BtfKind::Struct, std::move(name));
  }
}

void check_struct_ops(const FactContext& context, std::span<const std::byte> image) {
  std::optional<ElfFile> elf;
  for (const StructOps& ops : context.object.struct_ops()) {
    if (!is_checked(ops)) continue;
    std::string name(essential_name(ops.type_name));
    KernelFinding finding{
        .what = What::StructOps, .name = std::string(ops.type_name), .user = std::string(ops.name)};
    auto value = context.names.find(BtfKind::Struct, std::string(value_prefix) + name);
    auto found = value ? struct_beside(context.names, *value, name) : std::nullopt;
    if (!value) {
      finding.reason = fmt::format("there is no struct_ops type {}", name);
      finding.note = note_on_missing(context, BtfKind::Struct, value_prefix, name);
    } else if (!found) {
      finding.reason = fmt::format("there is no struct {}", name);
    } else if (!has_member_of_type(value->type(), found->id)) {
      finding.reason = fmt::format("struct {}{} of the kernel has no member of type {}",
                                   value_prefix, name, name);
    }
    bool is_there = finding.reason.empty();
    if (!is_there) finding.status = Status::Fails;
    context.findings.push_back(std::move(finding));
    if (!is_there) continue;
    if (!elf)
      if (auto read = read_elf(image)) elf = std::move(*read);
    Members(context, ops, *found, contents_of(elf, ops)).check();
  }
}

}  // namespace bpflink
