/* Java: threads that wait for what another one does. */
#include "analyzer/findings/builder.h"

#include <stdlib.h>

#define ALONE_PART 0.1 /* of the wait: who works less before it does not share the work */

/* Of archives that have only readings of the time without a processor: this is in the time of work. Ticks. */
struct lack {
  double off, ready;
  double awaited; /* by others, while it worked */
  double blocked; /* of `off`, while others waited */
};

static const char *thread_name(const struct builder *builder, uint32_t location)
{
  return builder->of->trace->locations[location].name;
}

static bool add_slept(struct builder *builder, const struct awaited_place *place)
{
  struct finding finding = {FINDING_SLEEP, place->region, place->location, place->won, .text = NULL};
  char time[UNITS_SIZE], won[WON_SIZE];
  return builder_add(builder, &finding, "%s: %s waits here for time to pass, and others wait for it, %s in total, %s.",
                     builder_region_name(builder, place->region), thread_name(builder, place->location),
                     builder_duration(builder, (double)place->waited, time), builder_won(builder, place->won, won));
}

static bool add_blocked(struct builder *builder, uint32_t location, double ticks)
{
  struct finding finding = {FINDING_OFF, TRACE_NONE, location, ticks, .text = NULL};
  char won[WON_SIZE];
  return builder_add(builder, &finding, "%s: it is blocked in the kernel (input, output) while others wait for it, %s.",
                     thread_name(builder, location), builder_won(builder, ticks, won));
}

static double least(double a, double b)
{
  return a < b ? a : b;
}

/* What the awaited threads worked, as a part of what others waited for them. */
static double working_part(const struct awaited_place *place, struct lack *lacks)
{
  double all = 0, lacked = 0;
  for (size_t i = 0; i < place->thread_count; i++) {
    struct lack *lack = &lacks[place->threads[i].location];
    double ticks = (double)place->threads[i].ticks, part = ticks / lack->awaited;
    double off = least(ticks, part * lack->off);
    lack->blocked += off;
    lacked += off + least(ticks - off, part * lack->ready);
    all += ticks;
  }
  return all > 0 ? 1 - lacked / all : 0;
}

static bool add_worked(struct builder *builder, const struct awaited_place *place, struct lack *lacks)
{
  /* Who joins threads does not share their work, but some of them may have ended before. */
  bool alone = !place->join && (place->idle || (double)place->worked < ALONE_PART * (double)place->waited);
  const char *where = builder_region_name(builder, place->region), *name = thread_name(builder, place->location);
  struct finding finding = {alone ? FINDING_ALONE : FINDING_SLOWER, place->region, place->location,
                            place->won * working_part(place, lacks), .text = NULL};
  char time[UNITS_SIZE], won[WON_SIZE];
  if (finding.ticks <= 0)
    return true;
  builder_duration(builder, (double)place->waited, time);
  builder_won(builder, finding.ticks, won);
  return alone ? builder_add(builder, &finding,
                             "%s: threads without work wait here while another one works, mostly %s, %s in total, %s; "
                             "let them share its work.",
                             where, name, time, won)
               : builder_add(builder, &finding,
                             "%s: threads wait here for one with more work, mostly %s, %s in total, %s; spread the "
                             "work evenly.",
                             where, name, time, won);
}

static bool is_of_work(const struct awaited_place *place)
{
  return place->did == AWAITED_WORKED && place->region != TRACE_NONE && place->won > 0;
}

/* By location. NULL: no memory. */
static struct lack *find_lacks(const struct builder *builder)
{
  const struct processors *processors = builder->of->processors;
  const struct awaited *awaited = builder->of->awaited;
  struct lack *lacks = calloc((size_t)builder->of->trace->location_count + 1, sizeof *lacks);
  for (size_t i = 0; lacks && processors->read && i < processors->rows.count; i++) {
    const struct processors_row *row = &processors->rows.items[i];
    *(row->ready ? &lacks[row->location].ready : &lacks[row->location].off) += (double)row->ticks;
  }
  for (size_t i = 0; lacks && i < awaited->count; i++)
    for (size_t j = 0; is_of_work(&awaited->places[i]) && j < awaited->places[i].thread_count; j++)
      lacks[awaited->places[i].threads[j].location].awaited += (double)awaited->places[i].threads[j].ticks;
  return lacks;
}

static bool add_place(struct builder *builder, const struct awaited_place *place, struct lack *lacks)
{
  if (place->did == AWAITED_BLOCKED && place->won > 0)
    return add_blocked(builder, place->location, place->won);
  if (place->did == AWAITED_SLEPT && place->won > 0 && place->region != TRACE_NONE)
    return add_slept(builder, place);
  return !is_of_work(place) || add_worked(builder, place, lacks);
}

bool awaited_add(struct builder *builder)
{
  const struct awaited *awaited = builder->of->awaited;
  if (!awaited || awaited->count == 0)
    return true;
  struct lack *lacks = find_lacks(builder);
  bool good = lacks != NULL;
  for (size_t i = 0; good && i < awaited->count; i++)
    good = add_place(builder, &awaited->places[i], lacks);
  for (uint32_t i = 0; good && i < builder->of->trace->location_count; i++)
    good = lacks[i].blocked <= 0 || add_blocked(builder, i, lacks[i].blocked);
  free(lacks);
  return good;
}
