/* Shows how libbpf applies the CO-RE relocations of an object:
 *
 *   core_of_libbpf OBJECT [KERNEL_BTF]
 *
 * prints a line for each: SECTION INDEX KIND OUTCOME [VALUE]. The outcome is value, absent or
 * failed; libbpf stops at a failed one. The program loads every program and ignores whether the
 * kernel accepts it. Exit status 3: libbpf stopped before relocations. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char section[256], kind[64], outcome[16];
static char text[65536];
static int number = -1, seen;
static unsigned long long value;

static void flush(void) {
  if (number >= 0 && outcome[0]) {
    printf("%s %d %s %s", section, number, kind, outcome);
    if (!strcmp(outcome, "value")) printf(" %llu", value);
    printf("\n");
  }
  number = -1;
  outcome[0] = 0;
}

/* "prog 'x': relo #3: REST" */
static void relocation(int relo, const char* rest) {
  unsigned long long from;
  int insn;
  char form[32];

  if (rest[0] == '<') {
    flush();
    number = relo;
    snprintf(kind, sizeof(kind), "%.*s", (int)strcspn(rest + 1, ">"), rest + 1);
    return;
  }
  if (number != relo) flush(), number = relo, strcpy(kind, "?");
  if (!strncmp(rest, "substituting", 12))
    strcpy(outcome, "absent");
  else if (!strncmp(rest, "failed to ", 10))
    strcpy(outcome, "failed");
  else if (sscanf(rest, "patched insn #%d (%31[A-Z0-9/]) %*[a-z0-9] %llu -> %llu", &insn, form,
                  &from, &value) == 4 &&
           !strstr(rest, "mem_sz"))
    strcpy(outcome, "value");
}

static int print(enum libbpf_print_level level, const char* format, va_list args) {
  const char* at;
  int relo, used = 0;

  vsnprintf(text, sizeof(text), format, args);
  if (getenv("CORE_LOG")) fputs(text, stderr);
  if (strstr(text, " CO-RE relocations\n") && (at = strstr(text, "sec '"))) {
    flush();
    seen = 1;
    sscanf(at, "sec '%255[^']'", section);
  } else if ((at = strstr(text, "': relo #")) && sscanf(at, "': relo #%d: %n", &relo, &used) == 1 &&
             used) {
    relocation(relo, at + used);
  }
  return 0;
}

int main(int argc, char** argv) {
  LIBBPF_OPTS(bpf_object_open_opts, options);
  struct bpf_program* program;
  struct bpf_object* object;
  struct bpf_map* map;

  if (argc < 2 || argc > 3) return 2;
  options.btf_custom_path = argc == 3 ? argv[2] : NULL;
  libbpf_set_print(print);
  object = bpf_object__open_file(argv[1], &options);
  if (!object) return 3;
  bpf_object__for_each_program(program, object) bpf_program__set_autoload(program, true);
  bpf_object__for_each_map(map, object) bpf_map__set_autocreate(map, true);
  bpf_object__load(object);
  bpf_object__close(object);
  flush();
  return seen ? 0 : 3;
}
