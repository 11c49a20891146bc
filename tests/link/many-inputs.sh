#!/bin/bash
# 4,000 objects share their types, in a process that may open 64 files. The output has every
# function, has every type once, and does not depend on the number of threads.
. "$(dirname "$0")/common.sh"

compile template <<'EOF'
struct node { struct node *next; int value[8]; };
int object_0000_count;
__noinline int object_0000_sum(struct node *n) { return n ? n->value[0] + object_0000_count : 0; }
EOF
python3 - <<'EOF'
template = open("template.o", "rb").read()
for number in range(4000):
    # No offset changes: the names stay as long as they are.
    open(f"{number:04}.o", "wb").write(template.replace(b"object_0000", b"object_%04d" % number))
EOF
printf '%s\n' {0000..3999}.o >inputs
(ulimit -n 64 && "$BPFLINK" --verify @inputs -o out.o)

expect 4000 eval 'symbols | grep -c "_sum FUNC GLOBAL"'
expect 4000 eval 'datasec .bss | wc -l'
contains 'object_3999_count 15996 4' datasec .bss
expect 1 eval 'types | grep -c "^struct node {"'
expect 4000 eval 'func_info | wc -l'

for threads in 1 2 3; do
  "$BPFLINK" --threads $threads @inputs -o again.o
  cmp out.o again.o
done

# The link reports all bad inputs, in order.
head -c 1000 0007.o >0003.o
head -c 1000 0007.o >3900.o
link_fails @inputs
expect '0003.o 3900.o ' eval "grep -o '[0-9]*\.o' errors | tr '\n' ' '"

# Malformed types get the same message as in an object linked alone.
number=0
for damage in 'type:node:name=9999' 'type:node:4=99' 'type:node:4=type("node")' 'type:1:type=99' \
  'type:object_0007_sum:type=type("node")' 'type:.bss:3=1' 'type:.bss:3=99' \
  'type:object_0007_count:type=99'; do
  number=$((number + 1))
  python3 "$bpfobj" set 0007.o "bad$number.o" "$damage"
  link_fails "bad$number.o"
  cat errors >>alone
  echo "bad$number.o"
done >bad
grep -vx -e 0003.o -e 3900.o inputs | cat - bad >all
link_fails @all
# The link looks for types that contain themselves after the merge, once it has read all inputs.
diff <(grep -v 'contains itself' alone) errors >&2
expect 8 eval 'wc -l <alone'
