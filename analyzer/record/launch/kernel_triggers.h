/* What makes the kernel take a sample of a thread, as users name it: `cpu:1ms`, `page-faults:100`. */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_KERNEL_TRIGGERS_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_KERNEL_TRIGGERS_H

#include "common/raw/kernel_log.h"

#include <stdbool.h>
#include <stdint.h>

struct kernel_trigger {
  const char *name; /* the kernel event's; static */
  uint32_t type;    /* of perf_event_open */
  uint64_t config;  /* likewise */
  uint64_t period;  /* events between two samples; of `cpu` ns of a thread's processor time */
  bool by_time;     /* it is `cpu` */
  int refused;      /* errno value with which the kernel refused the event; 0: it did not */
};

struct kernel_triggers {
  struct kernel_trigger list[KERNEL_TRIGGERS_MOST];
  unsigned count;
};

/*
 * Reads a list of triggers, with commas between them: NAME[:PERIOD], or a time alone, which is of `cpu`. NULL: it is
 * well. Otherwise why it is not, as a sentence about the part *wrong of *length bytes.
 */
const char *kernel_triggers_read(struct kernel_triggers *triggers, const char *text, const char **wrong, int *length);

/* A time that may be between two samples, 100us to 1s, in ns; 0: the text is none. */
uint64_t kernel_triggers_time(const char *text);

/* The names of all triggers, with spaces between them. */
const char *kernel_triggers_names(void);

#endif
