# Functions for the messages cases, besides those of tests/link.
#
# A case contains each message as a whole, so that complete.sh finds it.
. "$(dirname "${BASH_SOURCE[0]}")/../link/common.sh"

# The interpreter's own path: a wrapper (pyenv) may take longer than the script.
python=$(python3 -c 'import sys; print(sys.executable)')

mistakes=0
trap 'status=$?; all_differ $((status ? status : mistakes > 0))' EXIT

# mistake TEXT...: records a failure and continues, so that one run shows all
mistake() {
  printf 'FAIL: line %s: %s\n' "$(caller_line)" "$*" >&2
  mistakes=$((mistakes + 1))
}

caller_line() {
  local i
  for ((i = 1; i < ${#BASH_SOURCE[@]}; i++)); do
    [[ ${BASH_SOURCE[i]} == "$0" ]] && echo "${BASH_LINENO[i - 1]}" && return
  done
}

# expect_message TEXT COMMAND...: the command fails as it should: exit status 1, only TEXT on standard
# error, nothing on standard output, no output file, no temporary file
expect_message() {
  local want=$1 status=0
  shift
  rm -f out.o
  "$@" >stdout 2>errors || status=$?
  [[ $status == 1 ]] || mistake "$*: exit status $status"
  [[ $(<errors) == "$want" ]] || mistake "$*: expected"$'\n'"$want"$'\n'"but got"$'\n'"$(<errors)"
  [[ ! -s stdout ]] || mistake "$*: on standard output: $(<stdout)"
  [[ ! -e out.o ]] || mistake "$*: leaves an output"
  [[ -z $(compgen -G '.*.tmp') ]] || mistake "$*: leaves a temporary file"
}

# doctored OUT PLACE=VALUE...: OUT is good.o with numbers changed; see Editor in bpfobj.py
doctored() {
  "$python" -S "$bpfobj" set good.o "$@"
}

# bad MESSAGE PLACE=VALUE...: good.o with numbers changed is an error with MESSAGE
bad() {
  local message=$1
  shift
  doctored bad.o "$@"
  expect_message "bpflink: error: bad.o: $message" "$BPFLINK" bad.o -o out.o
}

# blob FILE STATEMENTS: writes raw BTF; see Blob in bpfobj.py. With a directory in $KEPT_BLOBS, a copy
# stays there for boot/btf-verdicts.sh.
blob() {
  "$python" -S "$bpfobj" blob "$@"
  if [[ ${KEPT_BLOBS:-} ]]; then cp "$1" "$KEPT_BLOBS/line-$(caller_line)-$(find "$KEPT_BLOBS" | wc -l).btf"; fi
}

# bad_blob MESSAGE STATEMENTS: the raw BTF is an error with MESSAGE
bad_blob() {
  blob bad.btf "$2"
  expect_message "btfdedup: error: bad.btf: $1" "$BTFDEDUP" bad.btf -o out.o
}
