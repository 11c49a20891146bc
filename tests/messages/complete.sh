#!/bin/bash
# Every message of the programs and the libraries is in a test, as a whole.
here=$(realpath "$(dirname "$0")")
python3 "$here/complete.py" "$here/../.."
