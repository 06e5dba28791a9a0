#include "tests/unit/analyzer/parts.h"
#include "tests/unit/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void put(FILE *out, const char *name, wide_total number)
{
  fprintf(out, " %s %" PRIx64 "%016" PRIx64, name, (uint64_t)(number >> 64), (uint64_t)number);
}

static void put_real(FILE *out, const char *name, double number)
{
  fprintf(out, " %s %a", name, number);
}

static void put_sums(FILE *out, const struct per_location *found)
{
  for (uint32_t i = 0; i < found->sums.locations; i++) {
    const struct states_thread *thread = &found->sums.threads[i];
    fprintf(out, "thread %u first %" PRIu64 " last %" PRIu64 " events %" PRIu64 " unmatched %" PRIu64, i, thread->first,
            thread->last, thread->events, thread->unmatched);
    for (unsigned state = 0; state < STATES; state++)
      put(out, state_key((enum state)state), thread->ticks[state]);
    fputc('\n', out);
  }
  for (uint32_t i = 0; i < found->sums.regions; i++) {
    struct estimate more = states_sums_more(&found->sums, i);
    put(out, "more", more.twice);
    fprintf(out, "%" PRIu64 " %a %a\n", more.omitted, more.variance, more.of_squares);
  }
  for (uint32_t i = 0; i <= found->sums.regions; i++) {
    const struct states_construct *construct = &found->sums.constructs[i];
    fprintf(out, "construct %u calls %" PRIu64, i, construct->calls);
    for (unsigned state = 0; state < STATES; state++)
      put(out, state_key((enum state)state), construct->ticks[state]);
    fputc('\n', out);
  }
}

static void put_census(FILE *out, const struct census *census)
{
  fprintf(out, "census first %" PRIu64 " last %" PRIu64 " threads %u events %" PRIu64 "\n", census->first, census->last,
          census->threads, census->events);
  for (unsigned i = 0; i < TRACE_KINDS; i++)
    fprintf(out, "kind %u %" PRIu64 "\n", i, census->kinds[i]);
  for (uint32_t i = 0; i < census->regions; i++)
    fprintf(out, "enters %u %" PRIu64 "\n", i, census->enters[i]);
}

static FILE *open_text(char **text, size_t *size)
{
  FILE *out = open_memstream(text, size);
  assert_non_null(out);
  return out;
}

char *per_location_text(struct per_location *found)
{
  char *text;
  size_t size;
  FILE *out = open_text(&text, &size);
  put_census(out, &found->census);
  put_sums(out, found);
  for (uint32_t i = 0; found->omitted.constructs && i < found->omitted.regions; i++) {
    const struct omitted_construct *omitted = &found->omitted.constructs[i];
    fprintf(out, "omitted %u instances %" PRIu64 " joined %" PRIu64 " chunks %" PRIu64, i, omitted->instances,
            omitted->joined, omitted->chunks);
    put(out, "time", omitted->time);
    fprintf(out, "executions %" PRIu64 " recorded %" PRIu64 "\n", omitted->executions, omitted->recorded);
    fputc('\n', out);
  }
  fclose(out);
  analysis_free(&census_analysis, &found->census);
  states_sums_free(&found->sums);
  analysis_free(&omitted_analysis, &found->omitted);
  return text;
}

static void put_construct(FILE *out, const struct imbalance_construct *construct)
{
  fprintf(out, " calls %" PRIu64 " incomplete %" PRIu64 " threads %u parallel %u", construct->calls,
          construct->incomplete, construct->threads, construct->parallel);
  put(out, "elapsed", construct->elapsed);
  put(out, "busy", construct->busy);
  put(out, "capacity", construct->capacity);
  put(out, "busy_max", construct->busy_max);
  put(out, "busy_min", construct->busy_min);
  put(out, "busy_mean", construct->busy_mean.parts);
  put(out, "imbalance", construct->imbalance.parts);
  put(out, "imbalance_scaled", construct->imbalance_scaled.parts);
  put(out, "lost", construct->lost.parts);
  put(out, "to_win", construct->to_win.parts);
  put(out, "lost_capacity", construct->lost_capacity.parts);
  put(out, "overhead", construct->overhead.parts);
  put(out, "late", construct->late);
  put(out, "wait", construct->wait);
  put(out, "chunks", construct->chunks);
  put(out, "iterations", construct->iterations);
  put(out, "uneven", construct->parts.uneven.parts);
  put(out, "late part", construct->parts.late.parts);
  put(out, "overhead part", construct->parts.overhead.parts);
  put(out, "locked part", construct->parts.locked.parts);
  put(out, "starved", construct->parts.starved.parts);
  put(out, "locked", construct->locked);
  put(out, "tasks", construct->tasks);
  put(out, "dependent", construct->dependent);
  fputc('\n', out);
}

static void put_lengths(FILE *out, const struct lengths *lengths)
{
  fprintf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64, lengths->count, lengths->min, lengths->max);
  put(out, "total", lengths->total);
  put(out, "squares", lengths->squares);
  for (unsigned i = 0; lengths->buckets && i < LENGTHS_BUCKETS; i++) {
    if (lengths->buckets[i])
      fprintf(out, " %u:%" PRIu64, i, lengths->buckets[i]);
  }
}

static void put_course(FILE *out, const struct imbalance_course *course)
{
  const struct course_call *worst = &course->worst;
  fprintf(out, " worst %" PRIu64 " %" PRIu64 " %" PRIu64, worst->begin, worst->elapsed, worst->imbalance);
  put_lengths(out, &course->elapsed);
  put_lengths(out, &course->imbalance);
  for (unsigned i = 0; i < COURSE_PARTS; i++) {
    fprintf(out, " part %" PRIu64, course->parts[i].calls);
    put(out, "busy", course->parts[i].busy_max);
    put(out, "scaled", course->parts[i].scaled.parts);
  }
  fputc('\n', out);
}

static void put_imbalance(FILE *out, const struct imbalance *imbalance)
{
  put(out, "lifetimes", imbalance->lifetimes);
  put(out, "unmeasured", imbalance->not_measured);
  fputc('\n', out);
  for (uint32_t i = 0; i < imbalance->locations; i++)
    fprintf(out, "alone %u: %" PRIu64 "\n", i, imbalance->alone[i]);
  for (uint32_t i = 0; i < imbalance->count; i++) {
    const struct imbalance_construct *construct = &imbalance->constructs[i];
    fprintf(out, "imbalance %u", i);
    put_construct(out, construct);
    if (construct->course)
      put_course(out, construct->course);
    for (uint32_t k = 0; construct->by_thread && k < imbalance->locations; k++) {
      const struct imbalance_thread *thread = &construct->by_thread[k];
      fprintf(out, "imbalance %u of thread %u: %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, i, k, thread->calls,
              thread->busy, thread->wait, thread->waited_for);
      fprintf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64, thread->last, thread->chunks, thread->iterations);
      put(out, "lost as forker", thread->lost_as_forker.parts);
      fputc('\n', out);
    }
  }
  for (size_t i = 0; i < imbalance->waits.count; i++) {
    const struct imbalance_wait *wait = &imbalance->waits.items[i];
    fprintf(out, "wait at %u of %u for %u: %" PRIu64 " times %" PRIu64 "\n", wait->region, wait->waiter, wait->last,
            wait->count, wait->ticks);
  }
}

static void put_lock_sums(FILE *out, const struct lock_sums *sums)
{
  fprintf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, sums->acquisitions, sums->waits, sums->wait,
          sums->wait_max);
  fprintf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", sums->held, sums->held_seen, sums->holds,
          sums->caused);
  for (unsigned i = 0; i < LOCK_FIGURES; i++) {
    put(out, "more", sums->more[i].twice);
    fprintf(out, "%" PRIu64 " %a %a\n", sums->more[i].omitted, sums->more[i].variance, sums->more[i].of_squares);
  }
}

static void put_parties(FILE *out, const char *what, const struct lock_parties *parties)
{
  for (size_t i = 0; i < parties->count; i++) {
    fprintf(out, "%s %u of lock %u:", what, parties->list[i].who, parties->list[i].lock);
    put_lock_sums(out, &parties->list[i].sums);
  }
}

static void put_locks(FILE *out, const struct locks *locks)
{
  put(out, "locks' wait", locks->wait);
  put(out, "lifetimes", locks->lifetimes);
  fputc('\n', out);
  for (size_t i = 0; i < locks->count; i++) {
    const struct lock *lock = &locks->list[i];
    fprintf(out, "lock %zu kind %u process %u class %s number %" PRIu64 " met %" PRIu64 ":", i, lock->kind,
            lock->process, lock->class_name, lock->number, lock->met);
    put_lock_sums(out, &lock->sums);
  }
  put_parties(out, "party", &locks->threads);
  put_parties(out, "place", &locks->places);
}

static void put_team(FILE *out, const struct schedule_team *team)
{
  fprintf(out, "team of %u: best %u verdict %u", team->threads, team->best, team->verdict);
  put_real(out, "gain", team->gain);
  put_real(out, "low", team->gain_low);
  put_real(out, "high", team->gain_high);
  for (uint32_t i = 0; i < team->count; i++) {
    const struct schedule_candidate *candidate = &team->candidates[i];
    fprintf(out, " %u,%" PRIu64 " %a %a %a", candidate->plan.kind, candidate->plan.chunk, candidate->ticks,
            candidate->least, candidate->most);
  }
  fputc('\n', out);
}

static void put_schedules(FILE *out, const struct schedules *schedules)
{
  for (uint32_t i = 0; i < schedules->count; i++) {
    const struct schedule_loop *loop = &schedules->loops[i];
    fprintf(out, "loop %u calls %" PRIu64 " incomplete %" PRIu64 " sampled %u chunks %" PRIu64 " threads %u",
            loop->region, loop->calls, loop->incomplete, loop->sampled, loop->chunks, loop->threads);
    fprintf(out, " plan %u,%" PRIu64 " runtime %u obstacle %u suggested %" PRIu64 " from %u", loop->recorded.kind,
            loop->recorded.chunk, loop->runtime, loop->obstacle, loop->suggested, loop->overhead_from);
    put(out, "ticks", loop->ticks);
    put(out, "ideal", loop->ideal.parts);
    put(out, "iterations", loop->iterations);
    put_real(out, "overhead", loop->overhead);
    put_real(out, "error", loop->error);
    fputc('\n', out);
    for (uint32_t k = 0; k < loop->team_count; k++)
      put_team(out, &loop->teams[k]);
  }
}

static void put_teamwork(FILE *out, struct teamwork *teamwork)
{
  arrows_sort(&teamwork->arrows);
  for (unsigned kind = 0; kind < ARROW_KINDS; kind++) {
    const struct arrow_heap *heap = &teamwork->arrows.kinds[kind];
    fprintf(out, "arrows %u omitted %" PRIu64 "\n", kind, heap->beyond_limit);
    for (uint32_t i = 0; i < heap->count; i++)
      fprintf(out, "arrow from %u at %" PRIu64 " to %u at %" PRIu64 " region %u weight %" PRIu64 "\n",
              heap->list[i].from, heap->list[i].from_time, heap->list[i].to, heap->list[i].time, heap->list[i].region,
              heap->list[i].weight);
  }
  for (uint32_t i = 0; i < teamwork->regions; i++) {
    const struct chunk_map *map = &teamwork->chunks[i];
    fprintf(out, "chunks %u: %" PRIu64 " to %" PRIu64 " iterations %" PRIu64 " omitted %" PRIu64 "\n", i,
            map->chunks.count ? map->begin : 0, map->chunks.count ? map->end : 0,
            map->chunks.count ? map->iterations : 0, map->beyond_limit);
    for (uint32_t k = 0; k < map->chunks.count; k++)
      fprintf(out, "chunk %u %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRIu64 "\n", map->chunks.items[k].location,
              map->chunks.items[k].begin, map->chunks.items[k].end, map->chunks.items[k].first,
              map->chunks.items[k].iterations);
  }
}

char *in_order_text(struct in_order *found)
{
  struct schedules schedules;
  struct error error;
  char *text;
  size_t size;
  FILE *out = open_text(&text, &size);
  put_imbalance(out, &found->imbalance);
  put_locks(out, &found->locks);
  assert_true(running_analysis_end(&found->schedules, &schedules, &error));
  put_schedules(out, &schedules);
  put_teamwork(out, &found->teamwork);
  fclose(out);
  analysis_free(&imbalance_analysis, &found->imbalance);
  analysis_free(&locks_analysis, &found->locks);
  analysis_free(&schedules_analysis, &schedules);
  analysis_free(&teamwork_analysis, &found->teamwork);
  return text;
}
