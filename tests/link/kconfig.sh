#!/bin/bash
# .kconfig externs stay for the loader; the same one in two files is one variable.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
extern int LINUX_KERNEL_VERSION __kconfig;
extern unsigned CONFIG_HZ __kconfig;
SEC("socket") int a(void *ctx) { return LINUX_KERNEL_VERSION + CONFIG_HZ; }
EOF
compile b <<'EOF'
extern unsigned CONFIG_HZ __kconfig;
extern _Bool CONFIG_BPF_SYSCALL __kconfig __weak;
SEC("socket") int b(void *ctx) { return CONFIG_HZ + CONFIG_BPF_SYSCALL; }
EOF
link a.o b.o

expect 'NOTYPE GLOBAL DEFAULT UND 0 0' symbol CONFIG_HZ
expect 'NOTYPE WEAK DEFAULT UND 0 0' symbol CONFIG_BPF_SYSCALL
expect $'CONFIG_BPF_SYSCALL\nCONFIG_HZ\nLINUX_KERNEL_VERSION' variables .kconfig
contains 'var .kconfig extern unsigned int CONFIG_HZ;' declarations
contains 'a+0x18 address CONFIG_HZ' references
contains 'b+0x18 address CONFIG_HZ' references
