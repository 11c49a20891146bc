# Functions for the installation cases: a temporary copy of the samples and bindings, with the
# installed programs first in PATH.
: "${PREFIX:?where the project is installed}" "${BUILD:?where it was built}"
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
repository=$(realpath "$here/../..")
mkdir "$tmp/linker"
cp -r "$repository/samples" "$tmp/samples"
cp -r "$repository/linker/interfaces" "$tmp/linker/interfaces"
cd "$tmp/samples/build_systems"
export PATH=$PREFIX/bin:$PATH PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig
export LD_LIBRARY_PATH=$PREFIX/lib
unset MAKEFLAGS MAKELEVEL MFLAGS CFLAGS CXXFLAGS LDFLAGS

# contains FILE TEXT
contains() {
  grep -qF -- "$2" "$1" || fail "no '$2' in $1:"$'\n'"$(<"$1")"
}

# is_filter OBJECT: OBJECT is the whole program of the samples
is_filter() {
  readelf -sW "$1" >symbols
  local name
  for name in filter record recorded sizes largest_class; do
    grep -qE " (FUNC|OBJECT) +GLOBAL .* $name\$" symbols || fail "$1 does not define $name"
  done
}

# has_commands FILE NAME...: the compilation database has one entry for each source, and its command
# compiles the source
has_commands() {
  local name database
  database=$(realpath "$1")
  for name in "${@:2}"; do
    jq -e --arg name "/$name" '[.[] | select("/" + .file | endswith($name))] | length == 1' "$database" >log ||
      fail "$name is not there once: $(<"$database")"
    jq -r --arg name "/$name" '.[] | select("/" + .file | endswith($name)) |
      "cd " + (.directory | @sh) + " && " + if .command then .command else (.arguments | @sh) end + " -fsyntax-only"' \
      "$database" >log
    bash -c "$(<log)" || fail "$name is not compiled by its command: $(<log)"
  done
}

# age: makes all files older than new ones will be
age() { find "$tmp" -type f -exec touch -d '1 minute ago' {} +; }

# of_roff: text as a user copies it
of_roff() { sed "s/\\\\-/-/g; s/\\\\(aq/'/g; s/\\\\(dq/\"/g; s/\\\\f[A-Z]//g; s/\\\\&//g; s/\\\\e/\\\\/g"; }

# example PAGE N: prints the Nth example of a manual page
example() {
  mkdir -p "$tmp/used" && touch "$tmp/used/${1##*/}.$2"
  awk -v n="$2" '/^\.EX/ { ++i; open = i == n; next } /^\.EE/ { open = 0 } open { found = 1; print } END { exit !found }' "$1" | of_roff
}

# read_snippets FILE...: writes each snippet to a file: text that is indented by four or more, or fenced
read_snippets() {
  mkdir "$tmp/snippets"
  awk -v snippets="$tmp/snippets" '
    function start() { name = sprintf("%s/%02d", snippets, ++n); print section >(name ".section"); blank = "" }
    /^```/ { fence = !fence; open = 0; if (fence) start(); next }
    fence { print >name; next }
    /^#/ { section = $0; sub(/^#+ /, "", section); count = 0 }
    /^    / {
      match($0, /^ +/)
      if (!open) { start(); indent = RLENGTH; open = 1 }
      printf "%s%s\n", blank, substr($0, indent + 1) >name
      blank = ""
      next
    }
    /^$/ { if (open) blank = blank "\n"; next }
    { open = 0 }' "$@"
}

# snippet SECTION NUMBER: prints a section's snippet
snippet() {
  local found
  found=$(grep -lxF -- "$1" "$tmp"/snippets/*.section | sed -n "$2p")
  [[ $found ]] || fail "README.md: no snippet $2 under '$1'"
  cat "${found%.section}"
  touch "${found%.section}.used"
}

# write_files: writes the files of README.md's program
write_files() {
  local number=0 file
  for file in count.h maps.bpf.c queue.bpf.c main.bpf.c; do
    snippet 'Link a program of three files' $((++number)) >$file
  done
}
