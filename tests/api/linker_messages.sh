#!/bin/bash
# The stand-in for libbpf's linker prints a message where libbpf only returns a number, with the
# function that the program gave to libbpf_set_print(), which prints to standard output here.
#
#   linker_messages.sh PROGRAM ARGUMENT...
set -euo pipefail

errors=$(mktemp)
trap 'rm "$errors"' EXIT
said=$("$@" 2>"$errors")
cat "$errors"
[[ ! -s $errors ]]
for message in 'packets-nobtf.o: extern without a type in BTF: tally' \
  'bpf_linker_opts: byte 8 is set, which is of a newer version: this one knows 8' \
  'bpf_linker_opts: the size is 7, less than 8'; do
  grep -xF "bpflink: error: $message" <<<"$said"
done
