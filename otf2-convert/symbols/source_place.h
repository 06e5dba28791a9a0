#ifndef HEDDLE_OTF2_CONVERT_SYMBOLS_SOURCE_PLACE_H
#define HEDDLE_OTF2_CONVERT_SYMBOLS_SOURCE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

/* Place of a call in the source. Strings belong to the symbols that found it. */
struct source_place {
  const char *function; /* as in the source, "" unknown */
  const char *file;     /* full path, "" unknown */
  uint32_t line;        /* 0 unknown */
  uint64_t into;        /* bytes from the function's begin to the return address; 0: the place is the whole function */
  bool header;          /* the file is the system's */
  bool automatic;       /* a loop that the compiler made parallel by itself */
  bool inlined;         /* a loop that the compiler distributes by itself: the runtime only knows its begin */
};

#endif
