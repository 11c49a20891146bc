// The texts of the rules, and the words of the kernel's log for each.
#include <algorithm>
#include <ranges>

#include "bpflink/check.hpp"

namespace bpflink {
namespace {

constexpr LinuxRelease first = {4, 18}, functions = {5, 0}, variables = {5, 2}, floats = {5, 13},
                       decl_tags = {5, 16}, type_tags = {5, 17};

using enum BtfRule;

constexpr BtfRuleText rules[] = {
    {BlobSize, "blob-size", "a blob has 16 MiB at most", "", "load fewer types", first},
    {HeaderSize, "header-size", "a header has 24 bytes or more and lies in the blob",
     "btf_header not found", "write the blob anew: it is cut off, or not BTF", first},
    {HeaderRest, "header-rest", "header fields that are not known are zero",
     "Unsupported btf_header", "write a header of 24 bytes", first},
    {Magic, "magic", "a blob begins with the magic number of BTF", "Invalid magic",
     "this is not BTF", first},
    {Version, "version", "the version is 1", "Unsupported version", "write version 1", first},
    {Flags, "flags", "the header's flags are 0", "Unsupported flags", "write 0", first},
    {NoData, "no-data", "there is more than a header", "No data", "load no empty BTF", first},
    {SectionOffset, "section-offset", "a section begins in the blob", "Invalid section offset",
     "write the blob anew: it is cut off", first},
    {SectionGap, "section-gap", "there is nothing before, between and behind the sections",
     "Unsupported section found",
     "write the sections one after another; of several blobs in a "
     "row, make one",
     first},
    {SectionOverlap, "section-overlap", "sections do not overlap", "Section overlap found",
     "write the sections one after another", first},
    {SectionSize, "section-size", "a section ends in the blob", "Total section length too long",
     "write the blob anew: it is cut off", first},
    {StringsNotLast, "strings-not-last", "the strings are the last section",
     "String section is not at the end", "write the strings behind the types", first},
    {StringsInvalid, "strings", "the strings begin and end with NUL and have 16 MiB at most",
     "Invalid string section", "write the strings anew; split BTF needs its base", first},
    {TypesUnaligned, "types-unaligned", "the types begin at a multiple of 4 bytes",
     "Unaligned type_off", "write the types right behind the header", first},
    {NoTypes, "no-types", "there is a type", "No type found", "load no empty BTF", first},
    {TypeCount, "type-count", "there are 1048574 types at most", "Exceeded max num of types",
     "load fewer types", first},

    {CutOff, "cut-off", "a type ends in the type section",
     "meta_left:", "write the types anew: they are cut off", first},
    {UnknownKind, "unknown-kind", "a kind is one of 1 to 19", "Invalid kind",
     "leave out the type, or have the compiler do so", first},
    {InfoBits, "info-bits", "kinds are below 32", "Invalid btf_info", "write the types anew",
     first},
    {NameOffset, "name-offset", "a name is in the string section", "Invalid name_offset",
     "write the strings anew", first},
    {MemberName, "member-name", "a member's name is in the string section",
     "Invalid member name_offset", "write the strings anew", first},
    {NameMissing, "name-missing", "it has a name", "Invalid name", "name it", first},
    {NameUnexpected, "name-unexpected", "it has no name", "Invalid name", "take the name away",
     first},
    {NameCharacters, "name",
     "a name is of letters, digits, '_' and '.', with no digit first, and has 512 bytes at most",
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
    {TypeIdLimit, "type-id-limit", "type ids are 0xfffff at most", "Invalid type_id",
     "write the types anew", first},
    {FwdType, "fwd-type", "a FWD refers to nothing", "type != 0", "write 0", first},
    {ArraySize, "array-size", "the size field of an array is 0", "size != 0", "write 0", first},
    {IntData, "int-data", "the bits of an INT that mean nothing are 0", "Invalid int_data",
     "write 0", first},
    {IntEncoding, "int-encoding", "an INT is signed, char, bool or none of these",
     "Unsupported encoding", "keep one of the encodings", first},
    {IntBits, "int-bits", "an INT has 128 bits at most", "nr_bits exceeds 128",
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
     "define the function, or declare it with __ksym", functions},
    {VarVoid, "var-void", "a variable is not void", "Invalid type_id", "give it a type", variables},
    {VarLinkage, "var-linkage", "a VAR is static or global", "Linkage not supported",
     "define the variable, or declare it with __ksym or __kconfig", variables},
    {DatasecSize, "datasec-size", "a DATASEC has a size", "size == 0",
     "fill in the size of the section", variables},
    {VarOrder, "var-order",
     "variables come in order of offsets, inside their section, without "
     "overlap",
     "Invalid offset", "fill in the offsets and sort by them", variables},
    {VarSize, "var-size", "a variable has a size, not above its section's", "Invalid size",
     "fill in the sizes", variables},
    {VarEnd, "var-end", "a variable ends inside its section", "Invalid offset+size",
     "fill in the size of the section", variables},
    {ComponentIndex, "component-index",
     "a DECL_TAG is about the whole (-1), or a member or parameter that is there",
     "Invalid component_idx", "write the tag's index anew", decl_tags},

    {ReferenceKind, "reference-kind",
     "it refers to a type that is there and, if it is a variable, has a size; not to a VAR, "
     "DATASEC, DECL_TAG or FUNC",
     "Invalid type_id", "refer to another type", first},
    {ArrayIndex, "array-index", "an array's index is an INT of whole bytes", "Invalid index",
     "use an unsigned int", first},
    {ArrayElement, "array-element", "an array's elements have a size", "Invalid elem",
     "use a type that is defined", first},
    {ArrayOfBitField, "array-of-bit-field", "an array's elements are whole bytes",
     "Invalid array of int", "use an INT of 8, 16, 32, 64 or 128 bits", first},
    {ArrayOverflow, "array-overflow", "an array has 4 GiB at most", "Array size overflows U32_MAX",
     "make it smaller", first},
    {MemberKind, "member-kind", "a member has a type with a size", "Invalid member",
     "use a type that is defined, or a pointer", first},
    {MemberEnd, "member-end", "a member ends inside its struct", "Member exceeds struct_size",
     "give the struct its real size", first},
    {MemberByte, "member-byte", "a member that is no bit-field begins at a byte",
     "Member is not byte aligned", "use an integer for a bit-field", first},
    {MemberAlignment, "member-alignment", "a FLOAT is aligned in its struct",
     "Member is not properly aligned", "do not pack the struct", floats},
    {BitFieldSize, "bit-field-size", "a bit-field is an integer or enum, and no wider than that",
     "Invalid member bitfield_size", "make the bit-field narrower", functions},
    {BitFieldType, "bit-field-type", "an integer beside bit-fields has a type of whole bytes",
     "Invalid member base type", "use an INT of 8, 16, 32, 64 or 128 bits", functions},
    {BitFieldByte, "bit-field-byte", "an integer that is no bit-field begins at a byte",
     "Invalid member offset", "give the bit-field its width", functions},
    {VarKind, "var-kind", "a DATASEC lists variables", "Not a VAR kind member",
     "declare functions that the kernel has with __ksym", variables},
    {VarTooSmall, "var-too-small", "a variable in a section has room for its type", "Invalid size",
     "fill in the sizes", variables},
    {FuncPrototype, "func-prototype", "a FUNC has a prototype", "Invalid type_id",
     "write the function's type anew", functions},
    {ParameterName, "parameter-name", "the parameters of a FUNC have names", "Invalid arg#",
     "name the parameters", functions},
    {ParameterType, "parameter-type", "a parameter has a type with a size; `...` has no name",
     "Invalid arg#", "use a type that is defined, or a pointer", functions},
    {ParameterCharacters, "parameter-characters",
     "a parameter's name is of letters, digits, '_' and '.', with no digit first, and has 512 "
     "bytes "
     "at most",
     "Invalid arg#", "rename it", functions},
    {ReturnType, "return-type", "a function returns void or a type with a size",
     "Invalid return type", "use a type that is defined, or a pointer", functions},
    {TagTarget, "tag-target", "a DECL_TAG is about a struct, union, typedef, variable or function",
     "Invalid type_id", "tag one of these", decl_tags},
    {Loop, "loop", "a type does not contain itself, nor is a chain of pointers a circle",
     "Loop detected", "put a struct between the pointers", first},
    {Depth, "depth", "types are nested 32 deep at most in the order of ids",
     "Exceeded max resolving depth:32", "nest less, or put what is nested before what it is in",
     first},
    {TagOrder, "tag-order", "type tags come before const, volatile, restrict and typedefs",
     "Type tags don't precede modifiers", "put the tags right behind the `*`", type_tags},
    {ChainLength, "chain-length", "no chain of qualifiers, typedefs and type tags has more than 32",
     "Max chain length or cycle detected", "use fewer typedefs", type_tags},
};

// Each rule has its text, in their order.
static_assert(std::ranges::equal(rules, std::views::iota(size_t{0}, std::size(rules)), {},
                                 [](const BtfRuleText& text) {
                                   return static_cast<size_t>(text.rule);
                                 }));
static_assert(std::size(rules) == static_cast<size_t>(ChainLength) + 1);

}  // namespace

const BtfRuleText& btf_rule_text(BtfRule rule) {
  return rules[static_cast<size_t>(rule)];
}

}  // namespace bpflink
