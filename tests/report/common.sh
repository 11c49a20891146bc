# Functions for the report cases, besides those of tests/link.
reports=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$reports/../link/common.sh"
schema=$reports/../../linker/report/output.schema.json

# three_objects: makes main.o, lib.o and table.o, a program with something in every report
three_objects() {
  compile main <<'END'
struct event { __u32 pid; char comm[16]; };
extern struct { __uint(type, BPF_MAP_TYPE_PERCPU_HASH); __uint(max_entries, 100);
  __uint(pinning, LIBBPF_PIN_BY_NAME); __type(key, __u32); __type(value, struct event); } events SEC(".maps");
struct ours { int first; } mine;
extern long limit;
int add(struct event *event, long by);
__weak int twice(int x) { return x + x; }
SEC("xdp") int prog(struct xdp_md *ctx)
{
  struct event event = { .pid = ctx->data };
  bpf_map_update_elem(&events, &event.pid, &event, 0);
  return add(&event, mine.first) + twice(limit) > 0 ? XDP_PASS : XDP_DROP;
}
SEC("tc") int other(struct __sk_buff *skb) { return skb->len; }
char LICENSE[] SEC("license") = "GPL";
END
  compile lib <<'END'
struct event { __u32 pid; char comm[16]; };
struct ours { long first; long second; } theirs = { 1, 2 };
long limit = 40;
int twice(int x) { return 2 * x + theirs.second; }
static __noinline int helper(const char *name) { return name[3] == 'a'; }
__noinline int add(struct event *event, long by) {
  char name[24] = {};
  bpf_probe_read_kernel(name, sizeof name, event);
  return event->pid + by + helper(name);
}
int unused(int x) { return x - 1; }
END
  compile table <<'END'
struct event { __u32 pid; char comm[16]; };
struct { __uint(type, BPF_MAP_TYPE_PERCPU_HASH); __uint(max_entries, 100);
  __uint(pinning, LIBBPF_PIN_BY_NAME); __type(key, __u32); __type(value, struct event); } events SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_RINGBUF); __uint(max_entries, 4096); } ring SEC(".maps");
END
}

# adds_up FILE: in report.json, the nodes have as many bytes as FILE, in total and per section; a node
# brings its own bytes and those that its dominated nodes bring; chains end
adds_up() {
  python3 - "$1" report.json >log 2>&1 <<'END' || fail "the bytes of $1 do not add up: $(tail -n 1 log)"
import json, os, sys
report = json.load(open(sys.argv[2]))
nodes, size = report["nodes"], os.path.getsize(sys.argv[1])
assert report["output"]["bytes"] == size == nodes[0]["brings"], "the output"
for name in ("nodes", "sections", "categories"):
    assert sum(one["bytes"] for one in report[name]) == size, name
for section in report["sections"]:
    own = sum(node["bytes"] for node in nodes[1:] if node["section"] == section["name"])
    assert own == section["bytes"], section["name"]
brought = [node["bytes"] for node in nodes]
for node in nodes[1:]:
    brought[node.get("dominator", 0)] += node.get("brings", node["bytes"])
assert brought == [node.get("brings", node["bytes"]) for node in nodes], "what nodes bring"
for i, input in enumerate(report["inputs"]):
    assert input["bytes"] == sum(node["bytes"] for node in nodes[1:] if node.get("input") == i), input["name"]
depth = {0: 0}
for start in range(len(nodes)):
    chain, at = [], start
    while at not in depth:
        assert at not in chain, f"a chain of {nodes[start]['name']} has no end"
        chain.append(at)
        at = nodes[at].get("needed_by", 0)
    for node in reversed(chain):
        depth[node] = depth[nodes[node].get("needed_by", 0)] + 1
for node in nodes:
    assert all(0 < used < len(nodes) for used in node.get("uses", [])), "uses"
END
}

# reports FILTER: a jq filter that is true of report.json
reports() {
  jq -e "$1" report.json >log || fail "not so: $1"$'\n'"$(jq -c 'del(.nodes, .passes)' report.json)"
}
