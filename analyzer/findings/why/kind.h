/* Private to why/: the kinds of reasons. */
#ifndef HEDDLE_ANALYZER_FINDINGS_WHY_KIND_H
#define HEDDLE_ANALYZER_FINDINGS_WHY_KIND_H

enum why_kind {
  KIND_DEADLOCK,
  KIND_SYNCHRONIZATION,
  KIND_IMBALANCE,
  KIND_GRAIN,
  KIND_TASKS,
  KIND_SERIAL,
  KIND_PROCESSORS,
  KIND_RUNTIME,
  KIND_BLOCKED,
  KIND_COLLECTION,
  KIND_MEMORY,
  KIND_MEASUREMENT,
  KIND_POSIX, /* only where it is unknown: else its findings are synchronization */
  KINDS
};

#endif
