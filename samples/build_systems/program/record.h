/* What the program shares with its library. */
#ifndef RECORD_H
#define RECORD_H

/* Counts a packet and returns its class, see sizes.h. */
int record(unsigned bytes);

#endif
