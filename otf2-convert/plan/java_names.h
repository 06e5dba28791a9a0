/*
 * The meaning of the ids of Java classes and places: the lines `class:` and `place:` of a process file (format:
 * common/raw/raw_trace.h). Lines with an invalid or repeated id are left out.
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

#define JAVA_CALLERS_MAX 16 /* of a place that are shown */

struct java_place {
  char *method;    /* with its class: java.util.HashMap.put; NULL: there is no such place */
  char *file;      /* "" unknown */
  uint32_t line;   /* 0 unknown */
  uint32_t caller; /* id of the place that called it; 0 unknown */
  bool idles;      /* an executor's thread waits there for work */
};

/* A thread whose wait may be for ever: what it waits for, and for whom. */
struct java_stuck {
  uint64_t ticks, thread, place, object, owner, owner_place;
  _Atomic uint64_t mounted; /* ticks: a virtual thread, which went on then; 0: it did not */
  uint32_t before;          /* index + 1 of the line before of the same thread; 0: none */
  unsigned kind;            /* enum raw_block */
};
#define JAVA_STUCK_MAX 65536u

/* A thread that is older than the recording, and waited from its begin until then. */
struct java_waiting {
  uint64_t ticks, until, thread, place, object;
  unsigned kind; /* enum raw_block; 0: it ran */
};

/* An object that a thread waited for, and the field in which it was found. */
struct java_field {
  uint64_t object;
  char *name; /* with its class: com.acme.Server.lock */
};
#define JAVA_FIELDS_MAX 65536u

struct java_names {
  VECTOR(char *) classes;           /* by id - 1; NULL: there is no such class */
  VECTOR(struct java_place) places; /* by id - 1 */
  VECTOR(struct java_stuck) stuck;  /* as they were told */
  struct hash stuck_of;             /* thread -> the index of its last one */
  VECTOR(struct java_field) fields; /* likewise */
  VECTOR(struct java_waiting) waiting;
};

/* Take the text after the line's key, and change it. False: out of memory. */
bool java_names_add_class(struct java_names *names, char *value);
bool java_names_add_place(struct java_names *names, char *value);
bool java_names_add_stuck(struct java_names *names, char *value);
bool java_names_add_waiting(struct java_names *names, char *value);
bool java_names_add_field(struct java_names *names, char *value);
void java_names_free(struct java_names *names);

/*
 * The callers of a place in one line, innermost first: "app.LU.run (LU.java:40) < app.LU.main (LU.java:12)". Writes at
 * most size bytes, zero included; "" when no caller is known.
 */
void java_callers(const struct java_names *names, uint64_t id, char *text, size_t size);

/* NULL: there is none with that id. */
const char *java_class(const struct java_names *names, uint64_t id);
/* What was told last of a thread; NULL: nothing. */
const struct java_stuck *java_stuck(const struct java_names *names, uint64_t thread);
/* What was told of the same thread before that; NULL: nothing. */
const struct java_stuck *java_stuck_before(const struct java_names *names, const struct java_stuck *stuck);
/* A virtual thread runs at that time. Several threads may call it, once all lines are read. */
void java_stuck_mounted(struct java_names *names, uint64_t thread, uint64_t ticks);
/* NULL: the thread is not older. */
const struct java_waiting *java_waiting(const struct java_names *names, uint64_t thread);
const struct java_place *java_place(const struct java_names *names, uint64_t id);

/*
 * What a process file says of the samples of Java threads (raw_trace.h): the lines `call:` and `java-samples:`. Lines
 * with an invalid or repeated id are left out.
 */

#define JAVA_CALLS_MAX (1u << 20) /* further ones are unknown */

struct java_call {
  bool known;
  uint32_t caller; /* a smaller id; 0: none, RAW_CALL_CUT: unknown */
  uint32_t place;  /* id (java_names.h); 0: unknown */
  uint32_t leaf;   /* its node + 1 (samples.h), once a sample was there; 0: none was. What its samples are: */
  bool cut, unnamed;
};

struct java_calls {
  uint64_t period;     /* ns of processor time; 0: Java threads were not sampled */
  uint64_t due, taken; /* samples, as the process told last ... */
  uint64_t lost[RAW_SAMPLE_REASONS];
  VECTOR(struct java_call) items; /* by id */
};

/* Take the text after the line's key, and change it. False: out of memory. */
bool java_calls_add(struct java_calls *calls, char *value);
void java_calls_add_counts(struct java_calls *calls, char *value);
void java_calls_free(struct java_calls *calls);

/* NULL: there is none with that id. */
struct java_call *java_call(const struct java_calls *calls, uint32_t id);

#endif
