#!/bin/bash
# The house rules that a compiler does not check; a step of CI.
#
#   tests/house.sh            prints each violation; exit status 1 if there is one
#   tests/house.sh --lines    updates tests/house-lines.txt
#
# Lines must not exceed tests/house-lines.txt: the C++ lines of each folder, and totals. --lines does not
# raise a total: who must, writes what was taken out for it beside the number.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
export LC_ALL=C
broken=0
broken() {
  printf '%s\n' "$*"
  broken=1
}

# total NAME PATTERN...: prints the lines of all files that match
total() { printf 'total %s %s\n' "$1" "$(git ls-files -z "${@:2}" | xargs -0 cat | wc -l)"; }

# lines: prints totals, each folder with C++ files and the number of their lines
lines() {
  total C++ 'dedup/*.[ch]pp' 'linker/*.[ch]pp' 'include/*.h' 'include/*.hpp'
  total bindings linker/interfaces/rust linker/interfaces/go
  total documents '*.md' '*.[1-7]'
  total tests tests ':!tests/fuzz/regressions'
  total web '*.js' '*.css' '*.html' ':!tests'
  git ls-files 'dedup/*.[ch]pp' 'linker/*.[ch]pp' 'include/*.h' 'include/*.hpp' | while read -r file; do
    printf '%s %s\n' "${file%/*}" "$(wc -l <"$file")"
  done | awk '{ sum[$1] += $2 } END { for (folder in sum) print folder, sum[folder] }' | sort
}

# compare RULES: runs awk rules for each of lines(), with the row that the table has for it
compare() {
  lines | awk '{ is_total = ($1 == "total"); key = (is_total ? $1 " " $2 : $1); count = (is_total ? $3 : $2) }
    FNR == NR { most[key] = count; row[key] = $0; next } '"$1" tests/house-lines.txt -
}

if [[ ${1:-} == --lines ]]; then
  compare '{ print (is_total && key in row && count >= most[key] ? row[key] : $0) }' >tests/house-lines.new
  mv tests/house-lines.new tests/house-lines.txt
fi

# The floors of the house, from the ground up: a file includes what is on its floor or below.
floors='
include/
dedup/try dedup/messages dedup/align_up dedup/edit_distance dedup/sort_by_name
dedup/format/ dedup/merge/
dedup/print/ dedup/compare/
dedup/check/
dedup/relocations/ dedup/edit/ dedup/dwarf/ dedup/dedup dedup/for_linker
linker/error linker/address_sanitizer
linker/io/
linker/facts/
linker/files/
linker/types/
linker/text/ linker/outputs
linker/program/
linker/kernels/ linker/verdicts/ linker/lto/ linker/skeleton/
linker/state/
linker/report/
linker/passes/
linker/link
linker/options/
linker/interfaces/
linker/programs/'
if climbs=$(git ls-files 'dedup/*.[ch]pp' 'linker/*.[ch]pp' 'include/*.hpp' | xargs grep -HE '^#include "(bpflink|dedup|linker)/' |
  awk -F: 'FNR == NR { for (i = split($0, names, " "); i > 0; --i) floor[names[i]] = FNR; next }
    function floor_of(path) {
      for (; path != ""; path = substr(path, 1, length(path) - 1)) if (path in floor) return floor[path]
    }
    { split($2, parts, "\""); to = parts[2]; sub(/^bpflink/, "include/bpflink", to)
      if (floor_of($1) + 0 < floor_of(to) + 0 || !floor_of($1)) print $1 " includes " to }' <(echo "$floors") - |
  grep .); then
  broken "an include goes up:"$'\n'"$climbs"
fi

if found=$(git grep -nE '[^|][|] *grep -[[:alpha:]]*q' 'tests/*.sh'); then broken 'a pipe into grep -q fails by chance: has'$'\n'"$found"; fi

# only_in FOLDER PATTERN WHY
only_in() {
  local found
  if found=$(grep -rnE --include='*.[ch]pp' --include='*.h' -e "$2" dedup linker include | grep -v "^$1"); then
    broken "$3:"$'\n'"$found"
  fi
}
only_in linker/text/ '">>>' 'text of messages is made in linker/text'
only_in dedup/format/ '0x[eE][bB]9[fF]' "BTF's magic number is in dedup/format"

# once NAME REGEX: exactly one definition matches
once() {
  local found
  found=$(grep -rnE --include='*.[ch]pp' -e "$2" dedup linker include) || true
  if (($(grep -c . <<<"$found") != 1)); then broken "$1 must be defined once:"$'\n'"$found"; fi
}
once align_up '^(inline |constexpr )*[a-z0-9_]+ align_up\('
once count_of '^(inline |static )*std::string count_of\('
once is_enum '^(inline |constexpr )*bool is_enum\('
once is_composite '^(inline |constexpr )*bool is_composite\('
once is_qualifier '^(inline |constexpr )*bool is_qualifier\('
once gc_root_reason '^std::string_view gc_root_reason\(const InputSection&.*\{'
once target_of '^(inline )*[A-Za-z]+ target_of\(.*\{'
once skip_modifiers '^uint32_t skip_modifiers\(.*\{'
once printable '^std::string printable\(.*\{'

# A struct's name must be unique in the shared namespace: of two structs, the linker picks one.
if twice=$(git ls-files 'dedup/*.[ch]pp' 'linker/*.[ch]pp' 'include/*.hpp' | xargs awk '
    FNR == 1 { is_hidden = 0 }
    /^namespace \{/ { is_hidden = 1 }
    /^}  \/\/ namespace$/ { is_hidden = 0 }
    !is_hidden && /^(struct|class|enum class|union) [A-Za-z_]+( final)?( :[^;]*)? \{/ {
      name = $0
      sub(/^(struct|class|enum class|union) /, "", name)
      sub(/[^A-Za-z_].*/, "", name)
      if (name in first && first[name] != FILENAME) print name ": " first[name] ", " FILENAME
      first[name] = FILENAME
    }') && [[ $twice ]]; then
  broken "a name means one thing:"$'\n'"$twice"
fi

# What a release of Linux brought stands in linker/facts alone.
if elsewhere=$(git grep -nE '\{[4-9], [0-9]{1,2}\}' -- 'linker/*.[ch]pp' ':!linker/facts'); then
  broken "facts about Linux outside of linker/facts:"$'\n'"$elsewhere"
fi

# Each pass of link.cpp is defined in linker/passes, once.
passes=$(sed -nE 's/.*RUN\(([a-z_]+)\);/\1/p' linker/link.cpp | sort)
defined=$(sed -nE 's/^void ([a-z_]+)\(Context& .*/\1/p' linker/passes/*/*.cpp | grep -Fxf <(echo "$passes") | sort)
if ! difference=$(diff <(echo "$passes") <(echo "$defined")); then
  broken "linker/passes is the list in link.cpp:"$'\n'"$difference"
fi

grown=$(compare 'count > most[key] + 0 { print key ": " count " lines, more than " most[key] + 0 ": make it smaller" }')
if [[ $grown ]]; then broken "$grown"; fi

exit "$broken"
