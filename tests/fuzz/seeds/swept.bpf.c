// Small, with a map, a call, CO-RE, data with a pointer, an extern.
struct task {
  int pid;
} __attribute__((preserve_access_index));
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
} map SEC(".maps");
static volatile int hits;
int* pointer = (int*)&hits;
extern int shared;
__weak int length(struct task* task) {
  return task->pid;
}
SEC("socket") int prog2(void* ctx) {
  return length(ctx) + shared + bpf_map_delete_elem(&map, pointer);
}
