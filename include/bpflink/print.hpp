// Types as text: C declarations, and a numbered list.
#pragma once

#include <cstdint>
#include <string>

#include "bpflink/btf.hpp"

namespace bpflink {

/// The C declaration of `name` with type `id`, on one line and without a final
/// semicolon, in the manner of "const struct foo *name" or "int (*name)(long)".
/// Structs, unions and enums are referred to by tag; anonymous ones are written
/// out. With an empty name, the type's name alone.
BPFLINK_API std::string print_c_declaration(const Btf& btf, uint32_t id,
                                            std::string_view name = {});

/// The C definition of the struct, union, enum, typedef, VAR or FUNC with id
/// `id`, over several lines for members, with a final semicolon.
BPFLINK_API std::string print_c_definition(const Btf& btf, uint32_t id);

/// A header with all structs, unions, enums and typedefs of `btf`, in an order
/// in which C accepts them. Of several types of one name the second is called
/// NAME___2, and so on. Packing and padding are not expressed.
BPFLINK_API std::string print_c_header(const Btf& btf);

/// The type with id `id` as in a numbered list: a line with the id, kind, name
/// and what else the type says, and one for each member, enumerator, parameter
/// or variable, each with a line break at its end.
BPFLINK_API std::string print_raw(const Btf& btf, uint32_t id);

}  // namespace bpflink
