/*
 * Private to export/. Numbers of states and events that Paraver's configurations expect, and the files that name them
 * (.pcf) and the threads (.row).
 */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_PARAVER_LABELS_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_PARAVER_LABELS_H

#include "analyzer/exchange/export/sink.h"
#include "analyzer/trace/states/machine.h"

/* The last two are Heddle's own: Paraver's have no states of Java's. */
enum { PRV_NOT_CREATED = 2, PRV_TRACING_DISABLED = 14, PRV_BLOCKED_IN_MUTEX = 21, PRV_BLOCKED_IN_CONDVAR = 22 };

/* Types of events; prv_types[] has their numbers. A FUNCTION is written together with its LINE. */
enum prv_type {
  PRV_PARALLEL,
  PRV_WORKSHARING,
  PRV_BARRIER,
  PRV_NAMED_LOCK,
  PRV_UNNAMED_LOCK,
  PRV_DISPATCHER,
  PRV_JOIN,
  PRV_FUNCTION,
  PRV_FUNCTION_LINE,
  PRV_TASK_FUNCTION,
  PRV_TASK_FUNCTION_LINE,
  PRV_TASKWAIT,
  PRV_TASKGROUP,
  PRV_IN_TASKGROUP,
  PRV_TASK,
  PRV_TASKLOOP,
  PRV_ORDERED,
  PRV_USER_FUNCTION,
  PRV_USER_FUNCTION_LINE,
  PRV_GC,
  PRV_MONITOR,
  PRV_NOTIFY,
  PRV_YIELD,
  PRV_TYPES
};

/* Value of PARALLEL. */
enum { PRV_REGION_OPEN = 3 };

/* Values of the locks, and of ordered sections. */
enum { PRV_UNLOCKED = 0, PRV_LOCK = 3, PRV_UNLOCK = 5, PRV_LOCKED = 6 };

extern const uint32_t prv_types[PRV_TYPES];

/* Returns the number of a state. */
unsigned prv_state(enum state state);

/* Event of a region's Enter; its Leave has value 0. PRV_TYPES: none. */
struct prv_event {
  enum prv_type type;
  uint32_t value;
  bool dispatched; /* a loop whose chunks are dispatched while it runs */
};

struct prv_event prv_event_of(const struct trace_region *region, enum rule rule, uint32_t number);

/*
 * Types of the attributes of the program's events: one an attribute, and one for real numbers, in millionths, because
 * values are integers.
 */
enum { PRV_ATTRIBUTE = 92000000, PRV_MILLIONTHS = 93000000 };
enum { PRV_HAS_INTEGERS = 1, PRV_HAS_REALS = 2 };

/* `used`: types in the trace; `attributes`: PRV_HAS_... of each attribute. False: out of memory. */
bool prv_write_pcf(struct sink *sink, const struct trace *trace, const uint8_t *rules, const bool used[PRV_TYPES],
                   const uint8_t *attributes);

/*
 * Writes the names of threads in their order: `order[i]` is the location of the i-th of `threads`, `tasks` names the
 * processes. False: out of memory.
 */
bool prv_write_row(struct sink *sink, const struct trace *trace, const uint32_t *order, uint32_t threads,
                   const char *const *tasks, uint32_t task_count);

#endif
