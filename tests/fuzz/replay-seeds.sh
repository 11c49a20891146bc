#!/bin/bash
# Makes the seeds of the fuzzers and runs each target on its own.
#
#   replay-seeds.sh REPLAY_TARGET...
set -euo pipefail

seeds=$(mktemp -d)
trap 'rm -rf "$seeds"' EXIT
"$(dirname "${BASH_SOURCE[0]}")/make-seeds.sh" "$seeds"
for replay; do "$replay" "$seeds/${replay##*/replay_}"; done
