#!/bin/bash
# Stands in for a program, under its name: runs it from two builds with the same arguments, compares
# the files that both write, and forwards the new build's output, because the calling tests are the new
# build's. A part of compare-builds.sh, which sets COMPARE_*.
program=${0##*/}
outputs=() directories='' updated='' option=''
for argument; do
  # If an input can be read only once, only the new program runs.
  if [[ -p $argument || $argument == /dev/@(fd/*|stdin) || ($argument == - && ! $option =~ ^(-o|-.*[Mm]ap|--json)$) ]]; then
    exec "$COMPARE_NEW/$program" "$@"
  fi
  case $option in
    -o | --output)
      outputs+=("$argument")
      [[ ! -d $argument ]] || directories+=" $argument"
      ;;
    --update) outputs+=("$argument") updated=$argument ;;
    -Map | --Map | --json | --size-map | --dependency-file)
      [[ ! $COMPARE_REPORTS ]] || outputs+=("$argument") ;;
  esac
  option=$argument
  if [[ $COMPARE_KEEP && $argument == *.o && -f $argument ]]; then
    cp -n "$argument" "$COMPARE_KEEP/$(cksum <"$argument" | tr ' ' -).o"
  fi
done

tmp=$COMPARE_RUN/tmp/$$
mkdir -p "$tmp"/{old,new}

# run WHICH BUILD ARGUMENT...: puts the results into $tmp/WHICH
run() {
  local into=$tmp/$1 i
  "$2/$program" "${@:3}" >"$into/stdout" 2>"$into/stderr"
  echo $? >"$into/status"
  for i in "${!outputs[@]}"; do
    if [[ -d ${outputs[i]} ]]; then
      cp -r "${outputs[i]}" "$into/$i-${outputs[i]##*/}"
      [[ $1 == new || " $directories " == *" ${outputs[i]} "* ]] || rm -rf "${outputs[i]:?}"
    elif [[ -f ${outputs[i]} ]]; then
      cp "${outputs[i]}" "$into/$i-${outputs[i]##*/}"
    fi
  done
}

[[ ! -f $updated ]] || cp -p "$updated" "$tmp/updated"
run old "$COMPARE_OLD" "$@"
[[ ! -f $updated ]] || cp -p "$tmp/updated" "$updated"
run new "$COMPARE_NEW" "$@"
[[ ! -s $tmp/new/stdout ]] || cat "$tmp/new/stdout"
[[ ! -s $tmp/new/stderr ]] || cat "$tmp/new/stderr" >&2
status=$(<"$tmp/new/status")

ignored=()
[[ $COMPARE_REPORTS || " $* " == *' -o - '* ]] || ignored+=(-x stdout)
[[ $COMPARE_MESSAGES ]] || ignored+=(-x stderr)
# Times differ between any two runs.
[[ ! $COMPARE_REPORTS ]] || grep -lIr . "$tmp"/old "$tmp"/new |
  xargs -r sed -Ei 's/("(seconds|classify|resolve|write|total)": )([0-9]+\.[0-9]+|[0-9.]+e-[0-9]+)/\1TIME/; s/ [0-9]+\.[0-9]{6}( s)?$/ TIME/'
if difference=$(diff -rq "${ignored[@]}" "$tmp"/old "$tmp"/new); then
  ((status == 0)) && result=same || result=failed
else
  kept=$(mktemp -d -p "$COMPARE_RUN/differences")
  cp -r "$tmp"/{old,new} "$kept"
  printf '%q ' "$program" "$@" >"$kept/command"
  for argument; do # temporary inputs
    [[ ! -f $argument || ($argument == /* && $argument != "$COMPARE_RUN"/*) ]] || cp "$argument" "$kept"
  done
  what=$(sed -E 's/^Only in .*(old|new): (.*)/\2 (\1 only)/; s/^Files .*\/(.*) differ$/\1/; s/^[0-9]+-//' <<<"$difference" | paste -sd ' ')
  result="$kept: differ: $what: $(cut -c 1-300 <<<"$program $*")"
fi
echo "$result" >>"$COMPARE_RUN/log"
rm -rf "$tmp"
exit "$status"
