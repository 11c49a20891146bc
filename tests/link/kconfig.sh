#!/bin/bash
# .kconfig externs stay for the loader, which sets their values. An extern of two files becomes one
# variable.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
extern int LINUX_KERNEL_VERSION __kconfig;
extern unsigned CONFIG_NO_SUCH_OPTION __kconfig __weak;
SEC("socket") int a(void *ctx) { return (LINUX_KERNEL_VERSION >> 16) + CONFIG_NO_SUCH_OPTION; }
EOF
compile b <<'EOF'
extern _Bool CONFIG_OTHER_ABSENT_OPTION __kconfig __weak;
extern int LINUX_KERNEL_VERSION __kconfig;
SEC("socket") int b(void *ctx) { return (LINUX_KERNEL_VERSION >> 8 & 255) + CONFIG_OTHER_ABSENT_OPTION; }
EOF
link a.o b.o

expect 'NOTYPE GLOBAL DEFAULT UND 0 0' symbol LINUX_KERNEL_VERSION
expect 'NOTYPE WEAK DEFAULT UND 0 0' symbol CONFIG_OTHER_ABSENT_OPTION
expect $'CONFIG_NO_SUCH_OPTION\nCONFIG_OTHER_ABSENT_OPTION\nLINUX_KERNEL_VERSION' variables .kconfig
contains 'var .kconfig extern unsigned int CONFIG_NO_SUCH_OPTION;' declarations
contains 'a+0x18 address LINUX_KERNEL_VERSION' references
contains 'b+0x18 address LINUX_KERNEL_VERSION' references
IFS=. read -r major minor _ < <(uname -r)
run "a()=$major" "b()=${minor%%[!0-9]*}"
