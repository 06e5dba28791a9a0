/* Private to import/, but for import.h: what is read, and how; the readers of the formats. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_IMPORT_READERS_H
#define HEDDLE_ANALYZER_EXCHANGE_IMPORT_READERS_H

#include "analyzer/analyses/intervals/spec.h"

#include <stdio.h>

enum import_format { IMPORT_CSV, IMPORT_GLIMPSE };

/* The numbers of event types in Glimpse's logs: the specification's order, or the opposite one. */
enum import_ids { IMPORT_DECLARED, IMPORT_REVERSED };

struct import_how {
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

/* Texts are good until the next event. */
struct import_event {
  const char *thread, *name;
  uint64_t time; /* ns, or ticks of the archive's form */
  uint64_t end;  /* of an event that lasts; else 0 */
  size_t count;
  const struct import_value *values;
};

/* Takes an event; the events of a thread come in order of time, or it fails. False: an error. */
typedef bool import_taker(void *into, const struct import_event *event, struct error *error);

/*
 * Reads a file to its end; `name` stands in messages. False: an error, with its line or its byte, or the taker's, which
 * gets the place in front.
 */
bool import_read_csv(FILE *file, const char *name, const struct import_how *how, import_taker *take, void *into,
                     struct error *error);
/* `thread`: the name of the log's thread. */
bool import_read_glimpse(FILE *file, const char *name, const char *thread, const struct import_how *how,
                         import_taker *take, void *into, struct error *error);

#endif
