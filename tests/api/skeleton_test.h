/* Types that packets.bpf.c and its users share */
#ifndef SKELETON_TEST_H
#define SKELETON_TEST_H

enum mode { MODE_OFF, MODE_COUNT, MODE_DOUBLE };

struct point {
  int x;
  long y;
};

#endif
