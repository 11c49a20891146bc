// The types of a kernel that core.bpf.c fits, if code is guarded.
typedef int pid_t;
struct inner {
  long before;
  int a[8];
  unsigned b : 7, c : 9;
};
struct task {
  void* stack;
  const volatile pid_t pid;
  unsigned int __state;
  struct task* parent;
  union {
    struct {
      struct inner in;
    };
    long other;
  };
  union {
    short s;
    signed char c[0];
  };
};
struct task___other {
  long unused;
};
enum phase { PHASE_A = 5, PHASE_C };
enum wide { WIDE = 0x300000000 };
typedef int (*callback)(struct task* task, enum phase phase);
struct task task;
struct task___other other;
enum phase phase;
enum wide wide;
callback call;
