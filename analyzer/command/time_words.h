/* Times of a run, as users write them: `1.5s`, `300ms`, `20us`, `100ns`, `2` (seconds), `25%` (of the run). */
#ifndef HEDDLE_ANALYZER_COMMAND_TIME_WORDS_H
#define HEDDLE_ANALYZER_COMMAND_TIME_WORDS_H

#include <stdbool.h>
#include <stdint.h>

enum time_unit { TIME_S, TIME_MS, TIME_US, TIME_NS, TIME_PERCENT };

/* digits / 10^decimals of the unit. */
struct time_word {
  uint64_t digits;
  unsigned decimals;
  enum time_unit unit;
};

/* False: it is not a time, or has more than 18 digits. */
bool time_word_read(const char *text, struct time_word *word);

/*
 * In ticks since the run's begin, rounded to the nearest; at most UINT64_MAX. A percentage is of `length`, in ticks;
 * other units need ticks_per_second, which is not 0.
 */
uint64_t time_word_ticks(const struct time_word *word, uint64_t ticks_per_second, uint64_t length);

/* A length of time in ns, which is no part of a run. False: it is none. */
bool time_word_ns(const char *text, uint64_t *ns);

#endif
