/*
 * One process' recording from its begin to its end: the trace directory, the description of the process, fork, exit,
 * and who converts. A tool opens the session when its runtime starts it, and records with recorder.h from then on. The
 * session ends by itself when the process exits.
 */
#ifndef HEDDLE_COMMON_SESSION_H
#define HEDDLE_COMMON_SESSION_H

#include <stdbool.h>

/*
 * Opens the session of this process. tool: "ompt", ...; runtime: name and version. False: nothing can be recorded (the
 * reason was said in one line), or HEDDLE=off. Once a process.
 */
bool session_open(const char *tool, const char *runtime);

/* Whether HEDDLE=off asks the tool to stay out. Cheap; before session_open. */
bool session_is_off(void);

#endif
