// Finds the structs, unions and enums that belong to the kernel.
//
// Objects need not agree on their layout. Each has the layout of its own vmlinux.h or headers,
// which may be of another kernel, or only the members that it reads. The loader adapts accesses
// (CO-RE), or the verifier does (contexts of programs). BTF neither says where a type comes from
// nor that it has preserve_access_index, but an object shows which types are the kernel's:
// - those that a CO-RE record names;
// - those of its .ksyms externs and .struct_ops variables;
// - the contexts of its programs;
// - some with known names (xdp_md), because a program may pass on a pointer without reading;
// - those that contain a part from which the kernel builds its structs (list_head);
// - and types that these lead to: the kernel's types refer to no others.
#pragma once

#include <string_view>
#include <unordered_set>

namespace bpflink {

struct Context;

/// The names (tags or typedef names) of all types that any input shows to be the kernel's.
std::unordered_set<std::string_view> find_kernel_tags(const Context& context);

}  // namespace bpflink
