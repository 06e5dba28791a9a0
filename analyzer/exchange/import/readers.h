/* Options, events and readers of import. Private to import/, except for import.h. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_IMPORT_READERS_H
#define HEDDLE_ANALYZER_EXCHANGE_IMPORT_READERS_H

#include "analyzer/analyses/intervals/spec.h"

#include <stdio.h>

enum import_format { IMPORT_CSV, IMPORT_GLIMPSE };

/* Numbering of event types in Glimpse's logs: the specification's order, or the opposite one. */
enum import_ids { IMPORT_DECLARED, IMPORT_REVERSED };

struct import_options {
  enum import_format format;
  unsigned unit_digits;    /* of times: 10^unit_digits ns */
  const struct spec *spec; /* GLIMPSE: checked */
  enum import_ids ids;     /* GLIMPSE */
};

#define IMPORT_VALUES_MOST 255 /* of an event */

struct import_value {
  const char *name;
  enum spec_type type; /* INTEGER, REAL or TEXT */
  union {
    int64_t integer;
    double real;
    const char *text;
  };
};

/* Event to import. Texts are valid until the next event. */
struct import_event {
  const char *thread, *name;
  uint64_t time; /* ns, or ticks of the archive's form */
  uint64_t end;  /* of an event that lasts; else 0 */
  size_t count;
  const struct import_value *values;
};

/* Takes an event. The events of a thread come in order of time, else it fails. False: an error. */
typedef bool import_sink(void *into, const struct import_event *event, struct error *error);

/*
 * Reads a file to its end; `name` is for messages. False: an error, with its line or its byte, or the sink's error
 * behind the place.
 */
bool import_read_csv(FILE *file, const char *name, const struct import_options *options, import_sink *take, void *into,
                     struct error *error);
/* `thread`: the name of the log's thread. */
bool import_read_glimpse(FILE *file, const char *name, const char *thread, const struct import_options *options,
                         import_sink *take, void *into, struct error *error);

#endif
