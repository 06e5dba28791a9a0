#include "analyzer/analyses/account/off_processor.h"

enum { PLACES_MOST = 256 /* between two readings; further places count as the last one */ };

bool off_processor_ran(struct off_processor *off, uint32_t place, uint64_t ticks)
{
  for (size_t i = off->places.count; i-- > 0;)
    if (off->places.items[i].place == place || off->places.count == PLACES_MOST) {
      off->places.items[i].ran += ticks;
      return true;
    }
  return vector_push(&off->places, ((struct off_place){.place = place, .ran = ticks}));
}

void off_processor_waited(struct off_processor *off, uint64_t ticks)
{
  off->waited += ticks;
}

static uint64_t ticks_of_ns(const struct trace *trace, uint64_t ns)
{
  unsigned __int128 ticks = (unsigned __int128)ns * trace->ticks_per_second / 1000000000u;
  return ticks < UINT64_MAX ? (uint64_t)ticks : UINT64_MAX;
}

static uint64_t share_of_place(uint64_t whole, uint64_t part, uint64_t of)
{
  return of > 0 ? (uint64_t)((unsigned __int128)whole * part / of) : 0;
}

bool off_processor_read(struct off_processor *off, const struct trace *trace, const struct trace_event *event)
{
  uint64_t ran = 0;
  off->reading.trace = trace;
  readings_event(&off->reading, event);
  if (!off->reading.waits)
    return false;
  off->reading.waits = false;
  uint64_t all = ticks_of_ns(trace, off->reading.off_ns), ready = ticks_of_ns(trace, off->reading.ready_ns);
  for (size_t i = 0; i < off->places.count; i++)
    ran += off->places.items[i].ran;
  uint64_t rest = all > off->waited ? all - off->waited : 0;
  rest = rest < ran ? rest : ran;
  ready = share_of_place(ready < all ? ready : all, rest, all);
  for (size_t i = 0; i < off->places.count; i++) {
    struct off_place *place = &off->places.items[i];
    place->off = share_of_place(rest, place->ran, ran);
    place->ready = share_of_place(ready, place->ran, ran);
  }
  return true;
}

void off_processor_forget(struct off_processor *off)
{
  off->places.count = 0;
  off->waited = 0;
}

void off_processor_free(struct off_processor *off)
{
  vector_free(&off->places);
}
