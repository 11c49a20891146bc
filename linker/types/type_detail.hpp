// How much of the output's types something looks at: a loader, the verifier, or user space.
//
// What nothing refers to is there on purpose, and is looked at: variables and functions, which user
// space reads the types of, tags, and types that are kept by nothing else. Of what these lead to,
// the first struct behind a pointer is looked at, too: the verifier compares parameters, a loader
// what it takes from the kernel, and bpf2go writes types in other languages. Further than that look
//
// - the kernel, into what a struct_ops variable leads to,
// - `bpf_core_type_matches()`, into all that its type leads to,
// - and from any struct whose definition stays, the verifier, into what a pointer with a type tag
//   leads to (`__kptr`).
//
// Besides, names are looked for: those of the key and the value of a map, those in the texts of
// declaration tags (`contains:node:member`), and those of structs with members that the kernel
// manages (`struct bpf_timer`). CO-RE relocations name types, and pass through members, but never
// through a pointer. What else is behind pointers, nothing looks into.
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
