// Numbers of DWARF that readers need. Specification: DWARF 5, section 7; the GNU and LLVM ones are
// of their compilers.
#pragma once

#include <cstdint>

namespace bpflink {

enum DwarfUnitType : uint8_t {
  DW_UT_compile = 0x01,
  DW_UT_type = 0x02,
  DW_UT_skeleton = 0x04,
  DW_UT_split_compile = 0x05,
  DW_UT_split_type = 0x06,
};

enum DwarfTag : uint16_t {
  DW_TAG_array_type = 0x01,
  DW_TAG_class_type = 0x02,
  DW_TAG_enumeration_type = 0x04,
  DW_TAG_formal_parameter = 0x05,
  DW_TAG_member = 0x0d,
  DW_TAG_pointer_type = 0x0f,
  DW_TAG_reference_type = 0x10,
  DW_TAG_compile_unit = 0x11,
  DW_TAG_structure_type = 0x13,
  DW_TAG_subroutine_type = 0x15,
  DW_TAG_typedef = 0x16,
  DW_TAG_union_type = 0x17,
  DW_TAG_unspecified_parameters = 0x18,
  DW_TAG_inlined_subroutine = 0x1d,
  DW_TAG_subrange_type = 0x21,
  DW_TAG_base_type = 0x24,
  DW_TAG_const_type = 0x26,
  DW_TAG_enumerator = 0x28,
  DW_TAG_subprogram = 0x2e,
  DW_TAG_variable = 0x34,
  DW_TAG_volatile_type = 0x35,
  DW_TAG_restrict_type = 0x37,
  DW_TAG_unspecified_type = 0x3b,
  DW_TAG_imported_unit = 0x3d,
  DW_TAG_atomic_type = 0x47,
  DW_TAG_call_site = 0x48,
  DW_TAG_GNU_call_site = 0x4109,
  DW_TAG_LLVM_annotation = 0x6000,
  DW_TAG_GNU_annotation = 0x6001,
};

enum DwarfAttribute : uint16_t {
  DW_AT_sibling = 0x01,
  DW_AT_location = 0x02,
  DW_AT_name = 0x03,
  DW_AT_byte_size = 0x0b,
  DW_AT_bit_offset = 0x0c,
  DW_AT_bit_size = 0x0d,
  DW_AT_stmt_list = 0x10,
  DW_AT_low_pc = 0x11,
  DW_AT_language = 0x13,
  DW_AT_import = 0x18,
  DW_AT_comp_dir = 0x1b,
  DW_AT_const_value = 0x1c,
  DW_AT_inline = 0x20,
  DW_AT_producer = 0x25,
  DW_AT_upper_bound = 0x2f,
  DW_AT_abstract_origin = 0x31,
  DW_AT_artificial = 0x34,
  DW_AT_calling_convention = 0x36,
  DW_AT_count = 0x37,
  DW_AT_data_member_location = 0x38,
  DW_AT_decl_file = 0x3a,
  DW_AT_decl_line = 0x3b,
  DW_AT_declaration = 0x3c,
  DW_AT_encoding = 0x3e,
  DW_AT_external = 0x3f,
  DW_AT_specification = 0x47,
  DW_AT_type = 0x49,
  DW_AT_data_bit_offset = 0x6b,
  DW_AT_str_offsets_base = 0x72,
  DW_AT_addr_base = 0x73,
  DW_AT_dwo_name = 0x76,
  DW_AT_loclists_base = 0x8c,
  DW_AT_GNU_dwo_name = 0x2130,
  DW_AT_GNU_dwo_id = 0x2131,
  DW_AT_GNU_addr_base = 0x2133,
  DW_AT_GNU_annotation = 0x2139,
};

enum DwarfEncoding : uint8_t {
  DW_ATE_boolean = 0x02,
  DW_ATE_float = 0x04,
  DW_ATE_signed = 0x05,
  DW_ATE_signed_char = 0x06,
};

enum DwarfLineContent : uint8_t { DW_LNCT_path = 1, DW_LNCT_directory_index = 2 };

}  // namespace bpflink
