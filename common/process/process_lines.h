/*
 * Lines of the process file: collected lines that are appended by one write, the clock's anchors, and names that the
 * process' next file repeats. No allocation.
 */
#ifndef HEDDLE_COMMON_PROCESS_PROCESS_LINES_H
#define HEDDLE_COMMON_PROCESS_PROCESS_LINES_H

#include "common/process/text.h"

/* One thread at a time uses a struct lines; several threads may append to the file. */
struct lines {
  char bytes[8192];
  struct text text;
  int error; /* errno of the first failed write; nothing is written after it */
};

void lines_begin(struct lines *lines);
/* Makes room for one more line with a value of n bytes; each byte may need four. */
void lines_reserve(struct lines *lines, size_t n);
/* Writes the collected lines. Returns 0, or the errno value of the first failed write. */
int lines_end(struct lines *lines);

/*
 * Lines `anchor`: ticks and CLOCK_MONOTONIC, read at one moment. They are written at the begin, at the end, and while
 * the process records, to detect jumps of the counter.
 */

#define ANCHOR_LINES_BEST 50 /* tries, if time does not matter */

/* A process or a child of fork begins: it has no anchors yet. */
void anchor_lines_begin(void);
/* Adds a line with the narrowest of `tries` readings; at most 100 bytes. */
void anchor_lines_add(struct text *text, int tries);

/* Writes an anchor if one is due: at most ten a second, fewer in long runs. Any thread, also in signal handlers;
 * returns at once while another thread writes one. */
void anchor_lines_write_due(void);

/*
 * Names that the next process file of the process repeats. A tool numbers a place or a class once (raw_trace.h), even
 * if recording ends and begins again. Not thread-safe.
 */

/* Keeps the file open. Before process_dir_close. */
void kept_names_hold(void);
/* Writes the names of the kept file, if there is one, and closes it. After process_file_begin. Returns 0 or an errno
 * value. */
int kept_names_write(void);

#endif
