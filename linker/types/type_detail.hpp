// How much of each type a loader, the verifier or user space looks at.
//
// Variables, functions, tags, and types that nothing refers to are looked at. User space reads the
// types of variables (bpf2go does), the verifier compares parameters, a loader compares what it
// takes from the kernel. So the first struct behind each of their pointers keeps its definition.
// The same holds for
//
// - the type that a CO-RE relocation names; an access passes through members, not through pointers,
// - the key and the value of a map,
// - what a pointer with a type tag leads to (`__kptr`), in any struct that keeps its definition,
// - a struct with a member that the kernel manages (`struct bpf_timer`), at any depth,
// - a struct or typedef that the text of a declaration tag names (`contains:node:member`).
//
// All that a struct_ops variable leads to keeps its definition, and all that the type of a
// bpf_core_type_matches() leads to. Nothing looks into any other struct behind a pointer.
#pragma once

#include <cstdint>
#include <vector>

namespace bpflink {

struct Context;

/// What must be there of a type. Each detail includes those before it.
enum class TypeDetail : uint8_t {
  Nothing,
  Declaration,  ///< its name; only structs and unions can do without their definition
  Definition,   ///< also the definitions of what it has by value; pointers lead to declarations
  Pointees,     ///< also the definitions of the first structs and unions behind its pointers
  Everything,   ///< also the definitions of all that it leads to
};

/// The detail of each type of the output, by id. Of the structs, or the unions, of one name, all
/// are defined or none. Known after build_datasecs(). All kinds must be known.
std::vector<TypeDetail> find_type_details(const Context& context);

}  // namespace bpflink
