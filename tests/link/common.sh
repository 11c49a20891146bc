# Functions for cases that compile, link and look at objects.
for program in BPFLINK BTFDEDUP BPFSKEL BPFCORE CORE_OF_LIBBPF BPF_RUN; do
  if [[ ${!program:-} ]]; then declare "$program=$(realpath "${!program}")"; fi
done
bpfobj=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../bpfobj.py")
CC=${CC:-clang-19}
export PYTHONPATH=${bpfobj%/*} PYTHONDONTWRITEBYTECODE=1
. "$PYTHONPATH/common.sh"
trap 'all_differ $?' EXIT
cd "$tmp"

# all_differ STATUS: a case passes only if it met every difference that it explains.
all_differ() {
  local status=$1 pattern
  if [[ $status == 0 ]]; then
    for pattern in "${differences[@]}"; do
      [[ $'\n'$(printf '%s\n' "${explained[@]}")$'\n' == *$'\n'"$pattern"$'\n'* ]] && continue
      printf "FAIL: differs '%s': no longer so\n" "$pattern" >&2
      status=1
    done
  fi
  finish "$status"
}

# ---- making objects

# compile NAME [FLAG...] <<SOURCE: writes standard input to NAME.bpf.c and compiles it to NAME.o.
# Every program gets the libbpf headers without #include, and the file $license_header.
compile() {
  local name=$1
  shift
  cat >"$name.bpf.c"
  "$CC" -g -O2 --target=bpf -mcpu=v3 -Wall -Wno-unused -I"/usr/include/$(uname -m)-linux-gnu" \
    -include linux/bpf.h -include bpf/bpf_helpers.h ${license_header:+-include "$license_header"} "$@" -c "$name.bpf.c" -o "$name.o"
}

# bitcode NAME [FLAG...] <<SOURCE: as compile, to NAME.bc
bitcode() {
  compile "$1" -flto "${@:2}"
  mv "$1.o" "$1.bc"
}

# assemble NAME [FLAG...] <<SOURCE: writes standard input to NAME.s and assembles it, with asm.inc, to NAME.o
assemble() {
  cat >"$1.s"
  cat "$PYTHONPATH/link/asm.inc" "$1.s" | "$CC" --target=bpf -mcpu=v3 "${@:2}" -x assembler -c - -o "$1.o"
}

# find_llvm [VERSION]: sets $version to that of LLVM, by default $CC's, and $library to its libLLVM, or to ""
find_llvm() {
  version=${1:-$("$CC" -dumpversion)} version=${version%%.*}
  library=$(ldconfig -p | sed -nE "s/.* => (.*\/libLLVM(\.so\.$version\.[0-9]+|-$version\.so(\.1)?))$/\1/p" | head -n 1)
}

# link ARGUMENT...: links into out.o, which must obey every rule for outputs
link() {
  "$BPFLINK" --verify "$@" -o out.o || fail "bpflink $* exits with $?"
  local inputs=() argument
  for argument; do
    if [[ $argument == *.o ]]; then inputs+=("$argument"); fi
  done
  python3 "$bpfobj" check out.o || fail 'out.o breaks the rules above'
  no_new_lint "${inputs[@]}"
  differential "${inputs[@]}"
  changes_nothing
}

# changes_nothing: linking out.o again gives the same bytes
changes_nothing() {
  "$BPFLINK" -r --keep-debug out.o -o again.o || fail 'out.o does not link again'
  cmp out.o again.o || fail 'linked again, out.o changes'
}

# link_fails ARGUMENT...: the link must fail as every failing link should: exit status 1, messages in
# the linker's form, no output. The messages are in the file `errors`.
link_fails() {
  local status=0
  rm -f out.o
  "$BPFLINK" "$@" -o out.o 2>errors >stdout || status=$?
  [[ $status == 1 ]] || fail "bpflink $*: exit status $status"
  [[ $(head -n 1 errors) == *': error: '?* ]] || fail "not an error message: $(head -n 1 errors)"
  [[ ! -e out.o ]] || fail 'a failed link leaves an output'
  [[ ! -s stdout ]] || fail "messages on standard output: $(<stdout)"
}

# expect_error TEXT: the messages of the last link_fails contain TEXT
expect_error() {
  grep -qF -- "$1" errors || fail "no '$1' in the messages:"$'\n'"$(<errors)"
}

# refused TEXT ARGUMENT...: the link fails, and its messages contain TEXT
refused() {
  link_fails "${@:2}"
  expect_error "$1"
}

# facts ARGUMENT...: prints the diagnostics of a link, one a line: severity, code, the symbol or file,
# places. The file `errors` has them as JSON.
facts() {
  "$BPFLINK" --json-diagnostics "$@" -o out.o 2>errors || (($? == 1))
  python3 -c '
import json
for d in map(json.loads, open("errors")):
    about = [d[key] for key in ("symbol", "file") if key in d]
    places = ["{object}:({section}+{offset:#x})".format(**place) for place in d.get("locations", [])]
    print(d["severity"], d["code"], *about, *places)'
}

# validates REPORT SCHEMA: the report has the fields that the schema asks for, and no others, if the program for that
# is there
validates() {
  python3 -W ignore - "$@" <<'END'
import json, sys
try:
    import jsonschema
except ImportError:
    sys.exit()
report, schema = (json.load(open(name)) for name in sys.argv[1:])
pieces = [schema]
for rule in pieces:
    pieces += [part for part in (rule.values() if isinstance(rule, dict) else rule) if isinstance(part, (dict, list))]
shared = [schema["$defs"][one["$ref"][len("#/$defs/"):]] for rule in pieces if "allOf" in rule for one in rule["allOf"]]
for rule in pieces:
    if "properties" in rule and rule not in shared:
        rule["unevaluatedProperties"] = False
jsonschema.validate(report, schema)
END
}

# ---- inspecting out.o, or the file named in $object

symbols() { python3 "$bpfobj" symbols "${object:-out.o}"; } # NAME TYPE BIND VISIBILITY SECTION VALUE SIZE
symbol() { symbols | sed -n "s/^$1 //p"; }   # one symbol's line, without its name
datasec() { datasecs | sed -n "s/^$1 //p"; } # VARIABLE OFFSET SIZE, one a line
datasecs() { python3 "$bpfobj" datasecs "${object:-out.o}"; }
variables() { datasec "$1" | sed 's/ .*//' | sort; } # the names in a DATASEC, sorted

sections() { # NAME TYPE SIZE FLAGS ALIGNMENT, one a line
  llvm-readelf-19 -SW --elf-output-style=JSON "${object:-out.o}" | python3 -c '
import json, sys
for entry in json.load(sys.stdin)[0]["Sections"]:
    s = entry["Section"]
    names = {"SHF_WRITE": "W", "SHF_ALLOC": "A", "SHF_EXECINSTR": "X", "SHF_MERGE": "M", "SHF_STRINGS": "S"}
    flags = "".join(names.get(f["Name"], "") for f in s["Flags"]["Flags"]) or "-"
    print(s["Name"]["Name"], s["Type"]["Name"], s["Size"], flags, s["AddressAlignment"])'
}

references() { python3 "$bpfobj" references "${object:-out.o}"; }
declarations() { python3 "$bpfobj" declarations "${object:-out.o}"; }
func_info() { python3 "$bpfobj" func_info "${object:-out.o}"; }
line_info() { python3 "$bpfobj" line_info "${object:-out.o}"; }
core_relo() { python3 "$bpfobj" core_relo "${object:-out.o}"; }

# bytes SECTION [OFFSET [SIZE]]: the contents in hexadecimal, "07 00 00 00"
bytes() {
  llvm-objcopy-19 --dump-section="$1=contents" "${object:-out.o}" /dev/null
  od -An -v -tx1 -w1000000 -j "${2:-0}" ${3:+-N "$3"} contents | sed 's/^ //'
}

types() { python3 "$bpfobj" types "${object:-out.o}"; } # the named types as C, one definition a line

# expect TEXT COMMAND...: COMMAND prints TEXT
expect() {
  local want=$1 got
  shift
  got=$("$@")
  [[ $got == "$want" ]] || fail "$*: expected"$'\n'"$want"$'\n'"but got"$'\n'"$got"
}

# contains LINE COMMAND...: COMMAND prints this line, and perhaps others
contains() {
  local want=$1 got
  shift
  got=$("$@")
  grep -qxF -- "$want" <<<"$got" || fail "$*: no line"$'\n'"$want"$'\n'"in"$'\n'"$got"
}

# lacks REGEX COMMAND...: COMMAND prints no line that matches
lacks() {
  local regex=$1 got
  shift
  got=$("$@")
  if grep -E -- "$regex" <<<"$got"; then fail "$*: should have no line like the above"; fi
}

# ---- out.o in the kernel

# run CHECK...: loads out.o into the kernel and does the checks; see kernel/bpf_run.cpp. Then it does
# the same with out.o linked with --strip-line-info and --prune-types. Without $BPF_RUN, or if the
# kernel does not permit it, this does nothing and says so.
run() {
  [[ -n ${BPF_RUN:-} ]] || { echo 'SKIPPED: to load it: BPF_RUN is not set' && return; }
  run_object out.o "$@"
  "$BPFLINK" -q --no-check-pointers --strip-line-info --prune-types out.o -o pruned.o
  run_object pruned.o "$@"
}

# kernel_has [SYMBOL...]: true if the kernel has BTF and these symbols; otherwise prints what it lacks
kernel_has() {
  local symbol
  [[ -e /sys/kernel/btf/vmlinux ]] || { echo 'SKIPPED: to load it: the kernel has no BTF' && return 1; }
  for symbol; do
    grep -q " $symbol\$" /proc/kallsyms || { echo "SKIPPED: to load it: the kernel has no $symbol" && return 1; }
  done
}

# at_least WANTED VERSION
at_least() { [[ $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$1" ]]; }

can_load_arenas() {
  [[ -n ${BPF_RUN:-} ]] || return 0 # `run` will say so
  local version
  version=$("$BPF_RUN" --libbpf-version)
  at_least 1.5 "$version" ||
    { echo "SKIPPED: to load it: libbpf $version cannot load arena globals (1.5 can)" && return 1; }
}

run_object() { "$BPF_RUN" "$@" || (($? == 77)) || exit 1; }

# ---- rules for every output

# no_new_lint INPUT...: eu-elflint has no complaint about out.o that it does not have about an input.
# Section and relocation numbers in complaints do not count.
no_new_lint() {
  command -v eu-elflint >/dev/null || return 0
  local input
  for input; do lint "$input"; done | sort -u >known.lint
  lint out.o | sort -u >new.lint
  comm -13 known.lint new.lint >added.lint
  [[ ! -s added.lint ]] || fail "eu-elflint:"$'\n'"$(<added.lint)"
}

lint() {
  { eu-elflint --gnu-ld "$1" || true; } | sed -E '/^No errors$/d; s/ *[0-9]+/ N/g'
}

# ---- the peer

differences=() # glob patterns of lines that may differ
explained=()   # those that were met, or that may be unmet

# differs PATTERN REASON [VERSION]: bpftool's output should differ from ours. PATTERN is a glob for a
# line of `view`, with `+` before it if only our output has the line, and `-` if only the peer's has it.
# If the peer refuses the inputs, the line is `- refused: MESSAGE`. From VERSION of libbpf on, the peer
# is mended, and its output must not differ.
differs() {
  [[ -n ${2:-} ]] || fail "differs '$1': no reason given"
  [[ -n ${3:-} ]] && peer_has "$3" && return
  differences+=("$1")
}

# peer_has VERSION: bpftool has this version of libbpf, or a newer one
peer_has() { at_least "$1" "$(bpftool version | sed -n 's/^using libbpf v//p')"; }

# varies PATTERN REASON: the same, if the difference depends on the peer's or the compiler's release
varies() {
  differs "$@"
  explained+=("$1")
}

# differential INPUT...: links the inputs with bpftool and compares the views
differential() {
  local line pattern unexplained=()
  view out.o >ours.view
  if bpftool gen object peer.o "$@" 2>peer.errors >&2; then
    view peer.o >peer.view
    { diff ours.view peer.view || true; } | sed -n 's/^< /+ /p; s/^> /- /p' >differences
  else
    sed -n '/./{s/^libbpf: /- refused: /p;q}' peer.errors >differences
  fi
  while IFS= read -r line; do
    for pattern in "${differences[@]}"; do
      # shellcheck disable=SC2053 # a glob pattern is meant
      if [[ $line == $pattern ]]; then
        explained+=("$pattern")
        continue 2
      fi
    done
    unexplained+=("$line")
  done <differences
  if ((${#unexplained[@]})); then
    printf '%s\n' "${unexplained[@]}" >&2
    fail "the peer's output differs (+ ours, - the peer's)"
  fi
}

view() { python3 "$bpfobj" view "$1"; } # facts on which both linkers must agree, as sorted lines
