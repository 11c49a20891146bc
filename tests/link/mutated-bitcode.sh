#!/bin/bash
# Damaged bitcode: LLVM may abort on it, or make something of it. The link ends with a message and the old
# output, or with a good object.
#
#   SEEDS='1 2 3'
. "$(dirname "$0")/common.sh"
"$CC" -g -O2 --target=bpf -flto -c -x c - -o main.bc <<'END'
char LICENSE[] __attribute__((section("license"))) = "GPL";
int scale(int x);
__attribute__((section("xdp"))) int prog(void *ctx) { return scale(20); }
END
"$CC" -g -O2 --target=bpf -flto -c -x c - -o lib.bc <<<'int calls; int scale(int x) { ++calls; return 2 * x; }'
"$BPFLINK" main.bc lib.bc -o good.o 2>errors || skip "$(<errors)"

for seed in ${SEEDS:-$(seq 40)}; do
  python3 - "$seed" <<'END'
import random, sys
random.seed(sys.argv[1])
bytes_ = bytearray(open("lib.bc", "rb").read())
for _ in range(random.choice([1, 1, 2, 8])):
    bytes_[random.randrange(16, len(bytes_))] ^= 1 << random.randrange(8)
if random.random() < 0.2:
    del bytes_[random.randrange(16, len(bytes_)):]
open("damaged.bc", "wb").write(bytes_)
END
  cp good.o out.o
  status=0
  timeout 120 "$BPFLINK" main.bc damaged.bc -o out.o 2>errors || status=$?
  case $status in
    0) python3 "$bpfobj" check out.o || fail "seed $seed: a bad output" ;;
    1)
      grep -q '^bpflink: error: \|: error: ' errors || fail "seed $seed: no message"
      cmp -s good.o out.o || fail "seed $seed: the old output is gone"
      ;;
    *) fail "seed $seed: status $status: $(<errors)" ;;
  esac
  counts[status]=$((${counts[status]:-0} + 1))
done
echo "${counts[0]:-0} link, ${counts[1]:-0} are refused"
((${counts[1]:-0} > 0)) || fail 'nothing is refused: this shows nothing'
