#include "analyzer/findings/schedule_sentence.h"

#include "analyzer/command/print/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "lu.c:42", or the construct's name where the archive has no line. */
static void put_place(FILE *file, const struct trace_region *region)
{
  const char *slash = strrchr(region->file, '/');
  if (*region->file && region->line)
    fprintf(file, "%s:%" PRIu32, slash ? slash + 1 : region->file, region->line);
  else
    fputs(region->name, file);
}

/* A saving is between 0 and all of it. */
static double shown(double percent)
{
  return percent < 0 ? 0 : percent > 100 ? 100 : percent;
}

/* How much of the loop's time is lost because its threads don't finish together. */
static double uneven(const struct schedule_loop *loop)
{
  return loop->ticks ? shown(100 * (1 - fine_total_ticks(loop->ideal) / (double)loop->ticks)) : 0;
}

static void put_record(FILE *file, const struct schedule_loop *loop)
{
  fprintf(file, "record once with schedule(dynamic,%" PRIu64 ") to see its iterations", loop->suggested);
}

static void put_obstacle(FILE *file, const struct schedule_loop *loop)
{
  if (loop->obstacle == OBSTACLE_INCOMPLETE) {
    fputs("no execution has all its chunks, so no estimate is possible", file);
    return;
  }
  if (loop->obstacle == OBSTACLE_EMPTY) {
    fputs("its executions had no iterations, or none that took time, so no schedule is better than another", file);
    return;
  }
  if (loop->obstacle == OBSTACLE_ORDERED) {
    fputs(
        "its iterations wait for each other (ordered); the simulation does not include these waits, so no estimate is "
        "possible",
        file);
    return;
  }
  if (loop->obstacle == OBSTACLE_OFF) {
    fprintf(
        file,
        "its threads had no processor for %.0f %% of their time in it (`heddle states` says why); no schedule can be "
        "advised from such a run",
        loop->off_percent);
    return;
  }
  if (loop->obstacle == OBSTACLE_CHUNKLESS)
    fputs("its chunks are not recorded", file);
  else
    fputs("the times of its chunks are unknown, only those of its threads are recorded", file);
  if (loop->threads <= 1) {
    fputs(", and one thread executed it; ", file);
    put_record(file, loop);
  } else if (uneven(loop) > SCHEDULE_WORTH) {
    fprintf(file, "; another schedule can save up to %.0f %%: ", uneven(loop));
    put_record(file, loop);
  } else {
    fprintf(file, ", but its threads end together: no schedule can save more than %.1f %%", uneven(loop));
  }
}

/* What the simplest schedule would cost, where it is not the one that was recorded. */
static void put_static(FILE *file, const struct schedule_loop *loop, const struct schedule_team *team)
{
  const struct schedule_candidate *block = &team->candidates[0];
  double more = loop->ticks ? 100 * (block->ticks / (double)loop->ticks - 1) : 0;
  if (!plan_same(&block->plan, &loop->recorded) && more > SCHEDULE_WORTH)
    fprintf(file, "; schedule(static) would take %.0f %% more", more);
}

static void put_recorded_team(FILE *file, const struct schedule_loop *loop, const struct schedule_team *team)
{
  char best[PLAN_TEXT], recorded[PLAN_TEXT];
  plan_text(&team->candidates[team->best].plan, best);
  switch (team->verdict) {
  case SCHEDULE_ADVISED:
    fprintf(file, "%s would take %.0f %% less of this loop's time (%.0f to %.0f %%)", best, team->gain,
            shown(team->gain_low), shown(team->gain_high));
    break;
  case SCHEDULE_UNSURE:
    fprintf(file, "%s might take %.0f %% less (%.0f to %.0f %%), but its executions or single chunks differ too much",
            best, team->gain, shown(team->gain_low), shown(team->gain_high));
    break;
  case SCHEDULE_TOO_COARSE:
    fprintf(file,
            "%s might take %.0f %% less (%.0f to %.0f %%), but its recorded chunks are too large for a sure answer: ",
            best, team->gain, shown(team->gain_low), shown(team->gain_high));
    put_record(file, loop);
    break;
  default:
    if (loop->recorded.kind == PLAN_UNKNOWN)
      fputs("its schedule is as good as it gets", file);
    else
      fprintf(file, "%s is as good as it gets", plan_text(&loop->recorded, recorded));
    put_static(file, loop, team);
  }
}

static void put_other_team(FILE *file, const struct trace *trace, const struct schedule_loop *loop,
                           const struct schedule_team *team)
{
  char best[PLAN_TEXT], time[UNITS_SIZE], least[UNITS_SIZE], most[UNITS_SIZE];
  const struct schedule_candidate *candidate = &team->candidates[team->best];
  fprintf(file, "; with %" PRIu32 " threads %s would take %s (%s to %s)", team->threads,
          plan_text(&candidate->plan, best), units_duration((uint64_t)candidate->ticks, trace->ticks_per_second, time),
          units_duration((uint64_t)candidate->least, trace->ticks_per_second, least),
          units_duration((uint64_t)candidate->most, trace->ticks_per_second, most));
  if (team->threads > loop->threads)
    fputs(", if processors, caches and memory suffice, which are not simulated", file);
}

char *schedule_sentence(const struct trace *trace, const struct schedule_loop *loop)
{
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return NULL;
  put_place(file, &trace->regions[loop->region]);
  fputs(": ", file);
  if (loop->obstacle != OBSTACLE_NONE)
    put_obstacle(file, loop);
  for (uint32_t i = 0; i < loop->team_count; i++) {
    if (i == 0)
      put_recorded_team(file, loop, &loop->teams[i]);
    else
      put_other_team(file, trace, loop, &loop->teams[i]);
  }
  if (loop->obstacle == OBSTACLE_NONE && loop->overhead_from == OVERHEAD_UNKNOWN)
    fputs("; handing out chunks is assumed to cost nothing, because no loop of the trace shows the cost", file);
  if (loop->incomplete > 0 && loop->obstacle != OBSTACLE_INCOMPLETE)
    fprintf(file, "; %" PRIu64 " of its %" PRIu64 " executions are incomplete and not used", loop->incomplete,
            loop->calls);
  fputc('.', file);
  if (fclose(file) == 0)
    return text;
  free(text);
  return NULL;
}
