// The texts of the rules, and the kernel's log message for each.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <ranges>

#include "bpflink/check.hpp"
#include "dedup/check/features.hpp"

namespace bpflink {
namespace {

using enum BtfRule;
using namespace releases;

/// The updates of 2023-03-17, shortly before Linux 6.3, which mended it.
constexpr LinuxUpdate with_variable_fix[] = {
    {{5, 4}, 237}, {{5, 10}, 175}, {{5, 15}, 103}, {{6, 1}, 20}, {{6, 2}, 7}};

constexpr BtfRuleText rules[] = {
    {BlobSize, "blob-size", "a blob has at most 16 MiB", "", "load fewer types", first},
    {HeaderSize, "header-size", "a header has at least 24 bytes and fits into the blob",
     "btf_header not found", "rewrite the blob: it is cut off, or not BTF", first},
    {HeaderRest, "header-rest", "unknown header fields are zero", "Unsupported btf_header",
     "write a header of 24 bytes", first},
    {Magic, "magic", "a blob begins with the magic number of BTF", "Invalid magic",
     "this is not BTF", first},
    {Version, "version", "the version is 1", "Unsupported version", "write version 1", first},
    {Flags, "flags", "the header's flags are 0", "Unsupported flags", "write 0", first},
    {NoData, "no-data", "sections follow the header", "No data", "do not load empty BTF", first},
    {SectionOffset, "section-offset", "a section begins inside the blob", "Invalid section offset",
     "rewrite the blob: it is cut off", first},
    {SectionGap, "section-gap", "no bytes are before, between or after the sections",
     "Unsupported section found",
     "write the sections one after another; merge several blobs into one", first},
    {SectionOverlap, "section-overlap", "sections do not overlap", "Section overlap found",
     "write the sections one after another", first},
    {SectionSize, "section-size", "a section ends inside the blob", "Total section length too long",
     "rewrite the blob: it is cut off", first},
    {StringsNotLast, "strings-not-last", "the strings are the last section",
     "String section is not at the end", "write the strings after the types", first},
    {StringsInvalid, "strings", "the strings begin and end with NUL and have at most 16 MiB",
     "Invalid string section", "rewrite the strings; split BTF needs its base", first},
    {TypesUnaligned, "types-unaligned", "the types begin at a multiple of 4 bytes",
     "Unaligned type_off", "write the types right after the header", first},
    {NoTypes, "no-types", "there is a type", "No type found", "do not load empty BTF", first},
    {TypeCount, "type-count", "there are at most 1048574 types", "Exceeded max num of types",
     "load fewer types", first},

    {CutOff, "cut-off", "a type ends inside the type section",
     "meta_left:", "rewrite the types: they are cut off", first},
    {UnknownKind, "unknown-kind", "kinds are those of btf.rst", "Invalid kind",
     "omit the type, or have the compiler omit it", first},
    {InfoBits, "info-bits", "kinds are below 32", "Invalid btf_info", "rewrite the types", first},
    {NameOffset, "name-offset", "a name's offset is in the string section", "Invalid name_offset",
     "rewrite the strings", first},
    {MemberName, "member-name", "the offset of a member's name is in the string section",
     "Invalid member name_offset", "rewrite the strings", first},
    {NameMissing, "name-missing", "it has a name", "Invalid name", "name it", first},
    {NameUnexpected, "name-unexpected", "it has no name", "Invalid name", "remove the name", first},
    {NameCharacters, "name",
     "a name has at most 512 bytes, only letters, digits, '_' and '.', and no digit first",
     "Invalid name", "rename it", first},
    {SectionName, "section-name", "a section's name is printable and has 1 to 512 bytes",
     "Invalid name", "rename the section", variables},
    {TagText, "tag-text", "a TYPE_TAG has a text", "Invalid name", "give the tag a text",
     type_tags},
    {TagValue, "tag-value", "a DECL_TAG has a text", "Invalid value", "give the tag a text",
     decl_tags},
    {NoElements, "no-elements", "vlen is 0 for its kind", "vlen != 0", "write 0", first},
    {NoKindFlag, "no-kind-flag", "kind_flag is 0 for its kind", "Invalid btf_info kind_flag",
     "write 0", functions},
    {TypeIdLimit, "type-id-limit", "type ids are at most 0xfffff", "Invalid type_id",
     "rewrite the types", first},
    {FwdType, "fwd-type", "a FWD refers to nothing", "type != 0", "write 0", first},
    {ArraySize, "array-size", "the size field of an array is 0", "size != 0", "write 0", first},
    {IntData, "int-data", "the unused bits of an INT are 0", "Invalid int_data", "write 0", first},
    {IntEncoding, "int-encoding", "an INT is signed, char, bool or none of these",
     "Unsupported encoding", "keep one of the encodings", first},
    {IntBits, "int-bits", "an INT has at most 128 bits", "nr_bits exceeds 128",
     "give it fewer bits", first},
    {IntSize, "int-size", "the bits of an INT fit into its bytes", "nr_bits exceeds type_size",
     "give it fewer bits or more bytes", first},
    {EnumSize, "enum-size", "an enum has 1, 2, 4 or 8 bytes", "Unexpected size",
     "give it one of these sizes", first},
    {FloatSize, "float-size", "a FLOAT has 2, 4, 8, 12 or 16 bytes", "Invalid type_size",
     "give it one of these sizes", floats},
    {MemberVoid, "member-void", "a member is not void", "Invalid type_id", "give the member a type",
     first},
    {MemberOrder, "member-order", "members come in order of offsets, those of a union at 0",
     "Invalid member bits_offset", "sort the members, or have the compiler keep their order",
     first},
    {MemberOffset, "member-offset", "a member begins inside its struct",
     "Member bits_offset exceeds its struct size", "give the struct its real size", first},
    {FuncLinkage, "func-linkage", "a FUNC is static or global", "Invalid func linkage",
     "link with the object that defines it, or declare it with __ksym", functions},
    {VarVoid, "var-void", "a variable is not void", "Invalid type_id", "give it a type", variables},
    {VarLinkage, "var-linkage", "a VAR is static or global", "Linkage not supported",
     "link with the object that defines it, or declare it with __ksym or __kconfig", variables},
    {DatasecSize, "datasec-size", "a DATASEC has a size", "size == 0",
     "fill in the size of the section", variables},
    {VarOrder, "var-order",
     "variables come in order of offsets, inside their section, without overlap", "Invalid offset",
     "fill in the offsets and sort by them", variables},
    {VarSize, "var-size", "a variable's size is not 0 and not above its section's", "Invalid size",
     "fill in the sizes", variables},
    {VarEnd, "var-end", "a variable ends inside its section", "Invalid offset+size",
     "fill in the size of the section", variables},
    {ComponentIndex, "component-index",
     "a DECL_TAG is for the whole (-1), or for an existing member or parameter",
     "Invalid component_idx", "rewrite the tag's index", decl_tags},

    {ReferenceKind, "reference-kind",
     "it refers to an existing type, which for a variable has a size, and not to a VAR, DATASEC, "
     "DECL_TAG or FUNC",
     "Invalid type_id", "refer to another type", first},
    {ArrayIndex, "array-index", "an array's index is an INT of whole bytes", "Invalid index",
     "use an unsigned int", first},
    {ArrayElement, "array-element", "an array's elements have a size", "Invalid elem",
     "use a type that is defined", first},
    {ArrayOfBitField, "array-of-bit-field", "an array's elements are whole bytes",
     "Invalid array of int", "use an INT of 8, 16, 32, 64 or 128 bits", first},
    {ArrayOverflow, "array-overflow", "an array has at most 4 GiB", "Array size overflows U32_MAX",
     "make it smaller", first},
    {MemberKind, "member-kind", "a member has a type with a size", "Invalid member",
     "use a type that is defined, or a pointer", first},
    {MemberEnd, "member-end", "a member ends inside its struct", "Member exceeds struct_size",
     "give the struct its real size", first},
    {MemberByte, "member-byte", "a member that is not a bit-field begins at a byte",
     "Member is not byte aligned", "use an integer for a bit-field", first},
    {MemberAlignment, "member-alignment", "a FLOAT is aligned in its struct",
     "Member is not properly aligned", "do not pack the struct", floats},
    {BitFieldSize, "bit-field-size", "a bit-field is an integer or enum, and no wider than that",
     "Invalid member bitfield_size", "make the bit-field narrower", functions},
    {BitFieldType, "bit-field-type", "an integer beside bit-fields has a type of whole bytes",
     "Invalid member base type", "use an INT of 8, 16, 32, 64 or 128 bits", functions},
    {BitFieldByte, "bit-field-byte", "an integer that is not a bit-field begins at a byte",
     "Invalid member offset", "give the bit-field its width", functions},
    {VarKind, "var-kind", "a DATASEC lists variables", "Not a VAR kind member",
     "declare kernel functions with __ksym", variables},
    {VarTooSmall, "var-too-small", "a variable in a section has room for its type", "Invalid size",
     "fill in the sizes", variables},
    {VarAfterPointer, "var-after-pointer",
     "in a DATASEC before its variables, a variable whose type begins with a qualifier or typedef "
     "does not follow a pointer, array, struct or union",
     "Invalid type", "write the DATASEC behind its variables and their types", variables,
     any_variables, with_variable_fix},
    {FuncPrototype, "func-prototype", "a FUNC has a prototype", "Invalid type_id",
     "rewrite the function's type", functions},
    {ParameterName, "parameter-name", "the parameters of a FUNC have names", "Invalid arg#",
     "name the parameters", functions},
    {ParameterType, "parameter-type", "a parameter has a type with a size; `...` has no name",
     "Invalid arg#", "use a type that is defined, or a pointer", functions},
    {ParameterCharacters, "parameter-characters",
     "a parameter's name has at most 512 bytes, only letters, digits, '_' and '.', and no digit "
     "first",
     "Invalid arg#", "rename it", functions},
    {ReturnType, "return-type", "a function returns void or a type with a size",
     "Invalid return type", "use a type that is defined, or a pointer", functions},
    {TagTarget, "tag-target", "a DECL_TAG is for a struct, union, typedef, variable or function",
     "Invalid type_id", "tag one of these", decl_tags},
    {Loop, "loop", "a type does not contain itself, nor is a chain of pointers a circle",
     "Loop detected", "put a struct between the pointers", first},
    {Depth, "depth", "types are nested at most 32 deep, in the order of ids",
     "Exceeded max resolving depth:32", "nest less, or write inner types before outer ones", first},
    {TagOrder, "tag-order", "type tags come before const, volatile, restrict and typedefs",
     "Type tags don't precede modifiers", "put the tags right after the `*`", tag_order,
     tags_anywhere},
    {ChainLength, "chain-length",
     "a chain of qualifiers, typedefs and type tags has at most 32 types",
     "Max chain length or cycle detected", "use fewer typedefs", tag_order},

    {TagOfMember, "tag-of-member",
     "in a struct with a kptr, or with a bpf_spin_lock, bpf_list_head or the like, a pointer "
     "has at most one tag, and that of a kptr",
     "", "omit the tag, or move the pointer to another struct", tags_of_members, tags_anywhere},
    {UserPointer, "user-pointer",
     "in a struct with a kptr, or with a bpf_spin_lock, bpf_list_head or the like, no pointer has "
     "the tag uptr",
     "", "move the pointer to another struct", tags_of_members, user_pointers},
    {KptrTarget, "kptr-target",
     "in a struct with a kptr, or with a bpf_spin_lock, bpf_list_head or the like, a kptr "
     "points to a struct",
     "", "point to a struct, or move the pointer to another one", tags_of_members},
    {FieldCount, "field-count",
     "a struct with a kptr, or with a bpf_spin_lock, bpf_list_head or the like, has at most "
     "11 such fields, those in its structs and arrays included",
     "", "move some to another struct", tags_of_members},
};

// Each rule has a text, in the order of the enumerators.
static_assert(std::ranges::equal(rules, std::views::iota(size_t{0}, std::size(rules)), {},
                                 [](const BtfRuleText& text) {
                                   return static_cast<size_t>(text.rule);
                                 }));
static_assert(std::size(rules) == static_cast<size_t>(FieldCount) + 1);

}  // namespace

const BtfRuleText& btf_rule_text(BtfRule rule) {
  return rules[static_cast<size_t>(rule)];
}

bool has_rule(LinuxRelease release, BtfRule rule, std::optional<uint16_t> update) {
  const BtfRuleText& text = btf_rule_text(rule);
  if (release < text.since || (text.until != LinuxRelease() && release >= text.until)) return false;
  auto patched = std::ranges::find(text.patched, release, &LinuxUpdate::release);
  return patched == text.patched.end() || (update && *update < patched->number);
}

bool is_accepted(const BtfVerdict& verdict, LinuxRelease release, std::optional<uint16_t> update) {
  return verdict.needs.release <= release &&
         std::ranges::none_of(verdict.faults, [&](const BtfFault& fault) {
           return has_rule(release, fault.rule, update);
         });
}

}  // namespace bpflink
