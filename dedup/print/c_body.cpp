// Writes the bodies of structs, unions and enums.
//
// A struct's plan (c_layout.hpp) has the members and the padding between them. Members of an
// anonymous struct share the name space of the struct that contains it.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "dedup/print/c_scalars.hpp"
#include "dedup/print/c_writer.hpp"

namespace bpflink {

namespace {

constexpr uint64_t max_padding_lines = 64;

constexpr std::string_view packed = " __attribute__((packed))";

}  // namespace

/// Begins a body, unless it is nested too deep.
bool CWriter::open_body() {
  if (nesting() >= policy_.max_nesting) {
    text_ += " { ... }";
    return false;
  }
  text_ += " {\n";
  ++indent_;
  return true;
}

void CWriter::close_body() {
  --indent_;
  begin_line();
  text_ += '}';
}

/// Writes `...` and returns true if the text is too long.
bool CWriter::cut_body() {
  if (!is_too_long()) return false;
  begin_line();
  text_ += "...\n";
  return true;
}

// ---- enums

void CWriter::write_enum(uint32_t id) {
  write_tag(id);
  write_enumerators(id);
  text_ += types_.enum_attribute(types_.btf.type(id));
}

void CWriter::write_enumerators(uint32_t id) {
  if (types_.is_for_compilers()) has_enumerators_[id] = true;
  BtfType type = types_.btf.type(id);
  if (!open_body()) return;
  for (uint32_t i = 0; i < type.vlen() && !cut_body(); ++i) {
    begin_line();
    fmt::format_to(std::back_inserter(text_), "{} = {},\n", types_.enumerator_name(id, i),
                   types_.enumerator_value(type, i));
  }
  close_body();
}

/// Writes an enum without a name where it is used. In a header, the second use is an integer.
void CWriter::write_inline_enum(uint32_t id) {
  BtfType type = types_.btf.type(id);
  bool is_integer = types_.is_for_compilers() && (has_enumerators_[id] || type.vlen() == 0);
  is_integer ? write(c_integer(type.size(), type.kind_flag())) : write_enum(id);
}

// ---- structs and unions

void CWriter::write_record(uint32_t id) {
  write_tag(id);
  if (!types_.is_for_compilers()) return write_members(id);
  std::vector<std::string_view> names;
  types_.collect_member_names(id, names);
  MemberNames member_names(std::move(names));
  MemberNames* outer = std::exchange(member_names_, &member_names);
  write_members(id);
  member_names_ = outer;
}

void CWriter::write_members(uint32_t id) {
  has_records_ = true;
  if (!open_body()) return;
  CPlan plan = types_.plan(id);
  has_lanes(plan) ? write_lanes(id, plan) : write_lane(id, plan, plan.lanes[0]);
  close_body();
  if (plan.is_packed) text_ += packed;
  write_decl_tags(id);
}

/// Writes overlapping lanes as structs of a union.
void CWriter::write_lanes(uint32_t id, const CPlan& plan) {
  bool is_struct = types_.btf.type(id).kind() == BtfKind::Struct;
  if (is_struct) {
    begin_line();
    text_ += "union";
    open_body();
  }
  for (const CLane& lane : plan.lanes) {
    if (lane.members.empty() && lane.padding == 0) continue;
    begin_line();
    text_ += "struct";
    open_body();
    write_lane(id, plan, lane);
    close_body();
    text_ += packed;
    text_ += ";\n";
  }
  if (is_struct) {
    close_body();
    text_ += ";\n";
  }
}

void CWriter::write_lane(uint32_t id, const CPlan& plan, const CLane& lane) {
  bool is_union = types_.btf.type(id).kind() == BtfKind::Union && !has_lanes(plan);
  uint32_t alignment = plan.is_packed ? 8 : std::min<uint32_t>(8, plan.min_alignment);
  uint64_t end = 0;
  for (const CMember& member : lane.members) {
    if (cut_body()) return;
    write_padding(member.offset - member.padding, member.padding, alignment);
    write_member(id, member);
    end = member.offset + member.size;
  }
  if (lane.padding == 0) return;
  if (!is_union) return write_padding(end, lane.padding, alignment);
  begin_line();
  text_ += "struct";
  open_body();
  write_padding(0, lane.padding, 8);
  close_body();
  text_ += packed;
  text_ += ";\n";
}

void CWriter::write_member(uint32_t record, const CMember& member) {
  BtfMember raw = types_.btf.type(record).member(member.index);
  begin_line();
  bool is_whole = member.width == 0 && !member.is_empty;
  if (uint32_t inner = is_whole ? types_.nameless_record(record, member.index) : 0; inner != 0) {
    text_ += types_.keyword(types_.btf.type(inner));
    write_members(inner);
  } else {
    std::string_view given = types_.btf.string(raw.name_off);
    std::string name = member_names_ != nullptr ? member_names_->next(given) : local_name(given);
    if (member.is_empty)
      text_ += "struct {} " + name;
    else if (member.stand_in != 0)
      fmt::format_to(std::back_inserter(text_), "{} {}", c_integer(member.stand_in, false), name);
    else
      declare(raw.type, name);
    if (member.width != 0) fmt::format_to(std::back_inserter(text_), ": {}", member.width);
  }
  write_decl_tags(record, static_cast<int32_t>(member.index));
  text_ += ';';
  if (types_.notes != nullptr)
    if (auto note = types_.notes->find(member_key(record, member.index));
        note != types_.notes->end())
      fmt::format_to(std::back_inserter(text_), " /* {} */", note->second);
  text_ += '\n';
}

/// Writes padding as unnamed bit-fields. Their types are no larger than the struct's alignment,
/// which they would raise on some targets. Start and size are in bits, the alignment is in bytes.
void CWriter::write_padding(uint64_t start, uint64_t size, uint32_t alignment) {
  if (size == 0) return;
  auto write_bits = [&](uint64_t bits, std::string_view type) {
    begin_line();
    fmt::format_to(std::back_inserter(text_), "{}: {};\n", type, bits);
    start += bits;
    size -= bits;
  };
  if (start % 8 != 0) write_bits(std::min(size, 8 - start % 8), "char");
  alignment = std::min(alignment, types_.long_size);
  if (size / (8 * uint64_t{alignment}) > max_padding_lines) {
    begin_line();
    fmt::format_to(std::back_inserter(text_), "char {}[{}];\n", member_names_->next_new("padding"),
                   size / 8);
    size %= 8;
  }
  while (size != 0) {
    uint32_t bytes = alignment;
    while (bytes > 1 && (start % (8 * bytes) != 0 || size < 8 * bytes)) bytes /= 2;
    std::string_view type = bytes == 8   ? "long"
                            : bytes == 4 ? "int"
                            : bytes == 2 ? "short"
                                         : "char";
    write_bits(std::min<uint64_t>(size, 8 * bytes), type);
  }
}

void CWriter::write_decl_tags(uint32_t id, int32_t component) {
  auto at = std::ranges::lower_bound(types_.tags, CTypes::Tag{id, component, {}});
  for (; at != types_.tags.end() && at->type == id && at->component == component; ++at)
    fmt::format_to(std::back_inserter(text_), " BTF_DECL_TAG({})", quoted_in_c(at->text));
}

}  // namespace bpflink
