// A module that is built outside of the kernel's tree. It has a type that refers to types of the
// kernel. The member `routes` is not used; its type gets another id when the kernel is built
// differently.
#include <linux/list.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <net/ip_fib.h>

struct sample_task {
  struct list_head list;
  struct task_struct* task;
  struct fib_table* routes;
  u64 seen;
};

static LIST_HEAD(sample_tasks);
static struct sample_task first;

noinline void sample_task_add(struct sample_task* sample, struct task_struct* task);
noinline void sample_task_add(struct sample_task* sample, struct task_struct* task) {
  sample->task = task;
  sample->seen++;
  list_add(&sample->list, &sample_tasks);
}

static int __init sample_init(void) {
  sample_task_add(&first, current);
  pr_info("sample_tasks: inserted by %s\n", first.task->comm);
  return 0;
}

static void __exit sample_exit(void) {
  list_del(&first.list);
}

module_init(sample_init);
module_exit(sample_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Types that are split from the kernel's");
