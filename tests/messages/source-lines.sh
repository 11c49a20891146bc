#!/bin/bash
# The source line of an error, shown as compilers do
. "$(dirname "$0")/common.sh"

rest='>>>               main.o:(socket+0x0)
>>> -r leaves it to a later link'
# undefined MESSAGE SOURCE [ARGUMENT...]: SOURCE calls `helper`, and the link fails with MESSAGE
undefined() {
  local want=$1
  compile main <<<"$2"
  shift 2
  expect_message "$want" "$BPFLINK" main.o -o out.o "$@"
}

source='int helper(void);
SEC("socket") int prog(void *ctx) {
	return	helper();
}'
undefined "main.bpf.c:3:9: error: undefined symbol: helper
    3 | 	return	helper();
      | 	      	^
>>> referenced by main.bpf.c:3
$rest" "$source"
red=$'\033[1;31m' green=$'\033[1;32m' bold=$'\033[1m' plain=$'\033[0m'
undefined "${bold}main.bpf.c:3:9:$plain ${red}error:$plain ${bold}undefined symbol: helper$plain
    3 | 	return	helper();
      | 	      	$green^$plain
>>> referenced by main.bpf.c:3
$rest" "$source" --color-diagnostics always
# The column of the name as a whole word; otherwise the instruction's column
undefined "main.bpf.c:2:65: error: undefined symbol: helper
    2 | SEC(\"socket\") int prog(void *ctx) { int helpers = 1; return /**/helper() + helpers; }
      |                                                                 ^
>>> referenced by main.bpf.c:2
$rest" 'int helper(void);
SEC("socket") int prog(void *ctx) { int helpers = 1; return /**/helper() + helpers; }'
undefined "main.bpf.c:3:44: error: undefined symbol: helper
    3 | SEC(\"socket\") int prog(void *ctx) { return HELP; }
      |                                            ^
>>> referenced by main.bpf.c:3
$rest" 'int helper(void);
#define HELP helper()
SEC("socket") int prog(void *ctx) { return HELP; }'
# Control characters, and lines too long to help
undefined "main.bpf.c:2:49: error: undefined symbol: helper
    2 | SEC(\"socket\") int prog(void *ctx) { return /*?*/helper(); }
      |                                                 ^
>>> referenced by main.bpf.c:2
$rest" 'int helper(void);
SEC("socket") int prog(void *ctx) { return /*'$'\033''*/helper(); }'
long=$(printf '%240s' '')
undefined "main.bpf.c:2:285: error: undefined symbol: helper
>>> referenced by main.bpf.c:2
$rest" "int helper(void);
SEC(\"socket\") int prog(void *ctx) { return $long helper(); }"

# The path of a source file, relative to the current directory, without "."
mkdir -p sub/other
echo "$source" >sub/main.bpf.c
(cd sub && compile ./././main <<<"$source" && mv main.o ..)
place='main.bpf.c:3:9: error: undefined symbol: helper'
first_line() {
  (cd "$1" && ! "$BPFLINK" "$tmp/main.o" -o out.o 2>"$tmp/errors")
  [[ $(head -n 1 errors) == "$2" ]] || mistake "in $1: $(head -n 1 errors)"
}
first_line . "sub/$place"
first_line sub "$place"
first_line sub/other "$tmp/sub/$place"
(cd / && first_line "$tmp" "sub/$place")
mkdir sub.other
first_line sub.other "$tmp/sub/$place"
compile main <<<"$source"

# As JSON
compile main <<<"$source"
"$BPFLINK" --json-diagnostics main.o -o out.o 2>errors && mistake 'main.o is linked'
expect $'\treturn\thelper();'$'\n9' python3 -c '
import json
place = json.load(open("errors"))["locations"][0]
print(place["text"], place["column"], sep="\n")'
