/*
 * Private to pes/: which locks a location takes and gives back. Object.wait gives back the monitor that it waits on,
 * though the archive has no event for that, and takes it again at its end.
 */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_MONITORS_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_MONITORS_H

#include "analyzer/trace/definitions.h"
#include "analyzer/trace/stream.h"
#include "base/vector.h"

/* A monitor of Java's that the thread holds, once for each time that it has taken it. */
struct held_monitor {
  uint32_t lock;   /* index in the archive */
  uint64_t object; /* its number; several classes may have objects of one number ... */
  const char *class_name;
};

/* All zero at the begin. */
struct monitors {
  VECTOR(struct held_monitor) held;
  struct held_monitor next;      /* what the next acquisition takes, at ... */
  uint64_t next_time;            /* ... this time */
  struct held_monitor waits_for; /* the monitor that an open wait has given back */
  uint32_t wait;                 /* ... and the region of this wait + 1; 0: none is open */
};

/* Takes the events in turn. put is called for each change; false of it, or no memory: false. */
bool monitors_take(struct monitors *monitors, const struct trace *trace, const struct trace_event *event,
                   bool (*put)(void *context, uint64_t time, uint32_t lock, bool taken), void *context);
void monitors_free(struct monitors *monitors);

#endif
