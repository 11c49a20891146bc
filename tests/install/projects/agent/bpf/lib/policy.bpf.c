#include "agent.h"

__attribute__((noinline)) int policy_flags(__u32 pid) {
  return pid % 7;
}
