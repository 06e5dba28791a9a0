/*
 * libFuzzer target: any bytes as what heddle-convert says of a running process (docs/live.md). They are refused; or
 * each reading, and what came since the one before, hold together: the rows of a thread have just its time.
 */
#include "analyzer/live/profile/states.h"
#include "analyzer/live/readings/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
  if (condition)
    return;
  fprintf(stderr, "fuzz_live: %s\n", what);
  abort();
}

/* Nothing is required of a thread whose time has more ticks than 64 bits. */
static void check(const struct live_reading *reading)
{
  size_t at = 0;
  for (uint32_t i = 0; i < reading->location_count; i++) {
    const struct profile_life *life = &reading->profile.lives[i];
    wide_total self = 0;
    for (; at < reading->profile.count && reading->profile.rows[at].location == i; at++)
      self += reading->profile.rows[at].self;
    require(life->first <= life->last, "a thread ends before it begins");
    require(life->last == UINT64_MAX || self == life->last - life->first, "a thread's rows have another time");
    require(!reading->threads[i].is_inside || reading->threads[i].region == TRACE_NONE ||
                reading->threads[i].region < reading->trace->region_count,
            "a thread is in no region");
  }
  require(at == reading->profile.count, "a row is of no thread");
}

/* The states that the commands show of it. */
static void check_states(const struct live_reading *reading)
{
  struct states_sums sums;
  require(profiled_states(reading->trace, &reading->profile, &sums), "no memory");
  states_sums_free(&sums);
}

static void take_reading(struct live_reader *reader, struct live_reading *before)
{
  struct live_reading now, between;
  require(live_reader_result(reader, &now), "no memory");
  check(&now);
  check_states(&now);
  if (before->threads) {
    require(live_between(before, &now, &between), "no memory");
    check_states(&between);
    live_reading_free(&between);
  }
  live_reading_free(before);
  *before = now;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct live_reader reader;
  struct live_reading before = {.threads = NULL};
  char *text = malloc(size + 1), *rest = text, *line;
  enum live_line taken = LIVE_GOES_ON;
  require(text && live_reader_begin(&reader, 1000, "program"), "no memory");
  memcpy(text, data, size);
  text[size] = '\0';
  while (taken != LIVE_WRONG && (line = strsep(&rest, "\n")) != NULL) {
    taken = live_reader_take(&reader, line);
    if (taken == LIVE_READ)
      take_reading(&reader, &before);
  }
  live_reading_free(&before);
  live_reader_end(&reader);
  free(text);
  return 0;
}
