// What main.bpf.c lacks, and a map of its own with a callback.
typedef int (*callback_t)(void*, int*, int*, void*);
struct value {
  int count;
  enum { A, B = 5 } mode : 4;
  union {
    long l;
    char c[8];
  };
};
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, int);
  __type(value, int);
} other SEC(".maps");
struct {
  __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
  __uint(max_entries, 2);
  __uint(key_size, 4);
  __array(values, int(void*));
} jumps SEC(".maps") = {.values = {}};

int limit = 10;
static long zeroed;
int in_custom SEC(".data.custom") = 7;
extern int CONFIG_HZ __kconfig __weak;
extern const void init_task __ksym __weak;

static int each(void* map, int* key, int* value, void* context) {
  return *value > limit;
}
__attribute__((btf_decl_tag("tagged"))) int helper(struct value* value, long amount) {
  zeroed += amount;
  bpf_for_each_map_elem(&other, each, &amount, 0);
  return value->count + CONFIG_HZ + (&init_task != 0) + in_custom;
}
__weak int fallback(int x) {
  return x - 1;
}
char _license[] SEC("license") = "GPL";
