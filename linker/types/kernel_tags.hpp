// Which structs, unions and enums are the kernel's.
//
// Their layout is not the program's to agree on. An object has what its vmlinux.h or its headers
// had, which may be of another kernel than those of the next object, or only the members that it
// reads; the loader adapts what it reads (CO-RE), or the verifier does (contexts of programs). BTF
// does not say where a type is from, nor that it has preserve_access_index, but an object shows
// which types it takes for the kernel's:
// - those that a CO-RE record names;
// - those of what it has from the kernel (.ksyms) and of what it gives to it (.struct_ops);
// - the contexts of its programs;
// - some whose names alone tell (task_struct), as a program may pass a pointer on unread;
// - those that have a part of which the kernel builds its structs (list_head);
// - and what these lead to: the kernel's types refer to no others.
#pragma once

#include <string_view>
#include <unordered_set>

namespace bpflink {

struct Context;

/// The names, a tag's or a typedef's, of all types that any input shows to be the kernel's.
std::unordered_set<std::string_view> find_kernel_tags(const Context& context);

}  // namespace bpflink
