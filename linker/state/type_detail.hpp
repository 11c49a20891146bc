// How much of each type a loader, the verifier or user space looks at.
//
// Something looks at variables, functions, tags, and types that nothing refers to. User space reads
// the types of variables (bpf2go does), the verifier compares parameters, a loader compares types
// with the kernel's. So the first struct behind each of their pointers keeps its definition. The
// same holds for
//
// - the type that a CO-RE relocation names; an access passes through members, not through pointers,
// - the key and the value of a map,
// - types behind a pointer with a type tag (`__kptr`), in any struct that keeps its definition,
// - a struct with a member that the kernel manages (`struct bpf_timer`), at any depth,
// - a struct or typedef that the text of a declaration tag names (`contains:node:member`),
// - what --keep-type names.
//
// All types that a struct_ops variable leads to keep their definitions, and so do those that the
// type of a bpf_core_type_matches() leads to. Nothing looks into any other struct behind a pointer.
#pragma once

#include <cstdint>
#include <vector>

namespace bpflink {

struct Context;

/// How much of a type is needed. Each detail includes those before it.
enum class TypeDetail : uint8_t {
  Nothing,
  Declaration,  ///< its name; only structs and unions can do without their definition
  Definition,   ///< also the definitions of types that it contains by value
  Pointees,     ///< also the definitions of the first structs and unions behind its pointers
  Everything,   ///< also the definitions of all types that it leads to
};

/// The detail of each type of the output, by id. All structs of one name are defined, or none;
/// likewise unions. Valid after build_datasecs(). All kinds must be known.
std::vector<TypeDetail> find_type_details(const Context& context);

}  // namespace bpflink
