#!/bin/bash
# Each message of the programs and the libraries stands in a test as a whole.
here=$(realpath "$(dirname "$0")")
python3 "$here/complete.py" "$here/../.."
