/* Private to export/: a trace's ticks as nanoseconds since its begin. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_CLOCK_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_CLOCK_H

#include <stdint.h>

struct clock {
  uint64_t origin;           /* ticks; nothing is before it */
  uint64_t ticks_per_second; /* never 0 */
};

/* Rounded down; never less for a later tick. */
static inline uint64_t clock_ns(const struct clock *clock, uint64_t ticks)
{
  const uint64_t second = 1000000000;
  uint64_t since = ticks - clock->origin;
  uint64_t seconds = since / clock->ticks_per_second;
  uint64_t rest = since % clock->ticks_per_second;
  uint64_t part = clock->ticks_per_second <= UINT64_MAX / second
                      ? rest * second / clock->ticks_per_second
                      : (uint64_t)((unsigned __int128)rest * second / clock->ticks_per_second);
  return seconds * second + part;
}

#endif
