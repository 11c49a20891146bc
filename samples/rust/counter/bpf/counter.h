/* The types that both files share, and user space by the skeleton. */
#ifndef COUNTER_H
#define COUNTER_H

enum verdict { DROP = 1, PASS = 2 };

struct event {
  char type;
  unsigned flags : 3;
  unsigned queue : 5;
  enum verdict verdict;
  unsigned long long length;
  union {
    unsigned address4;
    unsigned char address6[16];
  };
};

#endif
