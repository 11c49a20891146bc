// bpfcore-init: the /init of the guests of `bpfcore load`, and their only program. load.hpp says
// what it reads and writes.
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
#include <unistd.h>

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
static int is_alone;  // whether the object is loaded only for one program

// The libelf.a of Debian 13 needs these functions, which are in no archive, for what libbpf does
// not do.
void __attribute__((weak)) eu_search_tree_init(void* tree) {
  (void)tree;
}
void __attribute__((weak)) eu_search_tree_fini(void* tree) {
  (void)tree;
}

// Keeps the first warning, and notices which program the kernel refused. After all are loaded,
// libbpf puts programs into arrays; those that are not loaded now do not matter to one that is
// alone.
static int keep_message(enum libbpf_print_level level, const char* format, va_list arguments) {
  char text[max_said], name[max_said] = "";
  if (level != LIBBPF_WARN) return 0;
  vsnprintf(text, sizeof(text), format, arguments);
  if (strstr(text, "BPF program load failed")) {
    sscanf(text, "libbpf: prog '%2000[^']'", name);
    outcome->refused = another;
  }
  if (strstr(text, "failed to initialize slot")) outcome->has_loaded = is_alone;
  for (int i = 0; i < count; ++i)
    if (!strcmp(bpf_program__name(programs[i]), name)) outcome->refused = i;
  if (!outcome->said[0] && !strstr(text, "Retrying without")) strcpy(outcome->said, text);
  return 0;
}

static void print_lines(const char* mark, const char* text) {
  for (int size; *text; text += size + (text[size] == '\n')) {
    size = strcspn(text, "\n");
    if (size) printf("@ %s %.*s\n", mark, size, text);
  }
}

// Prints a log, or its end before the report with advice that Linux 7.3 adds, and the counts.
static void print_log(char* log) {
  char *counts = strstr(log, "\nprocessed "), *report = strstr(log, "\nVerification failed: ");
  if (keeps_logs) return print_lines("log", log);
  if (report) report[strcspn(report + 1, "\n") + 1] = '\0';
  size_t size = strlen(log);
  const char* tail = size > max_said ? strchr(log + size - max_said, '\n') : log;
  print_lines("log", tail ? tail : log);
  if (counts > log + size) print_lines("log", counts);
}

// Loads in a process of its own: libbpf may crash, and what it holds ends with it. `traced` is the
// index of the program whose trace is wanted, or -1. Returns the status of the process.
static int load(int traced) {
  int status = -1;
  outcome->refused = none;
  outcome->has_loaded = 0;
  outcome->said[0] = outcome->trace[0] = '\0';
  for (int i = 0; i < count && traced < 0; ++i) outcome->logs[i][0] = '\0';
  printf("@ begins %s\n", bpf_program__name(programs[0]));
  fflush(stdout);
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
    outcome->lacks_btf = bpf_object__btf(object) && bpf_object__btf_fd(object) < 0;
    _exit(0);
  }
  waitpid(child, &status, 0);
  return status;
}

static void run_job(void) {
  int status = load(-1), refused = outcome->refused, error = outcome->error;
  // A trace that does not fit is another error in kernels before 6.4.
  int is_traced = !status && refused >= 0 && !load(refused) && outcome->error == error;
  if (status)
    strcpy(outcome->said, WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM
                              ? "takes too long"
                              : "the loader crashed");
  for (int i = 0; i < count; ++i) {
    const char* how = status            ? "ended"
                      : !error          ? "loads"
                      : i == refused    ? "refused"
                      : refused == none ? "failed"
                                        : "together";
    printf("@ result %s %d %d %s\n", how, status ? 0 : error, outcome->lacks_btf,
           bpf_program__name(programs[i]));
    if (status || error) print_lines("said", outcome->said);
    print_log(is_traced && i == refused ? outcome->trace : outcome->logs[i]);
  }
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
    // A size that an application would set; storage has none.
    int type = bpf_map__type(map), size = type == BPF_MAP_TYPE_RINGBUF ? getpagesize() : 1;
    if (!bpf_map__max_entries(map) && !(1ULL << type & have_no_size))
      bpf_map__set_max_entries(map, size);
  }
}

static void open_object(const char* path) {
  LIBBPF_OPTS(bpf_object_open_opts, options);
  if (!access("/btf", R_OK)) options.btf_custom_path = "/btf";
  bpf_object__close(object);
  outcome->said[0] = '\0';
  count = 0;
  object = bpf_object__open_file(path, &options);
  printf("@ object %d %s\n", object ? 0 : errno, path);
  print_lines("said", object ? "" : outcome->said);
  if (object) select_none();
}

static void insert_module(const char* path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
    printf("@ module %s: %s\n", path, strerror(errno));
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
  if (step != 'r' || !object) return;
  is_alone = *name != '\0';
  if (count) run_job();
  fflush(stdout);
  select_none();
}

int main(void) {
  const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};  // for kernels before 5.11
  const char* mounts[][2] = {{"/proc", "proc"},
                             {"/sys", "sysfs"},
                             {"/dev", "devtmpfs"},
                             {"/sys/fs/bpf", "bpf"},
                             {"/sys/kernel/tracing", "tracefs"}};
  struct utsname names;
  char *step = NULL, path[128];
  size_t size = 0;
  if (getpid() != 1) return puts("bpfcore-init: runs in the guests of bpfcore load"), 2;
  setrlimit(RLIMIT_MEMLOCK, &unlimited);
  for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts); ++i) {
    mkdir(mounts[i][0], 0755);
    mount("none", mounts[i][0], mounts[i][1], 0, NULL);
  }
  // A kernel whose own initramfs has no console opened none.
  if (!freopen("/dev/console", "w", stdout)) perror("/dev/console");
  // The kernel's messages stay out of the results.
  int level = open("/proc/sys/kernel/printk", O_WRONLY | O_CLOEXEC);
  if (write(level, "1", 1) < 0) perror("printk");
  uname(&names);
  snprintf(path, sizeof(path), "/boot/config-%s", names.release);
  if (mkdir("/boot", 0755) || symlink("/config", path)) perror(path);
  printf("\n@ kernel %s\n", names.release);
  outcome = mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  libbpf_set_print(keep_message);
  FILE* plan = fopen("/plan", "r");
  while (plan && getdelim(&step, &size, '\0', plan) > 0) follow(step[0], step + 1);
  printf("@ done\n");
  fflush(stdout);
  return reboot(RB_AUTOBOOT);
}
