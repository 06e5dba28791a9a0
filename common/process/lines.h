/*
 * Lines of the process file, collected in memory and appended by one write. One thread at a time uses a struct lines;
 * several threads may append to one file. No allocation.
 */
#ifndef HEDDLE_COMMON_PROCESS_LINES_H
#define HEDDLE_COMMON_PROCESS_LINES_H

#include "common/process/text.h"

struct lines {
  char bytes[8192];
  struct text text;
  int error; /* errno of the first write that failed; nothing is written from there on */
};

void lines_begin(struct lines *lines);
/* Room for one more line with a value of n bytes, each of which may need four. */
void lines_reserve(struct lines *lines, size_t n);
/* Writes what is collected. Returns 0, or the errno value of the first write that failed. */
int lines_end(struct lines *lines);

#endif
