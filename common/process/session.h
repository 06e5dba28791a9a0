/*
 * Session: the recording of a process from begin to end, with its trace directory, process file, forks, exit and
 * conversion. A tool opens the session when its runtime starts it, and then records with recorder.h. The session ends
 * by itself when the process exits.
 */
#ifndef HEDDLE_COMMON_PROCESS_SESSION_H
#define HEDDLE_COMMON_PROCESS_SESSION_H

#include "common/budget/budget.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Opens the session of this process. tool: "ompt", "jvmti", "user"; runtime: name and version, "": it has none. False:
 * nothing can be recorded (one line on stderr has the reason), or HEDDLE=off. Once per tool and process: the second
 * tool joins the session of the first. Thread-safe.
 */
bool session_open(const char *tool, const char *runtime);

/*
 * The process has a layer that records if there is something to record. A session lists the tool from its begin, and is
 * not opened for it. `tool` stays as it is.
 */
void session_has_layer(const char *tool);

/* True if HEDDLE=off disables the tool. Cheap; before session_open. */
bool session_is_off(void);

/* Returns the settings of HEDDLE_BUDGET. After session_open. */
const struct budget_settings *session_budget(void);

/* True with HEDDLE_PROFILE: sums are recorded, not events. After session_open, or session_is_off. */
bool session_profiles(void);

/*
 * For a tool that does not feed the profile itself: with HEDDLE_PROFILE its records are summed up and not written.
 * Before session_open. False: another tool of the process feeds the profile already.
 */
bool session_fold_profiles(void);

/* True with HEDDLE_LIVE or HEDDLE_PAUSED: recording is switched while the program runs. After session_open. */
bool session_is_switched(void);

/* True with HEDDLE_PROFILE=beside: sums are kept beside events. After session_open. */
bool session_profiles_beside(void);

/*
 * Prepares another session_open, for a new trace; former settings are forgotten. After session_end, while no thread can
 * be asked to record. True also if no session was open. False: a thread still records after 20 seconds, or another tool
 * has joined the session.
 */
bool session_renew(void);

/* Sets the trace directory (absolute) instead of HEDDLE_DIR. Before session_open, for a running process. */
void session_set_directory(const char *directory);

/* Does the same as HEDDLE_LIVE=1. Before session_open, for a running process. */
void session_set_live(void);

/*
 * Adds a line to the process file. The line ends with a newline; its values are escaped (raw_trace.h). It is in the
 * file when this returns, so records may refer to it. False: not written. Thread-safe; errno is kept.
 */
bool session_describe(const char *line, size_t size);

/* Returns the number of this session, counted from the first parent's; UINT32_MAX: it has none yet. Any thread. */
uint32_t session_number(void);

/* Registers a function to be called at the end of the process, while it still records. It may run on any thread, and
 * twice. At most SESSION_ENDINGS functions. */
#define SESSION_ENDINGS 3u
void session_at_end(void (*ending)(void));
/* Reports the end of the calling thread's records. If it is the first thread, the process ends: calls the functions of
 * session_at_end. */
void session_thread_ends(void);

/*
 * Ends the session while the process continues without its tool (a JVM that the agent leaves). Nothing is recorded
 * until session_renew. The raw trace is complete; the caller converts it.
 */
void session_end(void);

#endif
