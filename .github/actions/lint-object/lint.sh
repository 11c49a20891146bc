#!/bin/bash
# The checks of action.yml, whose inputs are in OBJECT, KERNELS and LOAD.
#
# Names in an object are hostile. The runner takes lines of the log for commands ("::add-mask::", and
# "##[...]" also within a line), so it is told to stop that, and each line gets a mark. In the summary,
# indented text has no end that a name could write.
set -euo pipefail

tmp=$(mktemp -d)
resume=''
trap 'rm -rf "$tmp"; [[ ! $resume ]] || echo "::$resume::"' EXIT
status=0
if [[ ${GITHUB_ACTIONS:-} ]]; then
  resume=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  echo "::stop-commands::$resume"
fi
{
  echo "### ${OBJECT##*/}"
  echo '| check | result |'
  echo '| --- | --- |'
} >"$tmp/table"

# check NAME COMMAND...: writes the command's output below the table; $result becomes passed or failed
check() {
  local name=$1
  shift
  result=passed
  "$@" 2>&1 | sed "s|$tmp/||g" >"$tmp/output" || { result=failed && status=1; }
  sed 's/^/| /' "$tmp/output"
  { printf '\n%s:\n\n' "$name" && sed 's/^/    /' "$tmp/output"; } >>"$tmp/details"
}
row() { echo "| $1 | $2 |" >>"$tmp/table"; }

check Types btfdedup --check "$OBJECT"
row Types "$result"

read -rd '' -a patterns <<<"$KERNELS" || true
if ((${#patterns[@]})); then
  # shellcheck disable=SC2206 # patterns are meant
  kernels=(${patterns[@]})
  if [[ ${LOAD:-} == true ]]; then verdict=load; else verdict=check; fi
  # A pattern that no file has is none.
  for i in "${!kernels[@]}"; do [[ -e ${kernels[i]} || ${kernels[i]} != *[*]* ]] || unset "kernels[i]"; done
  if ((${#kernels[@]})); then
    check Kernels bpfcore $verdict --table "$OBJECT" "${kernels[@]/#/--kernel=}"
  else
    check Kernels sh -c 'echo "error: no file matches $KERNELS"; false'
  fi
  row Kernels "$result"
fi

check Size bpflink --print-sizes -o "$tmp/${OBJECT##*/}" "$OBJECT"
if [[ $result == passed ]]; then result=$(sed -nE 's/.*: ([0-9,]+ bytes):$/\1/p' "$tmp/output" | sed 1q); fi
row Size "$result"

cat "$tmp/table" "$tmp/details" >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
exit $status
