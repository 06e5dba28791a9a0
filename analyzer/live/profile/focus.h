/*
 * Focus: a part of a profile. A row is in the focus if it matches each pair `key=pattern` of a list, as
 * `thread=worker*,construct=a.c:12,lock=forks*`. Among pairs with the same key, one must match. Patterns are a shell's.
 *     thread     the thread's name, or its number
 *     start      the thread's start function
 *     member     its number in the innermost team then
 *     construct  name of the construct, or its place as file:line, with or without directories
 *     function   the construct's function or Java method
 *     lock       name of the lock, or of the Java object
 *     event      name of an event of the program's own
 *     value      name of a value of such an event
 *     state      as in `heddle states`
 * Metrics match `construct` and `function` also by the construct around them. Only metrics of locks match `lock`, only
 * metrics of events match `event` and `value`, and none matches `state`.
 */
#ifndef HEDDLE_ANALYZER_LIVE_PROFILE_FOCUS_H
#define HEDDLE_ANALYZER_LIVE_PROFILE_FOCUS_H

#include "analyzer/live/profile/profile.h"
#include "base/error.h"

struct profile_focus;

enum profile_focus_key {
  FOCUS_THREAD,
  FOCUS_START,
  FOCUS_MEMBER,
  FOCUS_CONSTRUCT,
  FOCUS_FUNCTION,
  FOCUS_LOCK,
  FOCUS_EVENT,
  FOCUS_VALUE,
  FOCUS_STATE,
  FOCUS_KEYS
};

/* The keys of a focus, as bits: 1u << FOCUS_THREAD, ... */
unsigned profile_focus_keys(const struct profile_focus *focus);

/* The list of pairs in a text, at its begin or after a comma; NULL: there is none. */
const char *profile_focus_begin(const char *text);

/* NULL: an error. The caller frees it with profile_focus_free(). */
struct profile_focus *profile_focus_of(const char *text, struct error *error);
void profile_focus_free(struct profile_focus *focus);

/* True if a thread is in the focus; start: its start function, NULL: unknown. */
bool profile_focus_has_thread(const struct profile_focus *focus, const struct trace *trace, uint32_t location,
                              const char *start);

/* True if a row or a metric is in the focus, for any thread. A row's member is known in a profile that is not merged.
 * The profile is the row's, for its state. */
bool profile_focus_has_row(const struct profile_focus *focus, const struct trace *trace, const struct profiled *profile,
                           const struct profile_row *row);
bool profile_focus_has_metric(const struct profile_focus *focus, const struct trace *trace,
                              const struct profile_metric *metric);

/* Leaves in the profile what is in the focus; has: of each location whether its thread is. The profile is as
 * profiled_complete_apart() made it, and is not merged. False: no memory. */
bool profile_focus_apply(const struct profile_focus *focus, const struct trace *trace, const bool *has,
                         struct profiled *profile);

#endif
