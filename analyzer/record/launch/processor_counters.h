/*
 * Comparison of the processors' time counters: if they show the same time, all records have one clock. Two threads on
 * two processors hand each other readings; no thread may receive a reading later than its own.
 */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_PROCESSOR_COUNTERS_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_PROCESSOR_COUNTERS_H

enum processor_counters {
  COUNTERS_UNKNOWN, /* there is no such counter, or the processors are too busy to compare them */
  COUNTERS_AGREE,
  COUNTERS_DIFFER
};

/* Compares up to 9 of the processors that the caller may use. It takes some 0.1 ms a processor, and 10 ms at most. */
enum processor_counters processor_counters_compare(void);

#endif
