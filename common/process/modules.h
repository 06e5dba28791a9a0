/*
 * The `modules:`, `module:` and `gone:` lines of the process file (raw_trace.h): which files are loaded where, and when
 * they came and went, so that the converter finds the functions and source lines of addresses.
 *
 * The loader's own list is read under the loader's lock, which no signal handler and no child of a process with threads
 * may take. So it is read only at the begin, at the end and beside dlclose of a process that is nobody's fork; in turns
 * and in children /proc/self/maps is read instead. Thread-safe unless said otherwise; failures are silent; errno is
 * kept.
 */
#ifndef HEDDLE_COMMON_PROCESS_MODULES_H
#define HEDDLE_COMMON_PROCESS_MODULES_H

#include "common/process/loaded_modules.h"

#include <stdbool.h>
#include <stdint.h>

/* Lists all that is loaded. Once a process image; a fork's child begins with what was known to its parent. */
void modules_begin(void);
/* Lists what came and went. In a turn: takes no lock, allocates nothing, and costs a few ns when there is nothing new
 * that it could see. */
void modules_turn(void);
/* The same for the last time. */
void modules_end(void);
/* Visits the module that has a code, as it was listed last, if there is one. May wait for a listing. */
void modules_find(uintptr_t code, loaded_visitor *visitor, void *context);
/* Visits all modules that were listed last. May wait for a listing. */
void modules_visit(loaded_visitor *visitor, void *context);
/* In a fork's child: nothing is listed until modules_begin. Not thread-safe. */
void modules_abandon(void);

#endif
