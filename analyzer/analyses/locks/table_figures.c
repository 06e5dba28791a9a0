#include "analyzer/analyses/locks/table_figures.h"

bool table_count_for(struct lock_table *table, uint32_t lock, uint32_t location, uint32_t region,
                     struct counted *counted)
{
  counted->lock = &table->locks.items[lock].sums;
  counted->thread = party(&table->threads, lock, location);
  counted->place = party(&table->places, lock, region);
  return counted->thread && counted->place;
}

/* Adds what a sample shows of its neighbours that are not recorded. */
static bool add_step(struct lock_table *table, uint32_t location, uint32_t region, enum lock_figure figure,
                     const struct sampling_step *step)
{
  struct counted counted;
  for (unsigned i = 0; i < step->count; i++) {
    if (step->parts[i].domain == TRACE_NONE)
      continue;
    if (!table_count_for(table, step->parts[i].domain, location, region, &counted))
      return false;
    estimate_add(&counted.lock->more[figure], &step->parts[i].more);
    estimate_add(&counted.thread->more[figure], &step->parts[i].more);
    estimate_add(&counted.place->more[figure], &step->parts[i].more);
  }
  return true;
}

bool table_take_sample(struct lock_table *table, uint32_t lock, uint32_t location, const struct lock_event *event,
                       enum lock_figure figure, uint64_t value)
{
  if (event->region == TRACE_NONE)
    return true;
  struct sampling_step step;
  struct place_samples *samples = lock_samples_of(&table->samples, location, event->region);
  if (!samples)
    return false;
  sampling_take(&samples->figures[figure], event->weight, (struct sample){value, lock}, &step);
  return add_step(table, location, event->region, figure, &step);
}

bool table_sample_acquisition(struct lock_table *table, uint32_t lock, uint32_t location,
                              const struct lock_event *event, uint64_t wait, uint64_t waits)
{
  return table_take_sample(table, lock, location, event, LOCK_ACQUISITIONS, lock != TRACE_NONE) &&
         table_take_sample(table, lock, location, event, LOCK_WAITS, waits) &&
         table_take_sample(table, lock, location, event, LOCK_WAIT, wait);
}

bool table_end_samples(struct lock_table *table, struct place_samples *samples, uint64_t instances)
{
  bool good = true;
  for (int i = 0; good && i < LOCK_FIGURES; i++) {
    struct sampling_step step;
    struct sampling *figure = &samples->figures[i];
    sampling_end(figure, instances, &step);
    good = add_step(table, samples->location, samples->region, (enum lock_figure)i, &step);
    *figure = (struct sampling){0};
  }
  return good;
}
