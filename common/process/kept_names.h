/*
 * Names that a process file has and the next one of the same process needs: a tool gives a place or a class a number
 * once (raw_trace.h), whatever is attached and detached meanwhile. Not thread-safe.
 */
#ifndef HEDDLE_COMMON_PROCESS_KEPT_NAMES_H
#define HEDDLE_COMMON_PROCESS_KEPT_NAMES_H

/* Before process_dir_close: remembers the file. */
void kept_names_hold(void);
/* After process_file_begin: writes its names, if there is one, and forgets it. Returns 0 or an errno value. */
int kept_names_write(void);

#endif
