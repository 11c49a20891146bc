#!/bin/bash
# Functions without types get a FUNC and a prototype, shared by equal ones. Linking the output again
# does not change it.
. "$(dirname "$0")/common.sh"

compile main <<'END'
int first(int), second(int);
void nothing(void) {}
SEC("socket") int prog(struct __sk_buff *ctx) { return first(ctx->len) + second(2); }
END
compile first -g0 <<<'static __noinline int mix(int x) { return x * 3; } int first(int x) { return mix(x); }'
compile second -g0 <<<'static __noinline int mix(int x) { return x * 5; } int second(int x) { return mix(x); }'
differs '- refused: *' 'the peer takes no objects without BTF'
functions() { bpftool btf dump file out.o | grep -A1 "FUNC.*$1"; }
for order in 'main.o first.o second.o' 'second.o main.o first.o'; do
  for options in '' '--gc-sections'; do
    link $options $order
    expect 1 eval "functions _PROTO | grep -c \"ret_type_id=0 vlen=0\""
    expect 1 eval "functions \" 'mix'\" | grep -c mix"
    expect 1 eval "functions _PROTO | grep -c \"'arg1'\""
    [[ $(func_info | grep -c ' mix$') == 2 ]]
  done
done

# A prototype that a partial link made says nothing of the function's type; a file that declares
# the function does. Without such a file the function stays static: the kernel refuses a global
# function that returns nothing.
compile typed <<<'__noinline int typed(int x) { return x + 1; }'
"$BPFLINK" -r first.o typed.o -o part.o
object=part.o contains 'func static void first(void);' declarations
for order in 'main.o second.o part.o' 'part.o second.o main.o'; do
  link $order
  contains 'func global int first(int arg1);' declarations
  contains 'func global int typed(int x);' declarations
done
link part.o second.o
contains 'func static void first(void);' declarations
contains 'func static void second(void);' declarations

# Two names of one function get one record: the kernel refuses two for one instruction.
compile aliased -g0 <<<'int first(int x) { return x + 1; } int second(int) __attribute__((alias("first")));'
link main.o aliased.o
[[ $(func_info | grep -cE ' (first|second)$') == 1 ]]
"$BPFLINK" out.o -o again.o
cmp out.o again.o

# A FUNC that a damaged input calls extern is that of its static function.
compile odd <<<'static __noinline int mix(int x) { return x * 3; } SEC("socket") int prog(struct __sk_buff *ctx) { return mix(ctx->len); }'
python3 "$bpfobj" set odd.o extern.o type:mix:vlen=2
"$BPFLINK" --verify extern.o -o out.o
contains 'func static int mix(int x);' declarations

# A function without code has no record in func_info.
compile empty <<'END'
SEC("socket") int prog(void *ctx) { return 1; }
asm(".section xdp, \"ax\"\n.globl empty\n.type empty, @function\nempty:\n.size empty, 0\n.text");
END
"$BPFLINK" -q empty.o -o out.o
changes_nothing
