#!/bin/bash
# One program contains a library twice, with separate variables and maps: --prefix-symbols-of gives
# each copy its own prefix.
. "$(dirname "$0")/common.sh"

compile counter <<'END'
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, long); } last SEC(".maps");
long total;
static __noinline long *entry(void) { int key = 0; return bpf_map_lookup_elem(&last, &key); }
__noinline long count(long by) {
  long *before = entry(), was;
  if (!before) return -1;
  was = *before;
  *before = by;
  total += by;
  return total * 1000 + was;
}
END
compile main <<'END'
long in_count(long by);
long out_count(long by);
SEC("socket") int prog(void *ctx)
{
  in_count(1); in_count(2); out_count(50);
  return in_count(3) * 10 + (out_count(7) == 57050); // in: 6 in all, 2 before
}
END
"$BPFLINK" --verify main.o counter.o counter.o --prefix-symbols-of counter.o=in_ \
  --prefix-symbols-of counter.o=out_ -o out.o
run 'prog()=60021'
# The same in two steps
for prefix in in_ out_; do "$BPFLINK" -r counter.o --prefix-symbols $prefix -o ${prefix}counter.o; done
"$BPFLINK" --verify main.o in_counter.o out_counter.o -o out.o
run 'prog()=60021'
