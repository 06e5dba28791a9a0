/*
 * Lines `modules:`, `module:` and `gone:` of the process file (raw_trace.h): which files are loaded where, with times
 * of loads and unloads. From them the converter finds functions and source lines of addresses.
 *
 * Reading the loader's list takes the loader's lock, which a signal handler or a child of a process with threads must
 * not take. So the list is read only at the begin, at the end and beside dlclose, and not in children of fork. In turns
 * and in children /proc/self/maps is read instead. Thread-safe unless said otherwise; failures are silent; errno is
 * kept.
 */
#ifndef HEDDLE_COMMON_PROCESS_MODULES_H
#define HEDDLE_COMMON_PROCESS_MODULES_H

#include "common/process/loaded_modules.h"

#include <stdbool.h>
#include <stdint.h>

/* Lists all loaded modules. Once per process image; a child of fork begins with its parent's list. */
void modules_begin(void);
/* Lists loads and unloads. In a turn: takes no lock, allocates nothing, and costs a few ns if it sees nothing new. */
void modules_turn(void);
/* The same for the last time. */
void modules_end(void);
/* Visits the module of a code address, as it was listed last. May wait for a listing. */
void modules_find(uintptr_t code, loaded_visitor *visitor, void *context);
/* Visits all modules that were listed last. May wait for a listing. */
void modules_visit(loaded_visitor *visitor, void *context);
/* In a fork's child: nothing is listed until modules_begin. Not thread-safe. */
void modules_abandon(void);

#endif
