// What a kernel has only if it is built with an option, though its enums list it. From bpf_types.h
// of Linux 7.3.
#pragma once

#include <linux/bpf.h>

#include <cstdint>
#include <string_view>

#include "bpflink/object.hpp"

namespace bpflink {

/// A type of program or map, and the option that it needs.
template <typename Type>
struct OptionOf {
  Type type;
  std::string_view option;
};
inline constexpr OptionOf<ProgramType> options_of_programs[] = {
    {ProgramType::LircMode2, "CONFIG_BPF_LIRC_MODE2"},
    {ProgramType::Lsm, "CONFIG_BPF_LSM"},
    {ProgramType::Netfilter, "CONFIG_NETFILTER_BPF_LINK"},
    {ProgramType::CgroupSkb, "CONFIG_CGROUP_BPF"},
    {ProgramType::CgroupSock, "CONFIG_CGROUP_BPF"},
    {ProgramType::CgroupSockAddr, "CONFIG_CGROUP_BPF"},
    {ProgramType::CgroupDevice, "CONFIG_CGROUP_BPF"},
    {ProgramType::CgroupSysctl, "CONFIG_CGROUP_BPF"},
    {ProgramType::CgroupSockopt, "CONFIG_CGROUP_BPF"},
};
inline constexpr OptionOf<uint32_t> options_of_maps[] = {
    {BPF_MAP_TYPE_CGROUP_STORAGE, "CONFIG_CGROUP_BPF"},
    {BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE, "CONFIG_CGROUP_BPF"},
    {BPF_MAP_TYPE_INODE_STORAGE, "CONFIG_BPF_LSM"},
    {BPF_MAP_TYPE_XSKMAP, "CONFIG_XDP_SOCKETS"},
};

}  // namespace bpflink
