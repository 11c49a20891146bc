/* Calls libbpf's linker step by step and prints the result of each call, so that linker_errors.sh
 * can compare libbpf's linker with ours. Warnings go to standard error.
 *
 *   linker_steps [OPTIONS:]OUTPUT STEP...
 *
 * OPTIONS is `short` for options of 7 bytes, `long` for options with a field more, which is 0,
 * `odd` for ones where it is not. A step is a file to add, or one of
 *
 *   finalize
 *   null            bpf_linker__add_file(linker, NULL, NULL)
 *   short-options   a file's options of 4 bytes
 *   odd-options     a file's options with an unknown field */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int print_warning(enum libbpf_print_level level, const char* format, va_list arguments) {
  return level == LIBBPF_WARN ? vfprintf(stderr, format, arguments) : 0;
}

static const char* name_of(int code) {
  return code == 0 ? "0" : strerrorname_np(code);
}

static int take(struct bpf_linker* linker, const char* step) {
  struct {
    struct bpf_linker_file_opts known;
    long unknown;
  } opts = {{sizeof opts}, 1};

  if (strcmp(step, "finalize") == 0) return bpf_linker__finalize(linker);
  if (strcmp(step, "null") == 0) return bpf_linker__add_file(linker, NULL, NULL);
  if (strcmp(step, "odd-options") == 0)
    return bpf_linker__add_file(linker, "/dev/null", &opts.known);
  if (strcmp(step, "short-options") == 0) {
    opts.known.sz = 4;
    return bpf_linker__add_file(linker, "/dev/null", &opts.known);
  }
  return bpf_linker__add_file(linker, step, NULL);
}

static struct bpf_linker* open_output(const char* output) {
  struct {
    struct bpf_linker_opts known;
    long unknown;
  } opts = {{sizeof opts}, 0};
  const char* path = strchr(output, ':');

  if (!path) return bpf_linker__new(output, NULL);
  if (strncmp(output, "short:", 6) == 0) opts.known.sz = 7;
  if (strncmp(output, "odd:", 4) == 0) opts.unknown = 1;
  return bpf_linker__new(path + 1, &opts.known);
}

int main(int argc, char** argv) {
  struct bpf_linker* linker;

  if (argc < 2) return 2;
  libbpf_set_print(print_warning);
  errno = 0;
  linker = open_output(argv[1]);
  if (!linker) printf("new: %s\n", name_of(errno));
  for (int i = 2; linker && i < argc; i++) {
    int code, number;

    errno = 0;
    code = take(linker, argv[i]);
    number = code == 0 ? 0 : errno; /* success may leave any errno */
    if (code <= 0 && number == -code)
      printf("%s: %s\n", argv[i], name_of(-code));
    else
      printf("%s: returns %d, errno %s\n", argv[i], code, name_of(number));
    fflush(stdout);
  }
  bpf_linker__free(linker);
  return 0;
}
