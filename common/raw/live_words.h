/* The first words of the lines in which heddle-convert tells of a running process (docs/live.md), and their version. */
#ifndef HEDDLE_COMMON_RAW_LIVE_WORDS_H
#define HEDDLE_COMMON_RAW_LIVE_WORDS_H

#define LIVE_VERSION   "1"
#define LIVE_HEAD      "heddle-live"
#define LIVE_READING   "reading"
#define LIVE_REGION    "region"
#define LIVE_CODE      "code"
#define LIVE_THREAD    "thread"
#define LIVE_LOOK      "look"
#define LIVE_ROW       "row"
#define LIVE_METRIC    "metric"
#define LIVE_ALLOCATED "allocated bytes" /* a kind of metric that no archive has: the count is bytes */
#define LIVE_SAMPLES   "samples"         /* likewise: samples of a function */
#define LIVE_OVER      "over"
#define LIVE_END       "end"
/* Of a look: whether the thread has ended. */
#define LIVE_LIVES     "lives"
#define LIVE_HAS_ENDED "over"

/* Of a row: what is before the number of the thread in its team. */
#define LIVE_MEMBER "member="
/* Of a metric: the type of its sum and of its last value. */
#define LIVE_REAL "real"

#endif
