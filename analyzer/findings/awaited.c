/* Java: threads that wait for what another one does. */
#include "analyzer/findings/builder.h"

#define ALONE_PART 0.1 /* of the wait: who works less before it does not share the work */

static bool add_slept(struct builder *builder, const struct awaited_place *place)
{
  struct finding finding = {FINDING_SLEEP, place->region, place->location, place->won, .text = NULL};
  char time[UNITS_SIZE], won[WON_SIZE];
  return builder_add(builder, &finding, "%s: %s waits here for time to pass, and others wait for it, %s in total, %s.",
                     builder_region_name(builder, place->region), builder->of->trace->locations[place->location].name,
                     builder_duration(builder, (double)place->waited, time), builder_won(builder, place->won, won));
}

static bool add_blocked(struct builder *builder, const struct awaited_place *place)
{
  const char *name = builder->of->trace->locations[place->location].name;
  struct finding finding = {FINDING_OFF, TRACE_NONE, place->location, place->won, .text = NULL};
  char time[UNITS_SIZE], won[WON_SIZE];
  return builder_add(
      builder, &finding,
      "%s: it was blocked in the kernel (input, output) while others waited for it, %s in total, %s.", name,
      builder_duration(builder, (double)place->waited, time), builder_won(builder, place->won, won));
}

static bool add_worked(struct builder *builder, const struct awaited_place *place)
{
  bool alone = (double)place->worked < ALONE_PART * (double)place->waited;
  const char *name = builder->of->trace->locations[place->location].name;
  struct finding finding = {alone ? FINDING_ALONE : FINDING_SLOWER, place->region, place->location, place->won,
                            .text = NULL};
  char time[UNITS_SIZE], won[WON_SIZE];
  builder_duration(builder, (double)place->waited, time);
  builder_won(builder, place->won, won);
  const char *where = builder_region_name(builder, place->region);
  return alone ? builder_add(builder, &finding,
                             "%s: threads without work wait here while another one works, mostly %s, %s in total, %s; "
                             "let them share its work.",
                             where, name, time, won)
               : builder_add(builder, &finding,
                             "%s: threads wait here for one with more work, mostly %s, %s in total, %s; spread the "
                             "work evenly.",
                             where, name, time, won);
}

bool awaited_add(struct builder *builder)
{
  const struct awaited *awaited = builder->of->awaited;
  bool good = true;
  for (size_t i = 0; good && awaited && i < awaited->count; i++) {
    const struct awaited_place *place = &awaited->places[i];
    if (place->won <= 0 || (place->did != AWAITED_BLOCKED && place->region == TRACE_NONE))
      continue;
    good = place->did == AWAITED_WORKED  ? add_worked(builder, place)
           : place->did == AWAITED_SLEPT ? add_slept(builder, place)
                                         : add_blocked(builder, place);
  }
  return good;
}
