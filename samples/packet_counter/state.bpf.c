// The state of the packet counter: its maps and global variables.
#include "vmlinux.h"

#include <bpf/bpf_helpers.h>

#include "packet_counter.h"

char LICENSE[] SEC("license") = "GPL";

struct protocol_counters by_protocol SEC(".maps");
struct task_counters by_task SEC(".maps");

const volatile __u16 dropped_port = 23;  // telnet; user space may change it before the load
__u32 last_parent;
struct counter total;
struct counter by_size[64];
