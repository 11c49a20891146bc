#include "linker/facts/map_rules.hpp"

#include <fmt/format.h>
#include <linux/bpf.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string_view>

#include "dedup/for_linker.hpp"
#include "linker/facts/helpers.hpp"
#include "linker/facts/linux_release.hpp"

namespace bpflink {
namespace {

// Not in the headers of every system:
constexpr uint32_t user_ringbuf_drain = 209, cgrp_storage_get = 210;
constexpr uint32_t flag_no_prealloc = 1, flag_no_common_lru = 2, flag_numa_node = 4,
                   flag_read_only = 8, flag_write_only = 16, flag_build_id = 32,
                   flag_zero_seed = 64, flag_read_only_program = 128, flag_write_only_program = 256,
                   flag_clone = 512, flag_mmapable = 1U << 10, flag_preserve_elements = 1U << 11,
                   flag_inner_map = 1U << 12, flag_token = 1U << 16, flag_segv_on_fault = 1U << 17,
                   flag_no_user_conversion = 1U << 18, flag_overwrite = 1U << 19;

struct FlagName {
  uint32_t flag;
  std::string_view name;
  LinuxRelease since = {};
};
constexpr FlagName flag_names[] = {
    {flag_no_prealloc, "BPF_F_NO_PREALLOC"},
    {flag_no_common_lru, "BPF_F_NO_COMMON_LRU"},
    {flag_numa_node, "BPF_F_NUMA_NODE"},
    {flag_read_only, "BPF_F_RDONLY"},
    {flag_write_only, "BPF_F_WRONLY"},
    {flag_build_id, "BPF_F_STACK_BUILD_ID"},
    {flag_zero_seed, "BPF_F_ZERO_SEED", {5, 0}},
    {flag_read_only_program, "BPF_F_RDONLY_PROG", {5, 2}},
    {flag_write_only_program, "BPF_F_WRONLY_PROG", {5, 2}},
    {flag_clone, "BPF_F_CLONE", {5, 4}},
    {flag_mmapable, "BPF_F_MMAPABLE", {5, 5}},
    {flag_preserve_elements, "BPF_F_PRESERVE_ELEMS", {5, 10}},
    {flag_inner_map, "BPF_F_INNER_MAP", {5, 10}},
    {flag_token, "BPF_F_TOKEN_FD"},
    {flag_segv_on_fault, "BPF_F_SEGV_ON_FAULT", {6, 9}},
    {flag_no_user_conversion, "BPF_F_NO_USER_CONV", {6, 9}},
    {flag_overwrite, "BPF_F_RB_OVERWRITE", {6, 19}},
};

/// What becomes of a map whose definition does not give a size.
enum class WithoutSize : uint8_t {
  Refused,
  Completed,         ///< programs set the size before the load
  CompletedByOthers  ///< than libbpf
};

/// The sizes in bytes that keys or values may have.
struct SizeRule {
  uint64_t least = 0, most = 0;
  uint64_t multiple_of = 1;
  uint64_t other = 0;             ///< another size that is allowed
  LinuxRelease other_since = {};  ///< from this release on
  WithoutSize without = WithoutSize::Refused;
  uint64_t once_most = 0;  ///< what releases before `more_since` allow, if it is less
  LinuxRelease more_since = {};
};
constexpr uint64_t any_bytes = UINT32_MAX, per_cpu_bytes = 32 << 10;
constexpr SizeRule none{}, some{1, any_bytes}, per_cpu{1, per_cpu_bytes}, index_key{4, 4},
    descriptor{.least = 4, .most = 4, .without = WithoutSize::CompletedByOthers},
    stack_of_addresses{
        .least = 8, .most = any_bytes, .multiple_of = 8, .without = WithoutSize::Completed},
    lpm_key{5, 260}, one_cookie{.least = 4, .most = 4, .other = 8},
    with_program_58{.least = 4, .most = 4, .other = 8, .other_since = {5, 8}},
    with_program_59{.least = 4, .most = 4, .other = 8, .other_since = {5, 9}},
    // Once a value had to fit into a page, and a hash's key into the stack.
    cgroup_value{.least = 1, .most = any_bytes, .once_most = 4096, .more_since = {5, 15}},
    cgroup_per_cpu{.least = 1, .most = per_cpu_bytes, .once_most = 4096, .more_since = {5, 15}},
    hash_key{.least = 1, .most = any_bytes, .once_most = 512, .more_since = {5, 11}},
    cgroup_key{.least = 16, .most = 16, .other = 8, .other_since = {5, 9}};

enum class Entries : uint8_t { Some, None };

struct MapRules {
  uint32_t type;
  std::string_view name;  ///< as bpftool spells it
  SizeRule key, value;
  uint32_t flags = 0;           ///< those that are allowed
  uint32_t required_flags = 0;  ///< those that must be set
  Entries entries = Entries::Some;
  bool needs_types = false;  ///< the key and the value must have types in BTF
};

constexpr uint32_t access_flags =
    flag_read_only | flag_write_only | flag_read_only_program | flag_write_only_program;
constexpr uint32_t user_flags = flag_numa_node | flag_read_only | flag_write_only;
constexpr uint32_t hash_flags = flag_no_prealloc | flag_numa_node | access_flags | flag_zero_seed;
constexpr uint32_t lru_flags = flag_no_common_lru | flag_numa_node | access_flags | flag_zero_seed;
constexpr uint32_t array_flags = flag_numa_node | access_flags;
constexpr uint32_t storage_flags = flag_no_prealloc | flag_clone;

constexpr MapRules rules[] = {
    {BPF_MAP_TYPE_HASH, "hash", hash_key, some, hash_flags},
    {BPF_MAP_TYPE_ARRAY, "array", index_key, some, array_flags | flag_mmapable | flag_inner_map},
    {BPF_MAP_TYPE_PROG_ARRAY, "prog_array", descriptor, descriptor, user_flags},
    {BPF_MAP_TYPE_PERF_EVENT_ARRAY, "perf_event_array", descriptor, descriptor,
     user_flags | flag_preserve_elements},
    {BPF_MAP_TYPE_PERCPU_HASH, "percpu_hash", hash_key, per_cpu, hash_flags & ~flag_numa_node},
    {BPF_MAP_TYPE_PERCPU_ARRAY, "percpu_array", index_key, per_cpu, access_flags},
    {BPF_MAP_TYPE_STACK_TRACE, "stack_trace", descriptor, stack_of_addresses,
     user_flags | flag_build_id | flag_read_only_program | flag_write_only_program},
    {BPF_MAP_TYPE_CGROUP_ARRAY, "cgroup_array", descriptor, descriptor, user_flags},
    {BPF_MAP_TYPE_LRU_HASH, "lru_hash", hash_key, some, lru_flags},
    {BPF_MAP_TYPE_LRU_PERCPU_HASH, "lru_percpu_hash", hash_key, per_cpu,
     lru_flags & ~flag_numa_node},
    {BPF_MAP_TYPE_LPM_TRIE, "lpm_trie", lpm_key, some,
     flag_no_prealloc | flag_numa_node | access_flags, flag_no_prealloc},
    {BPF_MAP_TYPE_ARRAY_OF_MAPS, "array_of_maps", descriptor, descriptor, user_flags},
    {BPF_MAP_TYPE_HASH_OF_MAPS, "hash_of_maps", hash_key, descriptor, hash_flags},
    {BPF_MAP_TYPE_DEVMAP, "devmap", index_key, with_program_58, user_flags},
    {BPF_MAP_TYPE_SOCKMAP, "sockmap", index_key, one_cookie, user_flags},
    {BPF_MAP_TYPE_CPUMAP, "cpumap", index_key, with_program_59, flag_numa_node},
    {BPF_MAP_TYPE_XSKMAP, "xskmap", index_key, index_key, user_flags},
    {BPF_MAP_TYPE_SOCKHASH, "sockhash", {1, 512}, one_cookie, user_flags},
    {BPF_MAP_TYPE_CGROUP_STORAGE, "cgroup_storage", cgroup_key, cgroup_value, array_flags, 0,
     Entries::None},
    {BPF_MAP_TYPE_REUSEPORT_SOCKARRAY, "reuseport_sockarray", index_key, one_cookie, array_flags},
    {BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE, "percpu_cgroup_storage", cgroup_key, cgroup_per_cpu,
     array_flags, 0, Entries::None},
    {BPF_MAP_TYPE_QUEUE, "queue", none, some, array_flags},
    {BPF_MAP_TYPE_STACK, "stack", none, some, array_flags},
    {BPF_MAP_TYPE_SK_STORAGE, "sk_storage", index_key, some, storage_flags, flag_no_prealloc,
     Entries::None, true},
    {BPF_MAP_TYPE_DEVMAP_HASH, "devmap_hash", index_key, with_program_58, user_flags},
    {BPF_MAP_TYPE_RINGBUF, "ringbuf", none, none, flag_numa_node | flag_overwrite},
    {BPF_MAP_TYPE_INODE_STORAGE, "inode_storage", index_key, some, storage_flags, flag_no_prealloc,
     Entries::None, true},
    {BPF_MAP_TYPE_TASK_STORAGE, "task_storage", index_key, some, storage_flags, flag_no_prealloc,
     Entries::None, true},
    {BPF_MAP_TYPE_BLOOM_FILTER, "bloom_filter", none, some, array_flags | flag_zero_seed},
    {BPF_MAP_TYPE_USER_RINGBUF, "user_ringbuf", none, none, flag_numa_node},
    {map_type_cgrp_storage, "cgrp_storage", index_key, some, storage_flags, flag_no_prealloc,
     Entries::None, true},
    {map_type_arena, "arena", none, none,
     flag_mmapable | flag_segv_on_fault | flag_no_user_conversion, flag_mmapable},
    {map_type_insn_array, "insn_array", index_key, {16, 16}, 0},
    {map_type_rhash,
     "rhash",
     {1, UINT16_MAX},
     some,
     flag_no_prealloc | array_flags,
     flag_no_prealloc},
};

std::string describe_sizes(const SizeRule& rule, std::string_view what) {
  if (rule.most == 0) return fmt::format("such maps have no {}s", what);
  if (rule.other != 0) return fmt::format("it must have {} or {}", rule.least, rule.other);
  if (rule.least == rule.most)
    return what == "key" && rule.least == 4 ? "the key is an index of 4 bytes"
                                            : fmt::format("it must have {}", rule.least);
  if (rule.multiple_of != 1) return fmt::format("it must be a multiple of {}", rule.multiple_of);
  return rule.most == any_bytes ? fmt::format("it must have {} or more", rule.least)
                                : fmt::format("it must have {} to {}", rule.least, rule.most);
}

std::string of_type(const Map& map) {
  return fmt::format("of type {}", map_type_name(map.type));
}

/// `what` is "key" or "value".
std::optional<MapFault> find_size_fault(const Map& map, const SizeRule& rule,
                                        std::string_view what) {
  bool is_key = what == "key";
  uint64_t size = is_key ? map.key_size : map.value_size;
  bool is_given = map.attribute(what) || map.attribute(is_key ? "key_size" : "value_size");
  if (!is_given) {
    // The loader sets the size of what __array(values, ...) gives.
    bool has_values = !is_key && map.attribute("values");
    if (rule.least == 0 || rule.without == WithoutSize::Completed || has_values)
      return std::nullopt;
    if (rule.without == WithoutSize::Refused)
      return MapFault{fmt::format("{} has no {}", of_type(map), what)};
    return MapFault{
        fmt::format("has no {}, which maps {} need and libbpf does not add", what, of_type(map)),
        {},
        fmt::format("__uint({}_size, sizeof(int));", what),
        true};
  }
  // Another object may define a struct that this one only declares.
  bool has_type = (is_key ? map.key_type_id : map.value_type_id) != 0;
  if (size == 0 && has_type && rule.most != 0) return std::nullopt;
  bool is_other = rule.other != 0 && size == rule.other;
  if (is_other || (size >= rule.least && size <= rule.most && size % rule.multiple_of == 0)) {
    bool is_more = rule.once_most != 0 && size > rule.once_most;
    LinuxRelease since = is_other ? rule.other_since : is_more ? rule.more_since : LinuxRelease{};
    if (since == LinuxRelease{}) return std::nullopt;
    return MapFault{fmt::format("{} has a {} of {}, which came with {}", of_type(map), what,
                                count_of(size, "byte"), linux_name(since)),
                    since};
  }
  return MapFault{fmt::format("{} has a {} of {}: {}", of_type(map), what, count_of(size, "byte"),
                              describe_sizes(rule, what))};
}

std::optional<MapFault> find_flag_fault(const Map& map, const MapRules& rule) {
  MapFault newest{"", {}};
  for (const FlagName& name : flag_names) {
    if ((rule.required_flags & ~map.flags & name.flag) != 0)
      return MapFault{fmt::format("{} lacks {}", of_type(map), name.name),
                      {},
                      fmt::format("__uint(map_flags, {});", name.name)};
    if ((map.flags & name.flag) == 0) continue;
    if (name.flag == flag_token)
      return MapFault{
          fmt::format("has {}, which loaders set for a token", name.name), {}, "", true};
    if ((rule.flags & name.flag) == 0)
      return MapFault{
          fmt::format("{} has {}, which such maps do not take", of_type(map), name.name)};
    if (name.since > newest.since)
      newest = {fmt::format("{} has {}, which came with {}", of_type(map), name.name,
                            linux_name(name.since)),
                name.since};
  }
  constexpr uint32_t program_flags = flag_read_only_program | flag_write_only_program;
  if ((map.flags & program_flags) == program_flags)
    return MapFault{fmt::format("{} has BPF_F_RDONLY_PROG and BPF_F_WRONLY_PROG", of_type(map))};
  return newest.since == LinuxRelease{} ? std::nullopt : std::optional(std::move(newest));
}

/// Maps that only these helpers take. From check_map_func_compatibility() of Linux 7.3: what it
/// lets pass, earlier releases let pass as well, if they have the helper and the type.
struct MapHelpers {
  uint32_t map_type;
  uint32_t helpers[7];  ///< 0 behind the last
};
constexpr uint32_t lookup = BPF_FUNC_map_lookup_elem, update = BPF_FUNC_map_update_elem,
                   remove = BPF_FUNC_map_delete_elem, push = BPF_FUNC_map_push_elem,
                   pop = BPF_FUNC_map_pop_elem, peek = BPF_FUNC_map_peek_elem;
constexpr MapHelpers map_helpers[] = {
    {BPF_MAP_TYPE_PROG_ARRAY, {BPF_FUNC_tail_call}},
    {BPF_MAP_TYPE_PERF_EVENT_ARRAY,
     {BPF_FUNC_perf_event_read, BPF_FUNC_perf_event_output, BPF_FUNC_perf_event_read_value,
      BPF_FUNC_skb_output, BPF_FUNC_xdp_output}},
    {BPF_MAP_TYPE_STACK_TRACE, {BPF_FUNC_get_stackid}},
    {BPF_MAP_TYPE_CGROUP_ARRAY, {BPF_FUNC_skb_under_cgroup, BPF_FUNC_current_task_under_cgroup}},
    {BPF_MAP_TYPE_ARRAY_OF_MAPS, {lookup}},
    {BPF_MAP_TYPE_HASH_OF_MAPS, {lookup}},
    {BPF_MAP_TYPE_DEVMAP, {BPF_FUNC_redirect_map, lookup}},
    {BPF_MAP_TYPE_DEVMAP_HASH, {BPF_FUNC_redirect_map, lookup}},
    {BPF_MAP_TYPE_CPUMAP, {BPF_FUNC_redirect_map}},
    {BPF_MAP_TYPE_XSKMAP, {BPF_FUNC_redirect_map, lookup}},
    {BPF_MAP_TYPE_SOCKMAP,
     {BPF_FUNC_sk_redirect_map, BPF_FUNC_sock_map_update, BPF_FUNC_msg_redirect_map,
      BPF_FUNC_sk_select_reuseport, lookup, update, remove}},
    {BPF_MAP_TYPE_SOCKHASH,
     {BPF_FUNC_sk_redirect_hash, BPF_FUNC_sock_hash_update, BPF_FUNC_msg_redirect_hash,
      BPF_FUNC_sk_select_reuseport, lookup, update, remove}},
    {BPF_MAP_TYPE_REUSEPORT_SOCKARRAY, {BPF_FUNC_sk_select_reuseport}},
    {BPF_MAP_TYPE_CGROUP_STORAGE, {BPF_FUNC_get_local_storage}},
    {BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE, {BPF_FUNC_get_local_storage}},
    {BPF_MAP_TYPE_QUEUE, {push, pop, peek}},
    {BPF_MAP_TYPE_STACK, {push, pop, peek}},
    {BPF_MAP_TYPE_BLOOM_FILTER, {push, peek}},
    {BPF_MAP_TYPE_SK_STORAGE, {BPF_FUNC_sk_storage_get, BPF_FUNC_sk_storage_delete}},
    {BPF_MAP_TYPE_INODE_STORAGE, {BPF_FUNC_inode_storage_get, BPF_FUNC_inode_storage_delete}},
    {BPF_MAP_TYPE_TASK_STORAGE, {BPF_FUNC_task_storage_get, BPF_FUNC_task_storage_delete}},
    {map_type_cgrp_storage, {cgrp_storage_get, cgrp_storage_get + 1}},
    {BPF_MAP_TYPE_RINGBUF,
     {BPF_FUNC_ringbuf_output, BPF_FUNC_ringbuf_reserve, BPF_FUNC_ringbuf_query,
      BPF_FUNC_ringbuf_reserve_dynptr}},
    {BPF_MAP_TYPE_USER_RINGBUF, {user_ringbuf_drain}},
    {map_type_insn_array, {}},
    // The table there has no row for it, but no helper can do anything with keys of 0 bytes.
    {map_type_arena, {}},
};

/// Helpers that take only maps of these types, which take common helpers as well.
struct HelperMaps {
  uint32_t helper;
  uint32_t map_types[7];  ///< 0 behind the last
};
constexpr HelperMaps helper_maps[] = {
    {BPF_FUNC_map_lookup_percpu_elem,
     {BPF_MAP_TYPE_PERCPU_HASH, BPF_MAP_TYPE_PERCPU_ARRAY, BPF_MAP_TYPE_LRU_PERCPU_HASH}},
    {BPF_FUNC_for_each_map_elem,
     {BPF_MAP_TYPE_HASH, BPF_MAP_TYPE_ARRAY, BPF_MAP_TYPE_PERCPU_HASH, BPF_MAP_TYPE_PERCPU_ARRAY,
      BPF_MAP_TYPE_LRU_HASH, BPF_MAP_TYPE_LRU_PERCPU_HASH, map_type_rhash}},
};

constexpr uint32_t common_helpers[] = {BPF_FUNC_map_lookup_elem, BPF_FUNC_map_update_elem,
                                       BPF_FUNC_map_delete_elem};
/// Those that get a map in r2, behind a context.
constexpr uint32_t helpers_with_context[] = {
    BPF_FUNC_tail_call,        BPF_FUNC_perf_event_output,   BPF_FUNC_get_stackid,
    BPF_FUNC_skb_under_cgroup, BPF_FUNC_sk_redirect_map,     BPF_FUNC_sock_map_update,
    BPF_FUNC_msg_redirect_map, BPF_FUNC_sock_hash_update,    BPF_FUNC_msg_redirect_hash,
    BPF_FUNC_sk_redirect_hash, BPF_FUNC_sk_select_reuseport, BPF_FUNC_skb_output,
    BPF_FUNC_xdp_output};

constexpr bool is_one_of(std::span<const uint32_t> list, uint32_t number) {
  return number != 0 && std::ranges::find(list, number) != list.end();
}

/// Whether the helper takes maps of few types only.
bool is_special(uint32_t helper) {
  return !is_one_of(common_helpers, helper) &&
         std::ranges::any_of(map_helpers,
                             [&](const MapHelpers& row) { return is_one_of(row.helpers, helper); });
}

}  // namespace

uint8_t map_register(uint32_t helper) {
  static constexpr auto registers = [] {
    std::array<uint8_t, UINT8_MAX> all{};
    for (const MapHelpers& row : map_helpers)
      for (uint32_t each : row.helpers) all[each] = 1;
    for (const HelperMaps& row : helper_maps) all[row.helper] = 1;
    for (uint32_t each : common_helpers) all[each] = 1;
    for (uint32_t each : helpers_with_context) all[each] = 2;
    all[BPF_FUNC_unspec] = 0;
    return all;
  }();
  return helper < registers.size() ? registers[helper] : uint8_t{0};
}

std::string find_argument_fault(uint32_t helper, uint32_t map_type) {
  const auto* row = std::ranges::find(map_helpers, map_type, &MapHelpers::map_type);
  const auto* limited = std::ranges::find(helper_maps, helper, &HelperMaps::helper);
  bool is_taken = limited != std::end(helper_maps) ? is_one_of(limited->map_types, map_type)
                  : row == std::end(map_helpers)   ? !is_special(helper)
                                                   : is_one_of(row->helpers, helper);
  if (is_taken || map_type == BPF_MAP_TYPE_UNSPEC) return "";
  return fmt::format("{} takes no map of type {}", helper_name(helper), map_type_name(map_type));
}

std::string_view map_type_name(uint32_t type) {
  // Maps without rules.
  if (type == BPF_MAP_TYPE_UNSPEC) return "unspec";
  if (type == BPF_MAP_TYPE_STRUCT_OPS) return "struct_ops";
  auto rule = std::ranges::find(rules, type, &MapRules::type);
  return rule == std::end(rules) ? "unknown" : rule->name;
}

std::optional<MapFault> find_rule_fault(const Map& map) {
  auto rule = std::ranges::find(rules, map.type, &MapRules::type);
  if (rule == std::end(rules)) return std::nullopt;
  std::optional<MapFault> later;  // one that some release creates
  for (auto fault : {find_size_fault(map, rule->key, "key"),
                     find_size_fault(map, rule->value, "value"), find_flag_fault(map, *rule)}) {
    if (fault && fault->since == LinuxRelease{}) return fault;
    if (fault && (!later || later->since < fault->since)) later = std::move(fault);
  }
  if (rule->entries == Entries::None && map.max_entries != 0)
    return MapFault{
        fmt::format("{} has {} max_entries: such maps take none", of_type(map), map.max_entries)};
  if (rule->needs_types && (map.key_type_id == 0 || map.value_type_id == 0))
    return MapFault{fmt::format("{} has no types of its key and value", of_type(map)),
                    {},
                    "__type(key, int); __type(value, ...);"};
  bool takes_extra = map.type == BPF_MAP_TYPE_BLOOM_FILTER || map.type == map_type_arena ||
                     map.type == map_type_rhash;
  if (map.extra != 0 && !takes_extra)
    return MapFault{fmt::format("{} has map_extra, which such maps do not take", of_type(map))};
  constexpr uint64_t most_hashes = 15;
  if (map.type == BPF_MAP_TYPE_BLOOM_FILTER && map.extra > most_hashes)
    return MapFault{fmt::format("{} has {} hash functions in map_extra: it must have 0 to {}",
                                of_type(map), map.extra, most_hashes)};
  return later;
}

}  // namespace bpflink
