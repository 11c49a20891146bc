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

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "bpflink/btf.hpp"
#include "linker/files/object_file.hpp"

namespace bpflink {

/// Structs of the kernel that programs get pointers to, and never have in memory of their own.
inline constexpr std::array<std::string_view, 12> kernel_objects = {
    "cgroup",     "cred",    "dentry",  "file", "inode",       "mm_struct",
    "net_device", "request", "sk_buff", "sock", "super_block", "task_struct"};

/// By type id: whether a struct or union embeds a part that only the kernel's structs have, such as
/// a list_head.
std::vector<bool> find_kernel_records(const BtfView& types);

/// The names (tags or typedef names) of all types that any input shows to be the kernel's.
std::unordered_set<std::string_view> find_kernel_tags(
    std::span<const std::unique_ptr<ObjectFile>> objects);

}  // namespace bpflink
