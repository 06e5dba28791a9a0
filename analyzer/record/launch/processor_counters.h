/*
 * Whether the counters of the processors show the same time: then records of all of them have one clock. Two threads on
 * two processors hand each other readings; nobody may get one that is later than his own.
 */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_PROCESSOR_COUNTERS_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_PROCESSOR_COUNTERS_H

enum processor_counters {
  COUNTERS_UNKNOWN, /* there is no such counter, or the processors are too busy to compare them */
  COUNTERS_AGREE,
  COUNTERS_DIFFER
};

/* Compares those of up to 9 of the processors that the caller may use; some 0.1 ms a processor, and 10 ms at most. */
enum processor_counters processor_counters_compare(void);

#endif
