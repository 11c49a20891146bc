// Callbacks in data, a map of maps, arena globals.
struct ops {
  int (*init)(int);
  void (*done)(void*);
  char name[8];
};
struct inner {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, int);
  __type(value, int);
} inner SEC(".maps");
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
  __uint(max_entries, 1);
  __type(key, int);
  __array(values, struct inner);
} outer SEC(".maps") = {.values = {&inner}};
int __attribute__((address_space(1))) in_arena;

SEC("struct_ops/init") int ops_init(int x) {
  return x;
}
SEC("struct_ops/done") void ops_done(void* p) {
  in_arena++;
}
SEC(".struct_ops.link")
struct ops wanted = {.init = (void*)ops_init, .done = (void*)ops_done, .name = "ops"};
