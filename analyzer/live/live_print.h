/* Printing of a reading of a running process: as text, JSON, CSV, or OpenMetrics. */
#ifndef HEDDLE_ANALYZER_LIVE_LIVE_PRINT_H
#define HEDDLE_ANALYZER_LIVE_LIVE_PRINT_H

#include "analyzer/command/shared_options.h"
#include "analyzer/live/readings/live.h"

#include <stdio.h>

struct live_view {
  enum print_format format;
  bool metrics;      /* OpenMetrics, whatever the format */
  bool by_thread;    /* a row a construct and thread */
  const char *focus; /* as the user wrote it; NULL: none */
  uint64_t top;      /* constructs; 0: all */
  uint64_t shown;    /* readings that were printed already */
  struct print *csv; /* of all readings; NULL: not begun */
};

/* reading: since the threads began, or since the reading before. JSON: one line. False: an error. */
bool live_print(struct live_view *view, const struct live *live, const struct live_reading *reading,
                struct error *error);
/* After the last reading; over: the program has ended. False: the output cannot be written, or memory ran out. */
bool live_print_end(struct live_view *view, const struct live *live, bool over);

/* The document of a reading alone, into a file: text, or JSON with ends of lines. False: out of memory. */
bool live_print_to(FILE *out, const struct live_view *view, const struct live *live,
                   const struct live_reading *reading);
/*
 * A document of JSON as one line of stdout: the ends of lines between its members are omitted; texts have none.
 * live_line_open() returns where it is written; NULL: out of memory. live_line_close() is due in any case; good: the
 * document is whole, else nothing is printed. False: nothing was.
 */
struct live_line {
  char *text;
  size_t size;
  FILE *out;
};
FILE *live_line_open(struct live_line *line);
bool live_line_close(struct live_line *line, bool good);
/* The begin of a reading's time, in ticks: the begin of its first thread, or the reading before. */
uint64_t live_began(const struct live_reading *reading);

/* Writes all of a reading that covers the time since the threads began, as OpenMetrics. Defined in live_metrics.c.
 * False: out of memory. */
bool live_metrics_put(FILE *out, const struct live *live, const struct live_reading *reading);

#endif
