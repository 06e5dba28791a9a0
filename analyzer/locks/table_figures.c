#include "analyzer/locks/table_figures.h"

#include "analyzer/pass/unseen_regions.h"

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
  samples->estimated |= event->estimate;
  struct sample sample = {value, lock};
  sampling_take(&samples->figures[figure], event->weight, sample, &step);
  return add_step(table, location, event->region, figure, &step) &&
         (!table->unseen ||
          unseen_locks_add(&table->unseen[location], figure, event->region, sample, event->weight, false));
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
    if (good && table->unseen && figure->any && instances > 0)
      good = unseen_locks_add(&table->unseen[samples->location], (enum lock_figure)i, samples->region, figure->last,
                              instances, true);
    *figure = (struct sampling){0};
  }
  return good;
}

struct unseen_figure_of {
  struct lock_table *table;
  uint32_t location;
  enum lock_figure figure;
};

/* What unseen acquisitions of a lock at a place add; one choice for all threads. */
static bool add_unseen(void *context, uint64_t key, const struct estimate *more)
{
  const struct unseen_figure_of *of = context;
  struct counted counted;
  uint32_t region = (uint32_t)(key >> 32), lock = (uint32_t)key;
  const struct place_samples *samples = lock_samples_of(&of->table->samples, of->location, region);
  if (!samples || !(samples->estimated || unseen_regions_miss(of->table->trace, region)))
    return samples != NULL;
  if (!table_count_for(of->table, lock, of->location, region, &counted))
    return false;
  estimate_add_dependent(&counted.lock->more[of->figure], more);
  estimate_add_dependent(&counted.thread->more[of->figure], more);
  estimate_add_dependent(&counted.place->more[of->figure], more);
  return true;
}

bool table_end_unseen(struct lock_table *table)
{
  bool good = true;
  for (uint32_t i = 0; table->unseen && i < table->trace->location_count; i++)
    for (int k = 0; good && k < LOCK_FIGURES; k++)
      good = unseen_end(&table->unseen[i].figures[k], add_unseen,
                        &(struct unseen_figure_of){table, i, (enum lock_figure)k});
  return good;
}
