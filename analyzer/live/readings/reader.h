/* Reader of the lines of docs/live.md, which may be damaged: builds readings from them. */
#ifndef HEDDLE_ANALYZER_LIVE_READINGS_READER_H
#define HEDDLE_ANALYZER_LIVE_READINGS_READER_H

#include "analyzer/live/readings/reading.h"
#include "base/hash.h"
#include "base/vector.h"

/* A thread, besides its location. */
struct live_lane {
  struct live_thread thread;
  struct profile_life life;
  uint64_t seen;   /* ticks: time of its last figures */
  uint64_t inside; /* row that it is in; UINT64_MAX: none is known */
  VECTOR(struct profile_row) rows;
  VECTOR(struct profile_metric) metrics;
};

struct live_reader {
  struct trace trace;
  VECTOR(struct trace_region) regions;
  VECTOR(struct live_code) codes;
  VECTOR(struct trace_location) locations;
  VECTOR(struct live_lane) lanes;    /* one a location */
  VECTOR(char *) texts;              /* of the trace */
  struct hash location_of;           /* number of a thread -> location */
  struct hash text_of;               /* hash of a name of an object, as known() has it -> number in `texts` */
  const struct profile_focus *focus; /* the caller's; NULL: none */
  bool apart;                        /* readings have sums apart by number in a team */
  uint64_t now;
  bool over, reading;
};

enum live_line {
  LIVE_GOES_ON, /* the reading goes on */
  LIVE_READ,    /* it ends */
  LIVE_WRONG    /* there is no such line, or out of memory */
};

bool live_reader_begin(struct live_reader *reader, uint64_t ticks_per_second, const char *name);
void live_reader_end(struct live_reader *reader);

/* Takes a line, without its newline; changes it. */
enum live_line live_reader_take(struct live_reader *reader, char *line);

/* The reading that was read last. False: out of memory. Free it with live_reading_free(). */
bool live_reader_result(struct live_reader *reader, struct live_reading *reading);

/* A whole number. False: it is none. */
bool live_number(const char *text, uint64_t *number);

#endif
