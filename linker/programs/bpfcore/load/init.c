// bpfcore-init: the /init of the guests of `bpfcore load`, and their only program. load.hpp says
// what it reads and writes.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

// bpfcore reads it from the file.
#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor) TEXT_OF(major) "." TEXT_OF(minor)
static const char about[] = "bpfcore-init with libbpf " VERSION_TEXT(
    LIBBPF_MAJOR_VERSION, LIBBPF_MINOR_VERSION) "\nruns in the guests of bpfcore load";

enum {
  max_said = 2048,
  max_log = 1 << 20,             // without a trace; a kernel refuses a program whose log is longer
  max_trace = (1 << 24) - 4096,  // kernels before 5.9 take no larger one
  max_programs = 1 << 14,
  none = -1,
  another = -2,  // one that is loaded with those to report
  wants_trace = 1,
  wants_counts = 4,
};

// What a process that loads leaves to the one that reports.
static struct outcome {
  int error, lacks_btf, has_loaded;
  int refused;  // the index of the program that the verifier refused, none or another
  int last_command, last_error;  // of the last bpf()
  char said[max_said], trace[max_trace];
  char logs[max_programs][max_log];
} * outcome;

// Maps of storage, and arenas (33)
static const unsigned long long have_no_size =
    1ULL << BPF_MAP_TYPE_CGROUP_STORAGE | 1ULL << BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE |
    1ULL << BPF_MAP_TYPE_SK_STORAGE | 1ULL << BPF_MAP_TYPE_INODE_STORAGE |
    1ULL << BPF_MAP_TYPE_TASK_STORAGE | 1ULL << 32 | 1ULL << 33;

static struct bpf_object* object;
static struct bpf_program* programs[max_programs];  // those to report
static int count, keeps_logs, seconds;
static int objects, jobs;  // of the plan, begun
static int is_alone;       // whether the object is loaded only for one program

// The libelf.a of Debian 13 needs these functions, which are in no archive, for what libbpf does
// not do.
void __attribute__((weak)) eu_search_tree_init(void* tree) {
  (void)tree;
}
void __attribute__((weak)) eu_search_tree_fini(void* tree) {
  (void)tree;
}

static int index_of(const struct bpf_program* program) {
  for (int i = 0; i < count; ++i)
    if (programs[i] == program) return i;
  return another;
}

// Notices what the kernel itself refuses. Programs of the object are known by their instructions:
// libbpf also loads some that only ask for features.
static void notice(int command, const union bpf_attr* request, int error) {
  struct bpf_program* program;
  outcome->last_command = command;
  outcome->last_error = error;
  if (command != BPF_PROG_LOAD) return;
  bpf_object__for_each_program(
      program, object) if ((unsigned long)bpf_program__insns(program) == request->insns)
      outcome->refused = error ? index_of(program) : none;
}

// libbpf's calls of syscall() come here.
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...) {
  long values[6];
  va_list arguments;
  va_start(arguments, number);
  for (int i = 0; i < 6; ++i) values[i] = va_arg(arguments, long);
  va_end(arguments);
  long result =
      __real_syscall(number, values[0], values[1], values[2], values[3], values[4], values[5]);
  int error = result < 0 ? errno : 0;
  if (number == SYS_bpf && object) notice(values[0], (const union bpf_attr*)values[1], error);
  errno = error;
  return result;
}

// Keeps the first warning. Formats, unlike texts, are libbpf's own. After all are loaded, libbpf
// puts programs into arrays; those that are not loaded now do not matter to one that is alone.
static int keep_message(enum libbpf_print_level level, const char* format, va_list arguments) {
  if (strstr(format, "Error loading .BTF into kernel")) outcome->lacks_btf = 1;
  if (level != LIBBPF_WARN) return 0;
  if (strstr(format, "failed to initialize slot")) outcome->has_loaded = is_alone;
  if (!outcome->said[0] && !strstr(format, "Retrying without"))
    vsnprintf(outcome->said, max_said, format, arguments);
  return 0;
}

// load.hpp says what it is. The host knows by the sizes where texts end.
static void print_event(const char* word, int job, int program, int error, int lacks_btf,
                        const char* said, const char* log) {
  printf("\n@ %s %d %d %d %d %zu %zu\n%s%s", word, job, program, error, lacks_btf, strlen(said),
         strlen(log), said, log);
  fflush(stdout);
}

// A log, or its end before the report with advice that Linux 7.3 adds, and the counts.
static const char* shortened(char* log) {
  static char result[2 * max_said];
  char *counts = strstr(log, "\nprocessed "), *report = strstr(log, "\nVerification failed: ");
  if (keeps_logs) return log;
  if (report) report[strcspn(report + 1, "\n") + 1] = '\0';
  size_t size = strlen(log);
  const char* tail = size > max_said ? strchr(log + size - max_said, '\n') : log;
  snprintf(result, sizeof(result), "%s%s", tail ? tail : "", counts > log + size ? counts : "");
  return result;
}

// Loads in a process of its own: libbpf may crash, and what it holds ends with it. `traced` is the
// index of the program whose trace is wanted, or -1. Returns the status of the process.
static int load(int traced) {
  int status = -1;
  outcome->refused = none;
  outcome->has_loaded = outcome->lacks_btf = outcome->last_error = 0;
  outcome->said[0] = outcome->trace[0] = '\0';
  for (int i = 0; i < count && traced < 0; ++i) outcome->logs[i][0] = '\0';
  print_event("begins", jobs, 0, 0, 0, "", "");
  pid_t child = fork();
  if (child == 0) {
    alarm(seconds);
    for (int i = 0; i < count; ++i) {
      int is_traced = i == traced;
      bpf_program__set_log_level(programs[i], wants_counts | (is_traced ? wants_trace : 0));
      bpf_program__set_log_buf(programs[i], is_traced ? outcome->trace : outcome->logs[i],
                               is_traced ? max_trace : max_log);
    }
    outcome->error = -bpf_object__load(object);
    if (outcome->has_loaded) outcome->error = 0;
    _exit(0);
  }
  waitpid(child, &status, 0);
  return status;
}

// What kept an object from loading, without a program that the verifier refused: an answer of the
// kernel, or libbpf without one.
static const char* who_failed(void) {
  int command = outcome->last_command;
  int is_of_load = command == BPF_MAP_CREATE || command == BPF_BTF_LOAD ||
                   command == BPF_MAP_UPDATE_ELEM || command == BPF_MAP_FREEZE;
  return is_of_load && outcome->last_error == outcome->error ? "failed" : "loader";
}

static void run_job(void) {
  int status = load(-1), refused = outcome->refused, error = outcome->error;
  // A trace that does not fit is another error in kernels before 6.4.
  int is_traced = !status && refused >= 0 && !load(refused) && outcome->error == error;
  if (status)
    strcpy(outcome->said, !WIFSIGNALED(status)          ? "the loader ended early"
                          : WTERMSIG(status) == SIGALRM ? "takes too long"
                          : WTERMSIG(status) == SIGKILL ? "the kernel killed the loader"
                                                        : "the loader crashed");
  for (int i = 0; i < count; ++i) {
    const char* how = status            ? "ended"
                      : !error          ? "loads"
                      : i == refused    ? "refused"
                      : refused == none ? who_failed()
                                        : "together";
    print_event(how, jobs, i, status ? 0 : error, outcome->lacks_btf,
                status || error ? outcome->said : "",
                shortened(is_traced && i == refused ? outcome->trace : outcome->logs[i]));
  }
}

// A size that an application would set; storage has none. libbpf sets none of inner maps, so that
// these are made here.
static void set_size(struct bpf_map* map) {
  struct bpf_map* inner = bpf_map__inner_map(map);
  int type = bpf_map__type(map), size = type == BPF_MAP_TYPE_RINGBUF ? getpagesize() : 1;
  if (!bpf_map__max_entries(map) && !(1ULL << type & have_no_size))
    bpf_map__set_max_entries(map, size);
  if (type == BPF_MAP_TYPE_STACK_TRACE && !bpf_map__value_size(map))
    bpf_map__set_value_size(map, sizeof(struct bpf_stack_build_id));  // or 4 addresses
  if (!inner || bpf_map__max_entries(inner) || 1ULL << bpf_map__type(inner) & have_no_size) return;
  LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = bpf_map__map_flags(inner));
  size = bpf_map__type(inner) == BPF_MAP_TYPE_RINGBUF ? getpagesize() : 1;
  int fd = bpf_map_create(bpf_map__type(inner), NULL, bpf_map__key_size(inner),
                          bpf_map__value_size(inner), size, &options);
  if (fd >= 0) bpf_map__set_inner_map_fd(map, fd);
}

// Until the plan names them, nothing is loaded.
static void select_none(void) {
  struct bpf_program* program;
  struct bpf_map* map;
  count = 0;
  bpf_object__for_each_program(program, object) bpf_program__set_autoload(program, 0);
  bpf_object__for_each_map(map, object) {
    bpf_map__set_autocreate(map, bpf_map__type(map) != BPF_MAP_TYPE_STRUCT_OPS);
    bpf_map__set_pin_path(map, NULL);
    set_size(map);
  }
}

static void open_object(const char* path) {
  LIBBPF_OPTS(bpf_object_open_opts, options);
  if (!access("/btf", R_OK)) options.btf_custom_path = "/btf";
  bpf_object__close(object);
  object = NULL;
  outcome->said[0] = '\0';
  count = 0;
  object = bpf_object__open_file(path, &options);
  print_event("opens", objects++, 0, object ? 0 : errno, 0, object ? "" : outcome->said, "");
  if (object) select_none();
}

static void insert_module(const char* path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
    print_event("module", 0, 0, errno, 0, path, "");
  close(fd);
}

static void follow(char step, const char* name) {
  struct bpf_program* program = object ? bpf_object__find_program_by_name(object, name) : NULL;
  struct bpf_map* map = object ? bpf_object__find_map_by_name(object, name) : NULL;
  if (step == 't') seconds = atoi(name);
  if (step == 'l') keeps_logs = 1;
  if (step == 'k') insert_module(name);
  if (step == 'o') open_object(name);
  if (step == 'm' && map) bpf_map__set_autocreate(map, 1);
  if ((step == 'p' || step == 'w') && program) bpf_program__set_autoload(program, 1);
  if (step == 'p' && program && count < max_programs) programs[count++] = program;
  if (step != 'r') return;
  is_alone = *name != '\0';
  if (object && count) run_job();
  ++jobs;
  if (object) select_none();
}

int main(void) {
  const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};  // for kernels before 5.11
  const char* mounts[][2] = {{"/proc", "proc"},
                             {"/sys", "sysfs"},
                             {"/dev", "devtmpfs"},
                             {"/sys/fs/bpf", "bpf"},
                             {"/sys/kernel/tracing", "tracefs"}};
  struct utsname names;
  struct termios console;
  char *step = NULL, path[128];
  size_t size = 0;
  if (getpid() != 1) return puts(about), 2;
  setrlimit(RLIMIT_MEMLOCK, &unlimited);
  for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts); ++i) {
    mkdir(mounts[i][0], 0755);
    mount("none", mounts[i][0], mounts[i][1], 0, NULL);
  }
  // A kernel whose own initramfs has no console opened none.
  if (!freopen("/dev/console", "w", stdout)) perror("/dev/console");
  // Sizes count what is printed: a line break is one byte.
  if (!tcgetattr(fileno(stdout), &console)) {
    console.c_oflag &= ~OPOST;
    tcsetattr(fileno(stdout), TCSANOW, &console);
  }
  // The kernel's messages stay out of the results.
  int level = open("/proc/sys/kernel/printk", O_WRONLY | O_CLOEXEC);
  if (write(level, "1", 1) < 0) perror("printk");
  uname(&names);
  snprintf(path, sizeof(path), "/boot/config-%s", names.release);
  // Where none is known, libbpf looks for the kernel's own.
  if (!access("/config", R_OK) && (mkdir("/boot", 0755) || symlink("/config", path))) perror(path);
  outcome = mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  libbpf_set_print(keep_message);
  FILE* plan = fopen("/plan", "r");
  while (plan && getdelim(&step, &size, '\0', plan) > 0) follow(step[0], step + 1);
  print_event("done", 0, 0, 0, 0, "", "");
  return reboot(RB_AUTOBOOT);
}
