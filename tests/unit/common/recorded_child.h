/*
 * Common part of the recorder's tests: a recording in a child process, and what the reader finds of it. The recorder
 * has one recording a process, so each recording is made in a child. Failures end the test (cmocka).
 */
#ifndef HEDDLE_TESTS_RECORDED_CHILD_H
#define HEDDLE_TESTS_RECORDED_CHILD_H

#include "common/raw/raw_reader.h"
#include "common/recorder/recording.h"
#include "tests/unit/unit.h"

#include <limits.h>
#include <stdbool.h>

/* ThreadSanitizer delivers signals late, in calls of its own, and opens files: what asks for the moment, or the
 * descriptor, cannot be tried under it. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#endif
#endif
#ifndef UNDER_TSAN
#define UNDER_TSAN 0
#endif

/* Each test has a directory of its own, and in it the process directory that the child records into. */
extern char base[PATH_MAX], directory[PATH_MAX + 16];
int setup(void **state);
int teardown(void **state);
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* In the child: makes a process directory in `base`. Returns 0, or an errno value. */
int open_process_dir(const char *path, uint32_t window_size);
/* In the child: opens the process directory; the result is for recording_open. */
struct recording_config config_of(uint32_t ring_slots, uint64_t max_size);
/* In the child: leaves with the status, unless it is good. */
void need(bool good, int status);
/* In the child: a recording whose threads have profiles beside, and that is looked at while it goes on. */
void open_beside(bool paused);
/* In the child: emits RAW_FLUSH records with the values from `from` to `to` - 1. */
void count(uint64_t from, uint64_t to);
/* In the child: opens a recording, attaches the thread, and counts from 0 to n - 1. */
void open_and_count(uint32_t ring_slots, uint64_t max_size, uint64_t n);

/* Runs record() in a child that leaves by _exit or the signal; returns the wait status. */
int in_child(void (*record)(void));
/* The same; the child must exit with status 0. */
void in_good_child(void (*record)(void));

struct found {
  uint64_t counters;    /* RAW_FLUSH records, which the tests use to count */
  uint64_t first, last; /* their values */
  uint64_t by_kind[256];
  uint64_t gap_events;
  uint64_t not_measured, lost_after, missing, bad;
};

/* Reads a thread: counters must be consecutive but for gaps, ticks must not decrease. */
struct found read_thread(struct raw_dir *dir, uint32_t thread);
/* Reads the only thread of the process directory. */
struct found read_only_thread(void);

#endif
