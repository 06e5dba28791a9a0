/*
 * Java in a process file (format: common/raw/raw_trace.h): names of classes, places and fields, threads that wait, and
 * calls of samples. Lines with an invalid or repeated id are ignored.
 */
#ifndef HEDDLE_OTF2_CONVERT_PLAN_JAVA_NAMES_H
#define HEDDLE_OTF2_CONVERT_PLAN_JAVA_NAMES_H

#include "base/hash.h"
#include "base/vector.h"
#include "common/raw/raw_trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JAVA_IDS_MAX (1u << 20) /* classes, and places; further ones have no name */

#define JAVA_CALLERS_MAX 16 /* callers of a place that are shown */

struct java_place {
  char *method;    /* with its class: java.util.HashMap.put; NULL: there is no such place */
  char *file;      /* "" unknown */
  uint32_t line;   /* 0 unknown */
  uint32_t caller; /* id of the calling place; 0 unknown */
  bool idles;      /* an executor's thread waits there for work */
};

/* A thread whose wait may last for ever, with the object and its owner. */
struct java_stuck {
  uint64_t ticks, thread, place, object, owner, owner_place;
  _Atomic uint64_t mounted; /* ticks at which a virtual thread continued; 0: it did not */
  uint32_t before;          /* index + 1 of the thread's former line; 0: none */
  unsigned kind;            /* enum raw_block */
};
#define JAVA_STUCK_MAX 65536u

/* A thread that is older than the recording, and waited from the begin of the recording until `until`. */
struct java_waiting {
  uint64_t ticks, until, thread, place, object;
  unsigned kind; /* enum raw_block; 0: it ran */
};

/* An object that a thread waited for, with the field that refers to it. */
struct java_field {
  uint64_t object;
  char *name; /* with its class: com.acme.Server.lock */
};
#define JAVA_FIELDS_MAX 65536u

struct java_names {
  VECTOR(char *) classes;           /* by id - 1; NULL: there is no such class */
  VECTOR(struct java_place) places; /* by id - 1 */
  VECTOR(struct java_stuck) stuck;  /* in the order of lines */
  struct hash stuck_of;             /* thread -> the index of its last one */
  VECTOR(struct java_field) fields; /* likewise */
  VECTOR(struct java_waiting) waiting;
};

/* Take the text after a line's key, which is changed. False: out of memory. */
bool java_names_add_class(struct java_names *names, char *value);
bool java_names_add_place(struct java_names *names, char *value);
bool java_names_add_stuck(struct java_names *names, char *value);
bool java_names_add_waiting(struct java_names *names, char *value);
bool java_names_add_field(struct java_names *names, char *value);
void java_names_free(struct java_names *names);

/*
 * Writes the callers of a place in one line, innermost first: "app.LU.run (LU.java:40) < app.LU.main (LU.java:12)". At
 * most size bytes with the zero; "": unknown.
 */
void java_callers(const struct java_names *names, uint64_t id, char *text, size_t size);

/* Returns the class with an id; NULL: there is none. */
const char *java_class(const struct java_names *names, uint64_t id);
/* Returns the last line about a thread; NULL: none. */
const struct java_stuck *java_stuck(const struct java_names *names, uint64_t thread);
/* Returns the thread's former line; NULL: none. */
const struct java_stuck *java_stuck_before(const struct java_names *names, const struct java_stuck *stuck);
/* Notes that a virtual thread runs at a time. Several threads may call it, after all lines were read. */
void java_stuck_mounted(struct java_names *names, uint64_t thread, uint64_t ticks);
/* Returns the wait of a thread that is older than the recording; NULL: it is not older. */
const struct java_waiting *java_waiting(const struct java_names *names, uint64_t thread);
const struct java_place *java_place(const struct java_names *names, uint64_t id);

/* Calls of samples of Java threads: the lines `call:` and `java-samples:`. */
#define JAVA_CALLS_MAX (1u << 20) /* further calls are unknown */

struct java_call {
  bool known;
  uint32_t caller; /* a smaller id; 0: none, RAW_CALL_CUT: unknown */
  uint32_t place;  /* id (java_names.h); 0: unknown */
  uint32_t leaf;   /* its node + 1 (samples.h); 0: no sample yet. The rest is about its samples: */
  bool cut, unnamed;
};

struct java_calls {
  uint64_t period;     /* ns of processor time; 0: Java threads were not sampled */
  uint64_t due, taken; /* samples, in the process' last report */
  uint64_t lost[RAW_SAMPLE_REASONS];
  VECTOR(struct java_call) items; /* by id */
};

/* Take the text after a line's key, which is changed. False: out of memory. */
bool java_calls_add(struct java_calls *calls, char *value);
void java_calls_add_counts(struct java_calls *calls, char *value);
void java_calls_free(struct java_calls *calls);

/* Returns the call with an id; NULL: there is none. */
struct java_call *java_call(const struct java_calls *calls, uint32_t id);

#endif
