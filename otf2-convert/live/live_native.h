/*
 * Samples of native code of a running process, by thread and function. It follows the log that `heddle record` writes
 * (common/raw/kernel_log.h), and processes each sample once. While the process runs, this takes at most a quarter of a
 * processor; further samples wait for the next look. The last look has all samples, as the archive.
 *
 * Memory depends on threads, functions, paths through them and different stacks; all have limits. The log may be
 * hostile. One thread at a time.
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

/* Begins to follow the log of a process. directory: the process' own, in raw/. NULL: there is no log with its samples,
 * or memory is short. */
struct live_native *live_native_begin(int directory, struct definitions *definitions);
void live_native_free(struct live_native *native); /* NULL is allowed */

/* Sets new definitions, which have the modules of the former ones: the process file has grown. */
void live_native_renew(struct live_native *native, struct definitions *definitions);

/* Finds the other programs of the process, before the last look: its files may be removed soon. */
void live_native_find_programs(struct live_native *native);
/* Sets a descriptor of the caller: the first look, which pauses at times, ends when something can be read there. */
void live_native_watch(struct live_native *native, int notices);

/* Returns CLOCK_MONOTONIC_RAW, in ns. */
uint64_t live_native_now(void);
/* Takes the samples before `until`, with a look at the threads that is newer than that. over: the process ended before
 * `until`; then it waits for the rest of the log. False: out of memory. */
bool live_native_take(struct live_native *native, const struct live_look *look, uint64_t until, bool over);

/* Makes functions from the samples, with the known names of constructs. While the log is read again, the functions stay
 * unchanged until all samples are counted again. False: out of memory. */
bool live_native_sum(struct live_native *native, bool over);
/* Returns the functions of a thread, *count of them; each is a name of `paths`. Valid until the next live_native_sum().
 */
const struct live_function *live_native_of(const struct live_native *native, uint32_t thread, size_t *count);
const struct live_paths *live_native_paths(const struct live_native *native);
/* True if a thread has new samples since the last call. */
bool live_native_has_news(struct live_native *native, uint32_t thread);

#endif
