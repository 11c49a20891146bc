/* The classes of packet sizes: below 64 bytes, below 128, ... */
#ifndef SIZES_H
#define SIZES_H

#define SIZES 8

#endif
