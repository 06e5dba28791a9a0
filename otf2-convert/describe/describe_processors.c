/* Processors as locations. They are no threads: readers that add up threads pass over accelerators' streams. */
#include "otf2-convert/describe/describer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* A group for the processors of a log. */
static void write_group(struct describer *d, uint32_t log, uint32_t group, uint32_t process)
{
  const struct process *on = &d->plan->processes.items[process];
  OTF2_StringRef name = log == 0 ? describer_string(d, NAME_PROCESSORS)
                                 : describer_format(d, "%s (%" PRIu32 ")", NAME_PROCESSORS, log + 1);
  archive_check(d->archive,
                OTF2_GlobalDefWriter_WriteLocationGroup(d->writer, group, name, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR,
                                                        on->machine, OTF2_UNDEFINED_LOCATION_GROUP));
}

static int describe_processors_in_order(const void *a, const void *b)
{
  const struct processor_line *x = *(const struct processor_line *const *)a,
                              *y = *(const struct processor_line *const *)b;
  if (x->log != y->log)
    return x->log < y->log ? -1 : 1;
  return (x->processor > y->processor) - (x->processor < y->processor);
}

/* The lines by log, then by number, as they are to be shown. NULL: no memory. */
static const struct processor_line **sorted(const struct processor_lines *lines)
{
  const struct processor_line **order = calloc(lines->items.count + 1, sizeof *order);
  for (size_t i = 0; order != NULL && i < lines->items.count; i++)
    order[i] = &lines->items.items[i];
  if (order != NULL && lines->items.count > 1)
    qsort(order, lines->items.count, sizeof *order, describe_processors_in_order);
  return order;
}

static void write_processor(struct describer *d, const struct processor_line *line, uint32_t group)
{
  uint32_t number = d->converted->processors.first_location + (uint32_t)(line - d->converted->processors.items.items);
  archive_check(d->archive,
                OTF2_GlobalDefWriter_WriteLocation(
                    d->writer, number, describer_format(d, "%s %" PRIu32, NAME_PROCESSOR, line->processor),
                    OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, archive_events(d->archive, line->sink.writer), group));
  archive_write_local_definitions(d->archive, number);
}

void describe_processors(struct describer *d)
{
  const struct processor_lines *lines = &d->converted->processors;
  const struct processor_line **order = sorted(lines);
  uint32_t group = d->plan->processes.count - 1;
  if (order == NULL)
    d->error = ENOMEM;
  for (size_t i = 0; order != NULL && i < lines->items.count; i++) {
    if (i == 0 || order[i]->log != order[i - 1]->log)
      write_group(d, order[i]->log, ++group, order[i]->process);
    write_processor(d, order[i], group);
  }
  free(order);
}
