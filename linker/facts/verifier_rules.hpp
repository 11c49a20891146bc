// What verifiers demand of programs beside instructions: tables by release. They are of the
// kernel's sources of 5.10, 6.1, 6.12 and 7.3, and of loads on 7.2.
#pragma once

#include <linux/bpf.h>

#include <cstdint>
#include <string_view>

#include "linker/facts/linux_release.hpp"
#include "linker/facts/map_rules.hpp"

namespace bpflink {

/// The oldest release whose verifier the analysis of code has a model of.
inline constexpr LinuxRelease oldest_verifier = {5, 5};
/// Since this release, a verifier looks only into global functions that it meets a call of.
inline constexpr LinuxRelease functions_on_demand = {6, 8};

/// A tag of an argument of a global function, which says more than its type.
struct ArgumentTag {
  std::string_view text;
  LinuxRelease since;
  bool names_struct = false;  ///< the verifier looks for the struct in the kernel's BTF by name
};
/// Verifiers before the first of these releases pass over tags; later ones refuse those that they
/// do not know.
inline constexpr ArgumentTag argument_tags[] = {
    {"arg:ctx", {6, 8}},           {"arg:nonnull", {6, 8}}, {"arg:nullable", {6, 9}},
    {"arg:trusted", {6, 9}, true}, {"arg:arena", {6, 9}},   {"arg:untrusted", {6, 17}, true}};

/// What a map's value has that some programs may not refer to: from which release on kernels look
/// for it, and from which on programs for tracing, socket filters and programs that sleep may use
/// it. See check_map_prog_compatibility().
struct ValueField {
  std::string_view type;
  LinuxRelease since;
  Introduction in_tracing, in_socket_filters = {}, in_sleeping = {};
};
inline constexpr ValueField value_fields[] = {
    {"bpf_spin_lock", {5, 1}, in_no_kernel, in_no_kernel, {{6, 12}, {6, 2}}},
    {"bpf_res_spin_lock", {6, 15}, {{7, 3}}, in_no_kernel},
    {"bpf_timer", {5, 15}, {{7, 2}, {6, 13}}},
    {"bpf_wq", {6, 10}, {{7, 2}, {6, 13}}},
    {"bpf_list_head", {6, 2}, in_no_kernel},
    {"bpf_rb_root", {6, 3}, in_no_kernel},
};

/// From which release on programs that sleep may use maps of a type.
struct SleepingUse {
  uint32_t map_type;
  Introduction brought;
};
inline constexpr SleepingUse sleeping_uses[] = {
    {BPF_MAP_TYPE_HASH, {{5, 10}}},
    {BPF_MAP_TYPE_LRU_HASH, {{5, 10}}},
    {BPF_MAP_TYPE_ARRAY, {{5, 10}}},
    {BPF_MAP_TYPE_PERCPU_HASH, {{6, 1}, {5, 11}}},
    {BPF_MAP_TYPE_PERCPU_ARRAY, {{6, 1}, {5, 11}}},
    {BPF_MAP_TYPE_LRU_PERCPU_HASH, {{6, 1}, {5, 11}}},
    {BPF_MAP_TYPE_ARRAY_OF_MAPS, {{6, 1}, {5, 11}}},
    {BPF_MAP_TYPE_HASH_OF_MAPS, {{6, 1}, {5, 11}}},
    {BPF_MAP_TYPE_RINGBUF, {{6, 1}, {5, 11}}},
    {BPF_MAP_TYPE_USER_RINGBUF, {{6, 1}}},
    {BPF_MAP_TYPE_INODE_STORAGE, {{6, 1}, {5, 11}}},
    {BPF_MAP_TYPE_SK_STORAGE, {{6, 1}, {5, 11}}},
    {BPF_MAP_TYPE_TASK_STORAGE, {{6, 1}, {5, 11}}},
    {map_type_cgrp_storage, {{6, 12}, {6, 2}}},
    {BPF_MAP_TYPE_QUEUE, {{6, 12}, {6, 2}}},
    {BPF_MAP_TYPE_STACK, {{6, 12}, {6, 2}}},
    {map_type_arena, {{6, 9}}},
    {BPF_MAP_TYPE_LPM_TRIE, {{7, 2}, {6, 13}}},
    {BPF_MAP_TYPE_PROG_ARRAY, {{7, 2}, {6, 13}}},
    {map_type_insn_array, {{7, 3}, {6, 13}}},
    {map_type_rhash, {{7, 2}}},
};

}  // namespace bpflink
