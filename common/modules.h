/*
 * The `module:` lines of the process file (raw_trace.h): which files are mapped where, so that the converter finds the
 * functions and source lines of addresses. Thread-safe unless said otherwise; no allocation; failures are silent.
 */
#ifndef HEDDLE_COMMON_MODULES_H
#define HEDDLE_COMMON_MODULES_H

/* Adds modules that were loaded since the last call. Cheap when there are none. */
void modules_add(void);
/* Forgets which modules were written: in a fork's child. Not thread-safe. */
void modules_forget(void);

#endif
