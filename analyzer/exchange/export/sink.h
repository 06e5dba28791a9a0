/* Private to export/: a text file that is written number by number, much faster than with printf(). */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_SINK_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_SINK_H

#include "analyzer/trace/output.h"

#include <stdint.h>
#include <string.h>

#define SINK_ROOM 65536

struct sink {
  struct output output;
  int failure; /* errno of the first write that failed; 0: none */
  size_t used;
  char room[SINK_ROOM];
};

/* As output_open(), output_close(). */
bool sink_open(struct sink *sink, const char *path, struct error *error);
/* Writes what is left, so that closing cannot fail for want of space. False: a write failed. */
bool sink_finish(struct sink *sink);
/* Fills in why a write failed; returns false. */
bool sink_fail(const struct sink *sink, struct error *error);
bool sink_close(struct sink *sink, bool good, struct error *error);

/* Whether written text can still be changed: not in a device, a pipe or standard output. */
bool sink_is_file(const struct sink *sink);
/* Replaces the number that was written at `at` in a file; nothing may be written after that. */
void sink_replace_number(struct sink *sink, size_t at, uint64_t old, uint64_t number);

void sink_bytes(struct sink *sink, const char *text, size_t length);
void sink_number(struct sink *sink, uint64_t number);
void sink_signed(struct sink *sink, int64_t number);
/* A number of ns as a decimal fraction with `digits` (1 to 9) behind the point: 3 us, 9 seconds. */
void sink_fraction(struct sink *sink, uint64_t ns, unsigned digits);

static inline void sink_text(struct sink *sink, const char *text)
{
  sink_bytes(sink, text, strlen(text));
}

static inline void sink_char(struct sink *sink, char character)
{
  sink_bytes(sink, &character, 1);
}

/* Whether a write has failed: then there is no use in going on. */
static inline bool sink_failed(const struct sink *sink)
{
  return sink->failure != 0;
}

#endif
