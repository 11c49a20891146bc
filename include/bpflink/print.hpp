// Types as text: C declarations, and a numbered list.
#pragma once

#include <cstdint>
#include <string>

#include "bpflink/btf.hpp"

namespace bpflink {

/// The C declaration of `name` with type `id`, on one line and without a final
/// semicolon, in the manner of "const struct foo *name" or "int (*name)(long)".
/// Structs, unions and enums are referred to by tag; anonymous ones are written
/// out. With an empty name, the type's name alone; a VAR or FUNC has its own name then.
/// Names that C cannot have are made into ones that it can, as by print_c_header().
/// What is deeper or longer than in any source, or goes in circles, ends in `...`.
BPFLINK_API std::string print_c_declaration(const BtfView& btf, uint32_t id,
                                            std::string_view name = {});

/// The C definition of the struct, union, enum, typedef, VAR or FUNC with id
/// `id`, over several lines for members, with a final semicolon.
BPFLINK_API std::string print_c_definition(const BtfView& btf, uint32_t id);

/// A header with all structs, unions, enums and typedefs of `btf`, in an order
/// in which C accepts them, for gcc and clang (C11 with GNU extensions). As
/// compiled for the target that the BTF is of, or for another with the same
/// sizes of pointers and `long`, each struct and union has the size and each
/// member the offset that the BTF says: by padding, and by being packed.
///
/// Of several types of one name, or several enumerators, the second is called
/// NAME___2, and so on; a name that C cannot have is made into one that it can.
/// Types without a name are named where they are shared enumerators or would
/// make the text out of proportion to `btf`. What no C can say is left out: a
/// member that lies outside its struct, what is behind a pointer that leads
/// back to itself without a tag in between; a member of a type without a size,
/// such as void, takes no room. Variables and functions are not declared.
///
/// Compiled for BPF, records are marked `preserve_access_index`, unless
/// BPF_NO_PRESERVE_ACCESS_INDEX is defined. The header calls itself
/// __VMLINUX_H__, which libbpf's headers look for.
BPFLINK_API std::string print_c_header(const BtfView& btf);

/// The type with id `id` as in a numbered list: a line with the id, kind, name
/// and what else the type says, and one for each member, enumerator, parameter
/// or variable, each with a line break at its end.
BPFLINK_API std::string print_raw(const BtfView& btf, uint32_t id);

}  // namespace bpflink
