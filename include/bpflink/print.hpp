// Types as text: C declarations, and a numbered list.
#pragma once

#include <cstdint>
#include <string>

#include "bpflink/btf.hpp"

namespace bpflink {

/// The C declaration of `name` with type `id`, without a final semicolon: "const struct foo *name",
/// "int (*name)(long)". Structs, unions and enums are named by their tags; anonymous ones are
/// written out, over several lines. With an empty name, the type alone, or a VAR or FUNC by its own
/// name. Names that are not valid in C are changed, as in print_c_header(). A type that nests
/// deeper or is longer than in any source, or refers to itself without a tag, ends in `...`.
std::string print_c_declaration(const BtfView& btf, uint32_t id, std::string_view name = {});

/// The C definition of the struct, union, enum, typedef, VAR or FUNC `id`, with a line for each
/// member and a final semicolon.
std::string print_c_definition(const BtfView& btf, uint32_t id);

/// A header for gcc and clang (C11 with GNU extensions) with all structs, unions, enums and
/// typedefs of `btf` and its base, sorted by name as far as C permits. Compiled for a target with
/// the same sizes of pointers and `long`, each struct and union has the size, and each member the
/// offset, that the BTF gives; the header pads and packs as needed. If no two types of `btf` are
/// equal, the text does not depend on the order of their ids.
///
/// Functions with a DECL_TAG `bpf_kfunc` are declared for programs, as `__weak __ksym`, unless
/// BPF_NO_KFUNC_PROTOTYPES is defined. Other functions, and variables, are not declared.
///
/// The largest type of a name keeps it; the next is called NAME___2, and so on, as are enumerators.
/// Names that are not valid in C are changed. An anonymous type gets a name if its enumerators are
/// shared, or if writing it out each time would make the text out of proportion to `btf`. What C
/// cannot express is omitted: a member outside its struct, what is behind a pointer that leads back
/// to itself without a tag in between, and a kfunc whose name is not valid in C. A member whose
/// type has no size, such as void, takes no room.
///
/// For BPF, records get the attribute `preserve_access_index`, unless BPF_NO_PRESERVE_ACCESS_INDEX
/// is defined. The header defines __VMLINUX_H__, which libbpf's headers look for.
std::string print_c_header(const BtfView& btf);

/// Type `id` as in a numbered list: a line with its id, kind, name and properties, and a line for
/// each member, enumerator, parameter or variable, each with its line break.
std::string print_raw(const BtfView& btf, uint32_t id);

}  // namespace bpflink
