/* The trace's directory, as a process finds or makes it. One thread at a time. */
#ifndef HEDDLE_COMMON_PROCESS_TRACE_DIR_H
#define HEDDLE_COMMON_PROCESS_TRACE_DIR_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Makes <trace>/raw, and <trace> where it is missing, and opens it: its descriptor, above 2; -1: *objection says why,
 * or is NULL, and errno says it. Both must be the caller's alone (own_directory.h). `is_new`: <trace> is nobody's
 * choice and must be new; if something has its name, it gets another one, with further characters in the buffer.
 */
int trace_dir_open_raw(char *trace, size_t size, bool is_new, const char **objection);

#endif
