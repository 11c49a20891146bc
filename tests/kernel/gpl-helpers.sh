#!/bin/bash
# bpflink's list of GPL-only helpers is the kernel's, plus a few that this kernel cannot be asked
# about.
. "$(dirname "$0")/common.sh"

"${GPL_HELPERS:?the program that asks the kernel}" >kernel
((EUID == 0)) && [[ -s kernel ]] || skip 'programs may not be loaded here'

compile call -g0 <<'EOF'
static long (*helper)(void) = (void *)0x1234;
SEC("socket") int prog(void *ctx) { return helper(); }

EOF
python3 - <<'EOF'
template = open("call.o", "rb").read()
call = b"\x85\x00\x00\x00" + (0x1234).to_bytes(4, "little")
assert template.count(call) == 1
for helper in range(1, 300):
    with open(f"{helper}.o", "wb") as file:
        file.write(template.replace(call, call[:4] + helper.to_bytes(4, "little")))
EOF
for helper in {1..299}; do
  "$BPFLINK" --license Proprietary "$helper.o" -o out.o 2>warnings
  if grep -q 'without a GPL license' warnings; then echo "$helper"; fi
done >bpflink

expect '' comm -23 <(sort kernel) <(sort bpflink)
# probe_write_user (locked down), override_return (not configured), and five for programs attached to
# a function or an iterator
expect $'111\n121\n126\n127\n150\n36\n58' comm -13 <(sort kernel) <(sort bpflink)
