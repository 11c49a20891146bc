#!/bin/bash
# The bytes in --json add up to the file, for any link, and the report follows its schema.
. "$(dirname "$0")/common.sh"

three_objects
strings() {
  cat <<'END'
struct pair { const char *a, *b; } pairs[2];
int zeros[1000];
static const char text[] = "text";
SEC("socket") int tell(struct __sk_buff *ctx) {
  bpf_printk("hello %d", ctx->len);
  pairs[0].a = text;
  return zeros[ctx->len & 511];
}
char LICENSE[] SEC("license") = "GPL";
END
}
strings | compile strings
strings | sed 's/tell/say/; s/pairs/others/; s/zeros/nulls/' | compile more
clang-19 -O2 --target=bpf -x c -c - -o plain.o <<<'int nothing(void) { return 0; } int table[3] = {1};'
compile big -mbig-endian <<<'int value = 3; SEC("socket") int prog(struct __sk_buff *ctx) { return value; }'
cat >sections.s <<'END'
.section odd,"aw"
.byte 1
.globl alias, name
alias:
name: .byte 2, 3
.size alias, 2
.size name, 1
.p2align 4
.quad name
END
clang-19 --target=bpf -c sections.s -o sections.o

# btf_adds_up OPTION-OR-FILE...: .BTF of the inputs, without the dropped bytes, is as large as .BTF of
# out.o without its DATASECs, which the linker made
btf_adds_up() {
  python3 - "$@" <<'END'
import json, sys
import bpfobj

def btf_bytes(path):
    return bpfobj.Object(path).section(".BTF").size

came = sum(btf_bytes(name) for name in sys.argv[1:] if name.endswith(".o"))
went = sum(part["bytes"] for part in json.load(open("report.json"))["dropped"] if part.get("section") == ".BTF")
out = btf_bytes("out.o")
made = sum(12 + 12 * len(t.members) for t in bpfobj.Object("out.o").types if t.kind == bpfobj.DATASEC)
assert came - went == out - made, f"{came} bytes of .BTF less {went} are not {out} less {made}"
END
}

checked=0
check() {
  "$BPFLINK" "$@" -o out.o --json report.json --size-map page.html
  adds_up out.o
  # The linker makes types for functions without any.
  [[ $* == *plain.o* || $* == *sections.o* ]] || btf_adds_up "$@"
  ((++checked))
  # The page has the same figures.
  python3 - <<'END'
import json, re
report = json.load(open("report.json"))
page = json.loads(re.search(r'<script type="application/json" id="report">(.*?)</script>', open("page.html").read(), re.S)[1])
assert page == {key: report[key] for key in page}, "the page has other figures"
END
  validates report.json "$schema" || fail "$*: the schema"
}
. "$reports/../link/prune.inc"
compile_defined pruned 'struct far' -- <<'END'
struct far { long first, second; };
struct near { struct far *far; } near;
END
check main.o lib.o table.o
check --gc-sections main.o lib.o table.o
check --keep-debug main.o lib.o table.o
check -s main.o lib.o table.o
check -r main.o
check --license GPL --localize-hidden table.o lib.o main.o
check strings.o
check strings.o more.o plain.o
check -r strings.o more.o sections.o
check big.o
check plain.o
check --gc-sections strings.o main.o lib.o table.o -u unused
check --prune-types --strip-line-info pruned.o main.o lib.o table.o
reports 'any(.dropped[]; .file == "pruned.o" and .reason == "types not needed, or written anew by the linker" and .bytes >= 24)'
((checked == 13)) || fail "only $checked links"

# The same for btfdedup, which makes no types.
llvm-objcopy-19 --dump-section .BTF=of_main main.o /dev/null
llvm-objcopy-19 --dump-section .BTF=of_lib lib.o /dev/null
"$BTFDEDUP" of_main of_lib -o merged --size-map page.html
python3 - <<'END'
import json, os, re
page = json.loads(re.search(r'<script type="application/json" id="report">(.*?)</script>', open("page.html").read(), re.S)[1])
went = sum(part["bytes"] for part in page["dropped"])
assert os.path.getsize("of_main") + os.path.getsize("of_lib") - went == os.path.getsize("merged"), f"{went} bytes were dropped"
END

# The schema refuses an incomplete report, and one with more fields.
python3 -c 'import jsonschema' 2>log || skip 'the bytes add up; python3-jsonschema is not installed'
for change in 'del(.maps)' '.nodes[3].more = 1'; do
  jq "$change" report.json >wrong.json
  if validates wrong.json "$schema" 2>log; then fail "the schema takes a report after $change"; fi
done
