// A bit of everything: maps, globals, calls, CO-RE, data with pointers.
struct task {
  int pid;
  struct task* parent;
} __attribute__((preserve_access_index));
struct value {
  int count;
  enum { A, B = 5 } mode : 4;
  union {
    long l;
    char c[8];
  };
};

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 8);
  __type(key, int);
  __type(value, struct value);
} shared SEC(".maps");
extern struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, int);
  __type(value, int);
} other SEC(".maps");

extern int limit;
int helper(struct value* value, long amount);
__weak int fallback(int x) {
  return x + 1;
}
static volatile int hits = 3;
static const char name[] = "seed";
static int table[4] = {1, 2, 3, 4};
int* second_entry = &table[1];
const char* text = "literal";

static __noinline int local(struct task* task) {
  return bpf_core_type_id_local(struct task) + task->parent->pid + table[hits & 3];
}

SEC("socket") int prog(struct __sk_buff* ctx) {
  int key = ctx->len;
  struct value* value = bpf_map_lookup_elem(&shared, &key);
  if (!value) return fallback(limit) + bpf_map_delete_elem(&other, &key);
  bpf_printk("%s %s", name, text);
  return helper(value, *second_entry);
}

SEC("?kprobe/f") int traced(void* ctx) {
  return local((void*)ctx) + name[hits & 3];
}
char _license[] SEC("license") = "GPL";
