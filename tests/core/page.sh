#!/bin/bash
# The page of check --html: its script runs, and shows what is not known.
. "$(dirname "$0")/common.sh"
command -v node >/dev/null || skip 'node is not installed'

# The least of a browser that the script needs
cat >page.js <<'EOS'
const html = require('fs').readFileSync(process.argv[2], 'utf8');
const data = html.match(/<script[^>]*id="report"[^>]*>([\s\S]*?)<\/script>/)[1];
const code = [...html.matchAll(/<script(?![^>]*id="report")[^>]*>([\s\S]*?)<\/script>/g)].map((match) => match[1]).join('\n');
class Element {
  constructor(name) { this.name = name; this.children = []; this.attributes = {}; }
  setAttribute(key, value) { this.attributes[key] = value; }
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  addEventListener(event, listener) { this.listener = listener; }
}
const ids = { report: { textContent: data } };
global.document = {
  getElementById: (id) => ids[id] ??= new Element(id),
  createElement: (name) => new Element(name),
};
(0, eval)(code);
const buttons = [];
const text = (node) => node.children ? node.children.map(text).join('') : node;
const visit = (node) => {
  if (node.name === 'button' && node.attributes.class) {
    node.listener();
    const is_empty = text(ids.problems).includes('Nothing fails here');
    buttons.push(`${node.attributes.class}${node.children.join('')}${is_empty ? '' : '!'}`);
  }
  if (node.children) node.children.forEach(visit);
};
visit(ids.matrix);
console.log(`${ids.title.textContent}: ${buttons.join(' ')}`);
EOS

compile both <<'EOS'
extern int some_kfunc(int x) __ksym __weak;
SEC("raw_tp") int calls(void *ctx) { return some_kfunc(1); }
SEC("socket") int fits(void *ctx) { return 1; }
EOS
kernel minimized bare <<<'enum bpf_prog_type { BPF_PROG_TYPE_SOCKET_FILTER = 1, BPF_PROG_TYPE_RAW_TRACEPOINT = 17 } types; struct task_struct { int pid; } task;'
kernel whole <<<'int some_kfunc(int x) { return x; }'
page() { # WANT KERNEL...
  core "$([[ $1 == *fails* ]] && echo 1 || echo 0)" check both.o "${@:2}" --html page.html
  [[ $(node page.js page.html) == "$1" ]] || fail "$(node page.js page.html 2>&1)"
}
page '0 of 1 kernel fits; 1 is unknown: unknown?! resolves' minimized.btf
sed 's/some_kfunc(1)/0/' both.bpf.c >source
compile both <source
page 'Everything fits all 2 kernels: resolves resolves resolves resolves' minimized.btf whole.btf

# What a program of a struct_ops map lacks, the others of the map have as their problem as well.
compile both <<'EOS'
extern int some_kfunc(int x) __ksym __weak;
struct my_ops { int (*run)(int value); int (*halt)(int value); };
SEC("struct_ops") int run(unsigned long long *args) { return some_kfunc(1); }
SEC("struct_ops") int halt(unsigned long long *args) { return 0; }
SEC("socket") int apart(void *ctx) { return 1; }
SEC(".struct_ops") struct my_ops ops = {.run = (void *)run, .halt = (void *)halt};
EOS
kernel ops <<'EOS'
struct my_ops { int (*run)(int value); int (*halt)(int value); };
struct bpf_struct_ops_my_ops { long state; struct my_ops data; } value;
void init(void) {}
EOS
page '0 of 1 kernel fits: fails×! fails×! resolves' ops.btf
