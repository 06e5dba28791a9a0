#include "analyzer/estimates/unseen.h"

static struct unseen_region *region_of(struct unseen *unseen, uint32_t region)
{
  uint64_t *known = hash_find(&unseen->index, region);
  if (known)
    return &unseen->regions.items[*known];
  size_t at = unseen->regions.count;
  if (!vector_push(&unseen->regions, ((struct unseen_region){.region = region})) ||
      !hash_add(&unseen->index, region, at))
    return NULL;
  return &unseen->regions.items[at];
}

static void add_step(struct estimate *more, const struct sampling_step *step)
{
  for (unsigned i = 0; i < step->count; i++)
    estimate_add(more, &step->parts[i].more);
}

/* The newest instance of a region is whole: it becomes a sample of each figure. */
static void close_instance(struct unseen_region *region)
{
  struct sampling_step step;
  if (!region->seen)
    return;
  for (size_t i = 0; i < region->figures.count; i++) {
    struct unseen_figure *figure = &region->figures.items[i];
    sampling_take(&figure->sampling, region->weight, (struct sample){figure->value, 0}, &step);
    add_step(&figure->more, &step);
    figure->value = 0;
  }
  sampling_take(&region->none, region->weight, (struct sample){0, 0}, &step);
}

bool unseen_skip(struct unseen *unseen, uint32_t region, uint64_t instances)
{
  struct unseen_region *skipped = region_of(unseen, region);
  if (skipped)
    skipped->gap += instances;
  return skipped != NULL;
}

bool unseen_enter(struct unseen *unseen, uint32_t region)
{
  if (unseen->depth++ > 0)
    return true;
  struct unseen_region *entered = region_of(unseen, region);
  if (!entered)
    return false;
  close_instance(entered);
  entered->seen = true;
  entered->weight = entered->gap + 1;
  entered->gap = 0;
  unseen->newest = (size_t)(entered - unseen->regions.items) + 1;
  return true;
}

void unseen_leave(struct unseen *unseen)
{
  unseen->depth -= unseen->depth > 0;
}

bool unseen_add(struct unseen *unseen, uint64_t key, uint64_t value, bool late)
{
  if (unseen->newest == 0 || (unseen->depth == 0 && !late))
    return true;
  struct unseen_region *region = &unseen->regions.items[unseen->newest - 1];
  uint64_t *known = hash_find(&region->index, key);
  if (known) {
    region->figures.items[*known].value += value;
    return true;
  }
  size_t at = region->figures.count;
  struct unseen_figure new = {.key = key, .value = value, .sampling = region->none};
  return vector_push(&region->figures, new) && hash_add(&region->index, key, at);
}

bool unseen_end(struct unseen *unseen, unseen_sink *sink, void *context)
{
  bool good = true;
  for (size_t i = 0; i < unseen->regions.count; i++) {
    struct unseen_region *region = &unseen->regions.items[i];
    struct sampling_step step;
    close_instance(region);
    for (size_t k = 0; good && k < region->figures.count; k++) {
      struct unseen_figure *figure = &region->figures.items[k];
      sampling_end(&figure->sampling, region->gap, &step);
      add_step(&figure->more, &step);
      good = figure->more.left_out == 0 || sink(context, figure->key, &figure->more);
    }
  }
  return good;
}

void unseen_free(struct unseen *unseen)
{
  for (size_t i = 0; i < unseen->regions.count; i++) {
    vector_free(&unseen->regions.items[i].figures);
    hash_free(&unseen->regions.items[i].index);
  }
  vector_free(&unseen->regions);
  hash_free(&unseen->index);
}
