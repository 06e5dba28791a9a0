/*
 * One process' recording from its begin to its end: the trace directory, the description of the process, fork, exit,
 * and who converts. A tool opens the session when its runtime starts it, and records with recorder.h from then on. The
 * session ends by itself when the process exits.
 */
#ifndef HEDDLE_COMMON_PROCESS_SESSION_H
#define HEDDLE_COMMON_PROCESS_SESSION_H

#include "common/budget/budget.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Opens the session of this process. tool: "ompt", "jvmti", "user"; runtime: name and version, "" where it has none.
 * False: nothing can be recorded (the reason was said in one line), or HEDDLE=off. Once a tool and process: the second
 * tool joins the session of the first. Thread-safe.
 */
bool session_open(const char *tool, const char *runtime);

/* Whether HEDDLE=off asks the tool to stay out. Cheap; before session_open. */
bool session_is_off(void);

/* HEDDLE_BUDGET. After session_open. */
const struct budget_settings *session_budget(void);

/* HEDDLE_PROFILE: sums are recorded, not events. After session_open, or session_is_off. */
bool session_profiles(void);

/*
 * For a tool that feeds no profile: where HEDDLE_PROFILE asks for sums, it emits records, which are added up and not
 * written. Before session_open. False: another tool of the process feeds profiles already.
 */
bool session_fold_profiles(void);

/* HEDDLE_LIVE or HEDDLE_PAUSED: what is recorded is switched while the program runs. After session_open. */
bool session_is_switched(void);

/* HEDDLE_PROFILE=beside: sums are kept beside events. After session_open. */
bool session_profiles_beside(void);

/*
 * After session_end, while no thread may be asked to record: session_open may be called again, for a trace of its own;
 * what was set for the one before is forgotten. Also true where none was opened, or could be. False: a thread still
 * records after 20 seconds, or another tool has joined the session.
 */
bool session_renew(void);

/* Records into this directory (absolute) instead of HEDDLE_DIR: before session_open, for a process that runs already.
 */
void session_set_directory(const char *directory);

/* As HEDDLE_LIVE=1 does: before session_open, for a process that runs already. */
void session_set_live(void);

/*
 * Adds a line to the process file, ended with a newline, its values escaped as raw_trace.h says. In the file before
 * this returns, so that records may refer to it. False: not written. Thread-safe; errno is kept.
 */
bool session_describe(const char *line, size_t size);

/* The number of this process' session among those of its parents; UINT32_MAX: it has none of its own yet. Any thread.
 */
uint32_t session_number(void);

/*
 * What is called when the process ends, while it still records: on any thread, perhaps twice. At most SESSION_ENDINGS.
 */
#define SESSION_ENDINGS 3u
void session_at_end(void (*ending)(void));
/* The calling thread's records end. The first thread's end with the process: calls now what others may get no end for.
 */
void session_thread_ends(void);

/*
 * Ends the session now, where a process goes on without its tool (a JVM that the agent leaves). Nothing is recorded any
 * more, until session_renew; the raw trace is whole, and whoever asked for the end converts it.
 */
void session_end(void);

#endif
