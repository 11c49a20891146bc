#!/bin/bash
# pahole-btfdedup in the place of pahole, called as the kernel's build calls it: for vmlinux and modules, in place
# and into a file, with the options of old and new kernels. Then a module of another tree, by btfdedup alone.
. "$(dirname "$0")/common.sh"
replacement=$(dirname "$BTFDEDUP")/pahole-btfdedup

cat >kernel.c <<'END_OF_C'
enum wide { LARGE = 0x100000000, SMALL = -1 };
struct task { struct task *parent; long start; double load; enum wide wide; };
typedef struct task task_t;
__attribute__((section(".data..percpu"))) struct task current_task;
int start_task(struct task *task, int flags) { return task->start + flags; }
int uni2char(const char *text, int length) { return text[length]; }
int kernel_only(task_t *task) { return start_task(task, 1) + uni2char("a", 0); }
END_OF_C
cat >module.c <<'END_OF_C'
enum wide { LARGE = 0x100000000, SMALL = -1 };
struct task { struct task *parent; long start; double load; enum wide wide; };
struct own { struct task *task; int (*call)(struct own *, int); };
static int uni2char(const char *text, int length) { return text[length] + 1; }
int own_kfunc(struct own *own, struct task *task) { return own->task == task ? own->call(own, 2) : 0; }
int other_kfunc(struct task *task) { return task != 0; }
void *calls[] = {uni2char, own_kfunc};
__asm__(".pushsection .BTF_ids,\"a\"\n"
        "__BTF_ID__set8__kfuncs:\n .zero 4\n .long 1\n"
        "__BTF_ID__func__own_kfunc__2:\n .zero 4\n .long 4\n"
        "__BTF_ID__func__other_kfunc__1:\n .zero 4\n .long 8\n"
        ".size __BTF_ID__set8__kfuncs, . - __BTF_ID__set8__kfuncs\n"
        "__BTF_ID__struct__task__3:\n .zero 4\n"
        "__BTF_ID__struct__missing__4:\n .zero 4\n"
        ".popsection\n");
END_OF_C
echo 'SECTIONS { .data..percpu : { *(.data..percpu) } .BTF : { __start_BTF = .; *(.BTF) } } INSERT BEFORE .data;' >kernel.lds
gcc -g -O1 -fno-pic -c kernel.c
ld -T kernel.lds -e start_task --no-warn-execstack kernel.o -o plain
gcc -g -O1 -fno-pic -c module.c
ld -r module.o -o plain.ko

# section NAME FILE INTO
section() { llvm-objcopy-19 --dump-section="$1=$3" "$2" /dev/null; }
raw() { bpftool btf dump file "$@" format raw; }
# names KIND FILE...: the names of its own types
names() { raw "${@:2}" | sed -nE "s/^\[[0-9]+\] $1 '([^']*)'.*/\1/p" | sort | tr '\n' ' '; }
says() { # TEXT COMMAND...: fails, and says this
  local output
  if output=$("${@:2}" 2>&1); then fail "accepted: ${*:2}"; fi
  [[ $output == *"$1"* ]] || fail "${*:2}: $output"
}

# The questions of Kconfig and of scripts/pahole-version.sh
expect 132 sed -E 's/v([0-9]+)\.([0-9]+)/\1\2/' <("$replacement" --version)
"$replacement" --supported_btf_features | has decl_tag_kfuncs || fail 'features'

# Linux 6.6 to 6.18: into vmlinux, from which objcopy takes it; 7.0 and later: into a file
features=encode_force,var,float,enum64,decl_tag,type_tag,optimized_func,consistent_func,decl_tag_kfuncs
cp plain vmlinux
"$replacement" -J -j2 --btf_features=$features --lang_exclude=rust vmlinux
"$replacement" -J -j --btf_features=$features --btf_features=+reproducible_build --lang_exclude=rust \
  --btf_encode_detached=detached.btf plain
"$BTFDEDUP" --dwarf plain -o btfdedup.btf
section .BTF vmlinux section.btf
for other in detached.btf section.btf; do cmp btfdedup.btf $other; done
expect 'kernel_only start_task uni2char ' names FUNC vmlinux
expect 'current_task ' names VAR vmlinux
expect 4294967296 sed -nE "s/.*'LARGE' val=([0-9]*).*/\1/p" <(raw vmlinux)
# A section that the linker left for it
objcopy --add-section .BTF=/dev/null --set-section-flags .BTF=alloc,readonly plain empty 2>/dev/null
"$replacement" -J --btf_features=$features empty
section .BTF empty section.btf
cmp btfdedup.btf section.btf
eu-elflint --gnu-ld plain >before || true
eu-elflint --gnu-ld vmlinux >after || true
[[ $(wc -l <before) == $(wc -l <after) ]] || fail "elflint: $(<after)"
"$replacement" -J --btf_features=layout --btf_encode_detached=layout.btf plain
"$BTFDEDUP" --check --target linux-7.2 layout.btf >/dev/null

# Linux 5.15: no features, floats, no ENUM64, which its kernels refuse
"$replacement" -J --btf_gen_floats -j --skip_encoding_btf_enum64 --btf_encode_detached=old.btf plain
"$BTFDEDUP" --check --target linux-5.15 old.btf >/dev/null
raw old.btf | has "FLOAT 'double' size=8" || fail 'float'
"$replacement" -J --skip_encoding_btf_vars --btf_encode_detached=older.btf plain
expect '' names FLOAT older.btf
expect '' names VAR older.btf

# A module, of whose functions one has the name and the prototype of one of the kernel's
cp plain.ko module.ko
"$replacement" -J --btf_features=$features --lang_exclude=rust --btf_base vmlinux module.ko
expect 'other_kfunc own_kfunc uni2char ' names FUNC -B vmlinux module.ko
expect 'own ' names STRUCT -B vmlinux module.ko
expect 2 grep -c "DECL_TAG 'bpf_kfunc'" <(raw -B vmlinux module.ko)
section .BTF_ids plain.ko ids
section .BTF_ids module.ko ids.left
cmp ids ids.left # for resolve_btfids
cp module.ko again.ko
"$replacement" -J --btf_features=$features --btf_base vmlinux again.ko
cmp module.ko again.ko

# Pointers of kfuncs into arenas: flags 1 << 13 to 1 << 15 of .BTF_ids
sed 's/own_kfunc__2:\\n .zero 4\\n .long 4/own_kfunc__2:\\n .zero 4\\n .long 0x4000/' module.c >arena.c
gcc -g -O1 -c arena.c
for list in $features $features,attributes; do "$BTFDEDUP" --dwarf --btf-features $list arena.o -o $list.btf; done
expect "	'own' PTR TYPE_TAG address_space(1) STRUCT own	'task' PTR STRUCT task" \
  "$python" - $features,attributes.btf own_kfunc <<'END_OF_PYTHON'
import json, subprocess, sys
types = {t["id"]: t for t in json.loads(subprocess.check_output(
    ["bpftool", "--json", "btf", "dump", "file", sys.argv[1], "format", "raw"]))["types"]}
function = next(t for t in types.values() if t["kind"] == "FUNC" and t["name"] == sys.argv[2])
def words(id):
    t = types[id]
    return [t["kind"]] + ([t["name"]] if t["name"] != "(anon)" else []) + (words(t["type_id"]) if "type_id" in t else [])
print("".join("\t'%s' %s" % (p["name"], " ".join(words(p["type_id"]))) for p in types[function["type_id"]]["params"]))
END_OF_PYTHON
if raw $features.btf | has 'address_space'; then fail 'an attribute'; fi

# All variables, by sections; of those that macros of kernels name, none
cat >variables.c <<'END_OF_C'
struct item { int a; } first = {3};
static struct item second;
const int constant = 4;
int own __attribute__((section(".own"))) = 2, percpu __attribute__((section(".data..percpu"))) = 2, __UNIQUE_ID_1 = 5;
int *run(int x) { static int local; second.a += x; return x ? &local : &second.a; }
END_OF_C
gcc -g -O1 -fno-pic -c variables.c
datasecs() { raw "$1" | sed -nE "s/.* DATASEC ('[^']*') size=([0-9]*).*/\1 \2/p; s/.*offset=.* size=.* \(VAR (.*)\)/\1/p"; }
"$replacement" -J --btf_features=default,global_var --btf_encode_detached=variables.btf variables.o
expect "'.bss' 8 'second' '.data' 8 'first' '.data..percpu' 4 'percpu' '.own' 4 'own' '.rodata' 4 'constant'" \
  xargs -d "\n" < <(datasecs variables.btf)
"$replacement" -J --btf_features=global_var --btf_encode_detached=variables.btf variables.o
expect 'constant first own second ' names VAR variables.btf

# What pahole has and this has not
says "has no feature 'lightning'" "$replacement" -J --btf_features_strict=var,lightning plain
"$replacement" -J --btf_features=default,lightning --btf_encode_detached=some.btf plain 2>note
expect 'pahole-btfdedup: no feature lightning: left out' cat note
says 'does not have the option --sizes' "$replacement" --sizes plain
says 'only makes BTF' "$replacement" plain

# btfdedup fills .BTF_ids as resolve_btfids does: sets are sorted by id, flags go along.
cp plain.ko filled.ko
"$BTFDEDUP" --dwarf --base vmlinux --update filled.ko 2>note
expect 'btfdedup: filled.ko: section .BTF_ids names types that are not there: missing' cat note
id() { raw -B vmlinux filled.ko | sed -nE "s/^\[([0-9]+)\] $1 '$2'.*/\1/p"; }
section .BTF_ids filled.ko ids
first="$(id FUNC own_kfunc) 4" second="$(id FUNC other_kfunc) 8"
if (($(id FUNC other_kfunc) < $(id FUNC own_kfunc))); then first="$(id FUNC other_kfunc) 8" second="$(id FUNC own_kfunc) 4"; fi
expect "2 1 $first $second $(raw vmlinux | sed -nE "s/^\[([0-9]+)\] STRUCT 'task'.*/\1/p") 0" \
  xargs <<<"$(od -An -v -td4 ids)"
# Distilled, ids are those of the new base.
cp plain.ko distilled.ko
"$BTFDEDUP" --dwarf --distill --base vmlinux --update distilled.ko 2>/dev/null
section .BTF.base distilled.ko base.btf
raw base.btf | has "STRUCT 'task' size=32 vlen=0" || fail 'base'
expect "$(raw base.btf | sed -nE "s/^\[([0-9]+)\] STRUCT 'task'.*/\1/p")" \
  xargs <<<"$(section .BTF_ids distilled.ko ids && od -An -v -td4 -j24 -N4 ids)"
says 'already distilled' "$BTFDEDUP" --dwarf --distill --base vmlinux --update distilled.ko
says 'has a section .BTF_ids' "$BTFDEDUP" --dwarf --base vmlinux --update filled.ko

# Without the option where there is no BTF; archives; reasons
ar rc all.a kernel.o module.o
"$BTFDEDUP" all.a -o archive.btf
"$BTFDEDUP" --dwarf kernel.o module.o -o objects.btf
cmp archive.btf objects.btf
"$BTFDEDUP" plain -o automatic.btf
cmp automatic.btf btfdedup.btf
cp module.o updated.o
"$BTFDEDUP" --dwarf --update updated.o 2>/dev/null
expect 'own task ' names STRUCT updated.o
cat >unused.c <<'END_OF_C'
__attribute__((noinline)) static int add(int a, int unused, int b) { return a * b; }
int run(int a, int b) { return add(a, 1, b) + add(b, 2, a); }
END_OF_C
gcc -g -O2 -c unused.c
"$BTFDEDUP" --dwarf --verbose unused.o -o unused.btf 2>note
says "has no language 'cobol'" "$BTFDEDUP" --dwarf unused.o --lang-exclude cobol -o no.btf
sed 's/__BTF_ID__struct__missing__4/__BTF_ID__thing__1/' module.c >wrong.c
gcc -g -c wrong.c
says "section .BTF_ids: symbol '__BTF_ID__thing__1' names no type" "$BTFDEDUP" --dwarf --update wrong.o
has 'omitted add: one of the functions with' <note || fail "reasons: $(<note)"

# Per object: types are made after each compilation, and DWARF is dropped. The linked image has the same ones.
cat >second.c <<'END_OF_C'
struct task { struct task *parent; long start; double load; int wide; };
struct other { struct task *task; } other;
int second(struct other *other) { return other->task->start; }
END_OF_C
gcc -g -O1 -fno-pic -c second.c
ld -T kernel.lds -e start_task --no-warn-execstack kernel.o second.o -o both
"$BTFDEDUP" both -o want.btf
for object in kernel second; do
  "$BTFDEDUP" --dwarf --update $object.o
  objcopy --strip-debug $object.o
done
ld -T kernel.lds -e start_task --no-warn-execstack kernel.o second.o -o stripped
"$BTFDEDUP" --linked stripped kernel.o second.o -o got.btf
diff <("$BTFDEDUP" want.btf --sort --dump c) <("$BTFDEDUP" got.btf --sort --dump c)
for kind in FUNC VAR STRUCT; do expect "$(names $kind want.btf)" names $kind got.btf; done
