/*
 * A process that records, watched from outside. It is not stopped and does not notice. heddle-convert reads its files;
 * docs/live.md has what it says. One thread at a time.
 */
#ifndef HEDDLE_ANALYZER_LIVE_READINGS_LIVE_H
#define HEDDLE_ANALYZER_LIVE_READINGS_LIVE_H

#include "analyzer/live/readings/reading.h"

struct live;

/* Begins to watch the process with this raw directory (launch/live_process.h). NULL: an error. */
struct live *live_open(const char *directory, struct error *error);
void live_close(struct live *live);

uint64_t live_pid(const struct live *live);
/* The program's name. */
const char *live_name(const struct live *live);

/* The codes of all regions that a reading had so far; until the next one. */
const struct live_code *live_codes(const struct live *live, size_t *count);

/* What readings have from now on; NULL: all. It stays the caller's, who keeps it. */
void live_focus_on(struct live *live, const struct profile_focus *focus);

/* Readings from now on have sums apart by number in a team, too. */
void live_keep_apart(struct live *live);

/* Reads. False: an error. After success, and only then, the caller frees the reading; before live_close(). */
bool live_read(struct live *live, struct live_reading *reading, struct error *error);

#endif
