/* Garbage collection: all threads stop. */
#include "analyzer/findings/builder.h"

bool collection_add(struct builder *builder)
{
  const struct states_sums *sums = builder->of->sums;
  double most = 0;
  uint32_t location = TRACE_NONE;
  for (uint32_t i = 0; i < builder->of->trace->location_count; i++) {
    double stopped = (double)sums->threads[i].ticks[STATE_GC];
    if (stopped <= most)
      continue;
    most = stopped;
    location = i;
  }
  struct finding finding = {FINDING_COLLECTION, TRACE_NONE, location, most, .text = NULL};
  char time[UNITS_SIZE], won[WON_SIZE];
  return location == TRACE_NONE ||
         builder_add(builder, &finding,
                     "garbage collection: it stopped %s for %s, %s; allocate less, or give the JVM more memory (-Xmx).",
                     trace_thread_said(builder->of->trace, location), builder_duration(builder, most, time),
                     builder_won(builder, most, won));
}
