/*
 * Samples of native code of a running process, by thread and function: from the log that `heddle record` writes
 * meanwhile (common/raw/kernel_log.h), which is followed. Each sample is looked at once. While the process runs, that
 * takes at most a quarter of a processor; what is left waits for the next look. The last look has all, as the archive.
 *
 * Memory depends on threads, functions and ways through them, and on different stacks; all have limits. The log may say
 * anything. One thread at a time.
 */
#ifndef HEDDLE_OTF2_CONVERT_LIVE_LIVE_NATIVE_H
#define HEDDLE_OTF2_CONVERT_LIVE_LIVE_NATIVE_H

#include "base/hash.h"
#include "base/vector.h"
#include "otf2-convert/live/live_look.h"
#include "otf2-convert/live/live_paths.h"

#include <stdbool.h>
#include <stdint.h>

struct live_native;

/* directory: of the process, in raw/. NULL: there is no log with samples of it, or memory is short. */
struct live_native *live_native_begin(int directory, struct definitions *definitions);
void live_native_free(struct live_native *native); /* NULL is allowed */

/* The process file has grown: the definitions are others, with the modules of those before. */
void live_native_renew(struct live_native *native, struct definitions *definitions);

/* The process has ended, and its files may go: which other programs it was, before the last look is taken. */
void live_native_find_programs(struct live_native *native);
/* notices: the caller's; the first look goes on in between rests, until something can be read there. */
void live_native_watch(struct live_native *native, int notices);

/* CLOCK_MONOTONIC_RAW, ns. */
uint64_t live_native_now(void);
/* Takes what was sampled before `until`, after a look at the threads that began later than that. over: the process has
 * ended, and `until` is behind that; then waits for the rest of the log. False: memory is short. */
bool live_native_take(struct live_native *native, const struct live_look *look, uint64_t until, bool over);

/* Makes functions of what was taken, with the names of the constructs that are known now. While the log is read anew,
 * they stay as they were until all of them are counted again. False: memory is short. */
bool live_native_sum(struct live_native *native, bool over);
/* Those of a thread: *count; a function is a name of `paths`. Valid until the next call of the one above. */
const struct live_function *live_native_of(const struct live_native *native, uint32_t thread, size_t *count);
const struct live_paths *live_native_paths(const struct live_native *native);
/* Whether a thread has got more since this was asked for the last time. */
bool live_native_has_news(struct live_native *native, uint32_t thread);

#endif
