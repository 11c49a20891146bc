#!/bin/bash
# The page of --size-map in a real browser, at three window widths: nothing is wider than the window,
# the bytes of each view add up, clicks and keys navigate, the search finds, an address restores its
# view, and no script fails. The page of a large link and of a kernel is small enough.
. "$(dirname "$0")/common.sh"
command -v chromium >/dev/null || skip 'chromium is not installed'

# browse ARGUMENT...: runs headless Chromium
browse() {
  HOME=$tmp timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$tmp/profile" \
    "$@" 2>browser.log || fail "chromium: $(tail -n 5 browser.log)"
}

# page_is_right FILE NAME MOST [WIDTH...]: FILE passes page-test.js at these widths, which searches
# for NAME, and has at most MOST bytes
page_is_right() {
  local file=$1 name=$2 size title width
  size=$(stat -c %s "$file")
  ((size <= $3)) || fail "$file has $size bytes"
  # The page loads nothing: its only address is the SVG namespace.
  lacks 'src=|href=|url\(|@import' sed '/<script type="application/d' "$file"
  expect 1 grep -c 'http' <(sed '/<script type="application/d' "$file")
  # No name closes the report's element.
  expect 2 grep -c '<script' "$file"
  {
    sed '/^<\/body>/,$d' "$file"
    printf '<script data-find="%s">\n' "$name"
    cat "$reports/page-test.js"
    printf '</script>\n</body>\n</html>\n'
  } >tested.html
  shift 3
  for width in "${@:-1400}"; do
    browse --window-size="$width,1000" --virtual-time-budget=20000 --dump-dom "file://$tmp/tested.html" >dom
    title=$(sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p' dom)
    [[ $title == 'all is right' ]] || fail "$file: $title"
  done
}

three_objects
"$BPFLINK" --gc-sections {main,lib,table}.o -o out.o --size-map page.html
page_is_right page.html helper 130000 1400 900 500
python3 "$reports/spoil.py" page.html >spoilt.html
page_is_right spoilt.html constructor 3000000 500
"$BPFLINK" {main,lib,table}.o -o out.o --size-map page.html
page_is_right page.html theirs 130000

# On paper, all table columns have room, and folded details are open.
if command -v pdftotext >/dev/null; then
  browse --print-to-pdf=page.pdf "file://$tmp/page.html"
  pdftotext -layout page.pdf page.txt
  grep -qE '^ *prog +[0-9]+ .* bytes .* 1 map .* 3 variables .* 3 functions' page.txt || fail "the table of programs is cut off"
  grep -qE '^ *add +twice +helper' page.txt || fail 'what programs use stays folded'
  grep -q 'differs from .* ours.first: int in main.o, long in lib.o' page.txt || fail 'what differs stays folded'
fi

# Eighty objects
for ((i = 0; i < 80; ++i)); do
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
page_is_right page.html function_77 1200000 500

"$BTFDEDUP" main.o lib.o --size-map page.html
page_is_right page.html event 100000

# Names of a type or file that would close the report's element, or that are not text
llvm-objcopy-19 --dump-section .BTF=of_lib lib.o /dev/null
mkdir '<'
python3 - <<'END'
btf = open("of_lib", "rb").read()
spoilt = btf.replace(b"\0event\0", b"\0</b>\xff\0").replace(b"\0helper\0", b"\0\x1b[31m\r\0")
assert len(spoilt) == len(btf) and spoilt != btf
open("</script><script>wrong.push('it ran')", "wb").write(spoilt)
END
"$BTFDEDUP" "</script><script>wrong.push('it ran')" main.o --size-map page.html
page_is_right page.html event 100000 500

if [[ -r /sys/kernel/btf/vmlinux ]]; then
  "$BTFDEDUP" /sys/kernel/btf/vmlinux --size-map page.html
  page_is_right page.html task_struct 2000000
  # What is small is in groups that say what it is, such as "bpf* (1,234 smaller)".
  grep -qF ' smaller)' page.html || fail 'no groups by the first word'
  grep -qF '(arrays and pointers of numbers)' page.html || fail 'no group of arrays of numbers'
  # The arrays of char are no part of char.
  (($("$BTFDEDUP" /sys/kernel/btf/vmlinux --explain char | sed -n 's/^ *bytes *\([0-9]*\)$/\1/p') < 100)) || fail 'char is large'
fi
