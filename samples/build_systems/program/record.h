/* What the program shares with its library. */
#ifndef RECORD_H
#define RECORD_H

#define SIZES 8 /* classes of packet sizes: below 64 bytes, below 128, ... */

/* Counts a packet and returns its class. */
int record(unsigned bytes);

#endif
