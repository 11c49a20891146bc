#!/bin/bash
# The output has the license once if all files agree, and so for the version section.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
char LICENSE[] SEC("license") = "GPL";
int _version SEC("version") = 7;
SEC("socket") int a(void *ctx) { return 1; }
EOF
compile b <<'EOF'
char LICENSE[] SEC("license") = "GPL";
int _version SEC("version") = 7;
SEC("socket") int b(void *ctx) { return 2; }
EOF
compile c <<<'char _license[] SEC("license") = "GPL"; SEC("socket") int c(void *ctx) { return 3; }'

link a.o b.o c.o
expect '47 50 4c 00' bytes license
expect '07 00 00 00' bytes version
expect 'LICENSE 0 4' datasec license
expect '_version 0 4' datasec version
expect 'OBJECT GLOBAL DEFAULT license 0 4' symbol LICENSE

# An array may be longer than the text. The first one stays.
for size in 4 '' 16; do
  compile size$size <<<"char text$size[$size] SEC(\"license\") = \"GPL\"; SEC(\"socket\") int prog$size(void *ctx) { return 0; }"
done
differs "- refused: non-identical contents of section 'license' are not supported" 'zeros after the text are no difference'
link size16.o size4.o size.o
expect '47 50 4c 00 00 00 00 00 00 00 00 00 00 00 00 00' bytes license
expect 'text16 0 16' datasec license
link size.o size16.o
expect 'text 0 4' datasec license
