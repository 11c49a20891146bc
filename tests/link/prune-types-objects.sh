#!/bin/bash
# --prune-types keeps the types behind the pointers of variables, maps and functions, up to the
# first struct. It keeps all types behind struct_ops variables.
. "$(dirname "$0")/common.sh"
. "$here/prune.inc"

compile_defined in 'struct far' 'struct inner_value' 'struct ops_next' 'struct ops_far' -- <<'EOF'
struct far { int x; };

const struct event { struct far *far; } *unused __attribute__((unused));
typedef const struct listed { struct far *far; } listed_t;
listed_t *(*table[3])[2];
union config { struct far *far; int number; };
extern union config *config;

struct key { int key; };
struct value { struct far *far; };
struct inner_value { struct far *far; };
struct inner {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 1);
  __type(key, int);
  __type(value, struct inner_value);
};
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 1);
  __type(key, struct key);
  __type(value, struct value);
} map SEC(".maps");
struct {
  __uint(type, BPF_MAP_TYPE_HASH_OF_MAPS);
  __uint(max_entries, 1);
  __uint(key_size, 4);
  __array(values, struct inner);
} outer SEC(".maps");

struct argument { struct far *far; };
struct result { struct far *far; };
struct static_argument { struct far *far; };
struct replaced { struct far *far; };
struct for_kernel { struct far *far; };
struct of_kernel { struct far *far; };
void kfunc(struct for_kernel *) __ksym;
extern const struct of_kernel variable __ksym;
__noinline struct result *takes(struct argument *argument) { return argument ? (void *)unused : 0; }
static __noinline int takes_static(struct static_argument **argument) { return *argument ? 1 : 0; }
SEC("freplace/other") int replaces(struct replaced *replaced) { return replaced ? 1 : 0; }

struct ops_far { int x; };
struct ops_next { struct ops_far *far; };
struct ops_argument { struct ops_next *next; };
struct ops { int (*run)(struct ops_argument *); };
SEC("struct_ops/run") int run(unsigned long long *ctx) { return 0; }
SEC(".struct_ops") struct ops ops = {.run = (void *)run};

SEC("socket") long prog(void *ctx) {
  kfunc(0);
  return (long)takes(0) + takes_static(ctx) + (long)&variable + (long)config + (long)table[1];
}
EOF
assemble made <<'EOF'
	.section socket,"ax",@progbits
	global without_type, function
	r0 = 0
	exit
	end without_type
EOF
prune -r in.o made.o
contains 'socket 144 without_type' func_info
declared far
defined event listed config key value inner inner_value argument result static_argument replaced \
  for_kernel of_kernel ops ops_argument ops_next ops_far
