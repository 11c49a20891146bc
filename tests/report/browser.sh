#!/bin/bash
# The page of --size-map in a real browser: it draws, its bytes add up, a click and keys go in and
# out, the search finds, nothing is an error; and it is small enough, of a large link and a kernel.
. "$(dirname "$0")/common.sh"
command -v chromium >/dev/null || skip 'chromium is not installed'

# browse ARGUMENT...
browse() {
  HOME=$tmp timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$tmp/profile" \
    "$@" 2>browser.log || fail "chromium: $(tail -n 5 browser.log)"
}

# page_is_right FILE NAME MOST: the page passes page-test.js, which searches for NAME, and has at most
# so many bytes
page_is_right() {
  local size title
  size=$(stat -c %s "$1")
  ((size <= $3)) || fail "$1 has $size bytes"
  # It needs nothing from elsewhere: the one address in it is the name of SVG.
  lacks 'src=|href=|url\(|@import' sed '/<script type="application/d' "$1"
  expect 1 grep -c 'http' <(sed '/<script type="application/d' "$1")
  {
    sed '/^<\/body>/,$d' "$1"
    printf '<script data-find="%s">\n' "$2"
    cat "$reports/page-test.js"
    printf '</script>\n</body>\n</html>\n'
  } >tested.html
  browse --window-size=1300,1000 --dump-dom "file://$tmp/tested.html" >dom
  title=$(sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p' dom)
  [[ $title == 'all is right' ]] || fail "$1: $title"
}

three_objects
"$BPFLINK" --gc-sections {main,lib,table}.o -o out.o --size-map page.html
page_is_right page.html helper 100000
"$BPFLINK" {main,lib,table}.o -o out.o --size-map page.html
page_is_right page.html theirs 100000

# On paper all columns of the tables have room, and what differs is unfolded.
if command -v pdftotext >/dev/null; then
  browse --print-to-pdf=page.pdf "file://$tmp/page.html"
  pdftotext -layout page.pdf page.txt
  grep -qE '^ *prog +xdp +xdp .* add, twice, helper +events +' page.txt || fail "the table of programs is cut off"
  grep -q 'differs from .* ours.first: int in main.o, long in lib.o' page.txt || fail 'what differs stays folded'
fi

# Two hundred objects
for ((i = 0; i < 200; ++i)); do
  cat >many$i.bpf.c <<END
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
struct of_all { struct bpf_sock sock; struct bpf_tcp_sock tcp; } of_all_$i;
struct of_$i { int a[$((i + 1))]; struct of_all *all; } variable_$i = { { $i } };
static const char text_$i[] = "text of $i";
__attribute__((noinline)) int function_$i(int x) { return variable_$i.a[0] + text_$i[x & 7]; }
SEC("tc") int program_$i(struct __sk_buff *skb) { return function_$i(skb->len) + of_all_$i.sock.family; }
END
done
"$CC" -g -O2 --target=bpf -I"/usr/include/$(uname -m)-linux-gnu" -c many*.bpf.c
"$BPFLINK" many*.o -o out.o --size-map page.html --json report.json
adds_up out.o
page_is_right page.html function_77 3000000

"$BTFDEDUP" main.o lib.o --size-map page.html
page_is_right page.html event 100000
if [[ -r /sys/kernel/btf/vmlinux ]]; then
  "$BTFDEDUP" /sys/kernel/btf/vmlinux --size-map page.html
  page_is_right page.html task_struct 15000000
fi
