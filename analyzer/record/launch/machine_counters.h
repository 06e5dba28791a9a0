/*
 * Counters that this machine has for a thread, by the names that users give: `instructions`, `cycles:u`. The recorder
 * gets numbers alone (common/recorder/counters.h).
 */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_MACHINE_COUNTERS_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_MACHINE_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACHINE_COUNTERS_MOST 8u /* that a thread reads; as common/recorder/counters.h */
#define MACHINE_COUNTER_NAME  32u

/* Source of the counts. */
enum machine_counter_source { COUNTED_BY_PROCESSOR, COUNTED_BY_KERNEL_EVENT, COUNTED_BY_KERNEL_SUMS };

struct machine_counter {
  char name[MACHINE_COUNTER_NAME]; /* with `:u` or `:k` where only this is counted */
  const char *what;                /* a phrase; static */
  enum machine_counter_source source;
  uint32_t type;    /* of perf_event_open */
  uint64_t config;  /* likewise */
  const char *sums; /* COUNTED_BY_KERNEL_SUMS: the source in the recorder's list; else NULL */
  bool no_user, no_kernel;
  int refused; /* an errno value: it can't be counted; 0: it can. By machine_counters_try() */
};

struct machine_counters {
  struct machine_counter list[MACHINE_COUNTERS_MOST];
  unsigned count;
};

/* All that have names, n from 0 on; false: there are no more. They are not tried. */
bool machine_counter_known(size_t n, struct machine_counter *counter);

/* Reads names with commas between them. NULL: they are good. Otherwise returns what is wrong, as a sentence about the
 * part *wrong of *length bytes. */
const char *machine_counters_read(struct machine_counters *counters, const char *text, const char **wrong, int *length);

/* Asks the kernel if it has this counter. A counter that it allows for the program's own code alone gets the name with
 * `:u`. */
void machine_counter_try(struct machine_counter *counter);

/* The number of processor counters that count at the same time, in their order; the others take turns. */
unsigned machine_counters_together(const struct machine_counter *counters, unsigned count);

/* The reason why a counter is refused, for people. */
const char *machine_counter_reason(int refused);

/* HEDDLE_COUNTERS for these; to be freed. NULL: out of memory. */
char *machine_counters_setting(const struct machine_counters *counters);

#endif
