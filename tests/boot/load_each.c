// Loads every program of each object, alone, and prints a line for each: OBJECT PROGRAM, a tab, and
// `loads`, `loads without BTF`, or the error with the verifier's last line. Without its BTF, which
// the kernel refused, a program is checked less. Programs of one name are numbered. A program of
// struct_ops variables is loaded as libbpf does, with these variables and all of their programs.
//
// Usage: load_each OBJECT...
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char said[4 << 20];  // the verifier's log, or else libbpf's first message

static int has_log(const char* message) {
  return strstr(message, "BEGIN PROG LOAD LOG") != NULL;
}

static int keep_message(enum libbpf_print_level level, const char* format, va_list arguments) {
  static char message[sizeof(said)];
  if (level != LIBBPF_WARN) return 0;
  vsnprintf(message, sizeof(message), format, arguments);
  if (!said[0] || (!has_log(said) && has_log(message))) strcpy(said, message);
  return 0;
}

// The last line of the log that is about the program: not a count, a mark of libbpf's, or the
// report with advice that Linux 7.3 adds.
static const char* last_line(char* text) {
  const char* last = "";
  for (char* line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    if (!strncmp(line, "Verification failed: ", 21)) return isdigit(*last) ? line : last;
    if (strncmp(line, "processed ", 10) && strncmp(line, "verification time", 17) &&
        strncmp(line, "stack depth", 11) && !strstr(line, "PROG LOAD LOG"))
      last = line;
  }
  return last;
}

static struct bpf_program* program_at(struct bpf_object* object, int index) {
  struct bpf_program* program = NULL;
  for (int i = 0; i <= index; ++i) program = bpf_object__next_program(object, program);
  return program;
}

// The number of programs before this one that have its name: static ones of several files may.
static int twins_before(struct bpf_object* object, int index) {
  const char* name = bpf_program__name(program_at(object, index));
  int count = 0;
  for (int i = 0; i < index; ++i) count += !strcmp(bpf_program__name(program_at(object, i)), name);
  return count;
}

static struct {
  Elf* elf;
  Elf_Data* symbols;
  size_t names;
} file;

// Opens the file's symbol table, for refers_to
static void read_symbols(const char* path) {
  GElf_Shdr header;
  elf_version(EV_CURRENT);
  file.elf = elf_begin(open(path, O_RDONLY | O_CLOEXEC), ELF_C_READ, NULL);
  for (Elf_Scn* section = NULL; (section = elf_nextscn(file.elf, section));)
    if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB) {
      file.symbols = elf_getdata(section, NULL);
      file.names = header.sh_link;
    }
}

static int read_symbol(int index, const char* name, GElf_Sym* symbol) {
  if (!gelf_getsym(file.symbols, index, symbol)) return 0;
  const char* its_name = elf_strptr(file.elf, file.names, symbol->st_name);
  return its_name && !strcmp(its_name, name);
}

// Whether relocations put the program's address into the variable: libbpf does not tell.
static int refers_to(const char* variable, const char* program) {
  GElf_Sym object, symbol;
  GElf_Shdr header;
  GElf_Rel relocation;
  int count = file.symbols ? file.symbols->d_size / sizeof(Elf64_Sym) : 0, index = 0;
  while (index < count && !read_symbol(index, variable, &object)) ++index;
  if (index == count) return 0;
  for (Elf_Scn* section = NULL; (section = elf_nextscn(file.elf, section));) {
    gelf_getshdr(section, &header);
    if (header.sh_type != SHT_REL || header.sh_info != object.st_shndx) continue;
    Elf_Data* data = elf_getdata(section, NULL);
    for (int i = 0; gelf_getrel(data, i, &relocation); ++i)
      if (relocation.r_offset - object.st_value < object.st_size &&
          read_symbol(GELF_R_SYM(relocation.r_info), program, &symbol))
        return 1;
  }
  return 0;
}

// Selects the program, and what libbpf loads with it
static void select_program(struct bpf_object* object, struct bpf_program* selected) {
  struct bpf_program* program;
  struct bpf_map* map;
  bpf_object__for_each_program(program, object) {
    bpf_program__set_autoload(program, program == selected);
  }
  bpf_object__for_each_map(map, object) {
    if (bpf_map__type(map) != BPF_MAP_TYPE_STRUCT_OPS) continue;
    int is_needed = refers_to(bpf_map__name(map), bpf_program__name(selected));
    bpf_map__set_autocreate(map, is_needed);
    bpf_object__for_each_program(program, object) {
      if (is_needed && refers_to(bpf_map__name(map), bpf_program__name(program)))
        bpf_program__set_autoload(program, true);
    }
  }
}

static void load_only(const char* path, int index) {
  struct bpf_object* object = bpf_object__open_file(path, NULL);
  if (!object) _exit(1);
  struct bpf_program* program = program_at(object, index);
  struct bpf_map* map;
  read_symbols(path);
  select_program(object, program);
  // A map that another object pinned under the same name may have another type.
  bpf_object__for_each_map(map, object) bpf_map__set_pin_path(map, NULL);
  said[0] = '\0';
  int error = bpf_object__load(object);
  int twins = twins_before(object, index);
  printf("%s %s", path, bpf_program__name(program));
  if (twins) printf("#%d", twins);
  if (error)
    printf("\t%s: %.200s\n", strerror(-error), last_line(said));
  else
    printf("\tloads%s\n",
           bpf_object__btf(object) && bpf_object__btf_fd(object) < 0 ? " without BTF" : "");
  fflush(stdout);
  _exit(0);
}

int main(int argc, char** argv) {
  struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};  // for kernels before 5.11
  setrlimit(RLIMIT_MEMLOCK, &unlimited);
  libbpf_set_print(keep_message);
  for (int i = 1; i < argc; ++i) {
    said[0] = '\0';
    struct bpf_object* object = bpf_object__open_file(argv[i], NULL);
    if (!object) {
      printf("%s -\t%s: %.200s\n", argv[i], strerror(errno), last_line(said));
      continue;
    }
    int count = 0, status;
    struct bpf_program* program;
    bpf_object__for_each_program(program, object)++ count;
    fflush(stdout);
    // In a process of its own: libbpf may crash, and what it holds ends with it.
    for (int index = 0; index < count; ++index) {
      pid_t child = fork();
      if (child == 0) load_only(argv[i], index);
      if (waitpid(child, &status, 0) != child || status != 0)
        printf("%s %s\tthe loader ended with status %d\n", argv[i],
               bpf_program__name(program_at(object, index)), status);
    }
    bpf_object__close(object);
    fflush(stdout);
  }
  return 0;
}
