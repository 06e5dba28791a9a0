#include "analyzer/models/unmeasured_fact.h"

void unmeasured_put_fact(struct print *print, double percent)
{
  if (percent > 0)
    print_fact(print, "unmeasured_percent", "Unmeasured time", PRINT_PERCENT, print_real(percent));
}

static uint64_t ticks_of_total(const void *context, uint32_t state)
{
  const struct pes_state_totals *totals = context;
  return state < totals->states.count ? totals->states.items[state].time : 0;
}

double unmeasured_of_totals(const struct pes_stream *stream, const struct pes_state_totals *totals)
{
  return pes_unmeasured_percent(stream->program, stream->states, ticks_of_total, totals);
}

static uint64_t ticks_of_model(const void *context, uint32_t state)
{
  const struct markov_model *model = context;
  return state < model->count ? model->list[state].occupancy.total : 0;
}

double unmeasured_of_model(const struct markov_model *model)
{
  return pes_unmeasured_percent(model->program, model->states, ticks_of_model, model);
}
