#include "otf2-convert/convert.h"

#include "base/pool.h"
#include "otf2-convert/messages.h"
#include "otf2-convert/samples/samples.h"
#include "otf2-convert/samples/stacks.h"
#include "otf2-convert/scan/counters.h"
#include "otf2-convert/scan/scan.h"
#include "otf2-convert/scan/switches.h"

#include <errno.h>
#include <string.h>

#define JOBS_MAX        256u
#define FILES_KEPT_OPEN 256u /* locations; with more, a log is open only while it is read */

enum pass { PASS_SCAN, PASS_CONVERT, PASS_FINISH };

struct run {
  struct converted *converted;
  struct plan *plan;
  struct conversion conversion;
  struct threads threads;
  struct switches switches;
  struct lock_source *lock_sources;
  uint64_t *process_last; /* the last time seen of each process */
  struct worker *workers; /* one of the pool's */
  struct pool *pool;
  /* The pass that is going on. */
  enum pass pass;
  uint64_t until;
  uint32_t slice;
  atomic_int error;
};

/* Frees what an ended location no longer needs: a program may have many short threads, but few at once. */
static void release_over(struct location *location)
{
  timeline_free(location->timeline);
  location->timeline = NULL;
  location->off.count = 0;
  vector_free(&location->acquired[0]);
  vector_free(&location->acquired[1]);
  if (location->region_notes.count == 0)
    vector_free(&location->region_notes);
  if (location->member_notes.count == 0)
    vector_free(&location->member_notes);
  if (location->lock_notes.count == 0)
    vector_free(&location->lock_notes);
  if (location->thread_notes.count == 0)
    vector_free(&location->thread_notes);
  vector_free(&location->off);
  vector_free(&location->scan.teams);
}

/* Converts a slice of a location, or finishes it. The timeline exists from the location's first record to its end. */
static int convert_location(struct run *run, struct worker *worker, struct location *location)
{
  int error = 0;
  if (location->over)
    location->off.count = 0;
  if (location->over || !location->facts.any)
    return 0;
  if (location->timeline == NULL && (location->timeline = timeline_new(&run->conversion, location)) == NULL)
    return ENOMEM;
  if (run->pass == PASS_CONVERT)
    error = timeline_slice(location->timeline, worker, run->until, run->slice);
  else
    error = timeline_finish(location->timeline, worker, run->process_last[location->process->index]);
  if (location->over)
    release_over(location);
  return error;
}

static int work_on(struct run *run, struct worker *worker, struct location *location)
{
  int error = 0;
  if (run->pass == PASS_SCAN)
    error = scan_slice(location, run->until, worker->buffer);
  else
    error = convert_location(run, worker, location);
  if (run->converted->location_count > FILES_KEPT_OPEN)
    raw_log_rest(location->log);
  return error;
}

static bool work_on_item(void *context, unsigned worker, uint32_t item)
{
  struct run *run = context;
  if (archive_failed(run->conversion.archive))
    return false;
  int error = work_on(run, &run->workers[worker], &run->converted->locations[item]);
  if (error != 0)
    atomic_store(&run->error, error);
  return error == 0;
}

/* Does a pass over all locations; returns when it is done. */
static int do_pass(struct run *run, enum pass pass, uint64_t until, uint32_t slice)
{
  run->pass = pass;
  run->until = until;
  run->slice = slice;
  pool_run(run->pool, run->converted->location_count, work_on_item, run);
  return atomic_load(&run->error);
}

static uint32_t convert_name_of(void *definitions, const char *text)
{
  return definitions_string(definitions, text);
}

/* Pauses go to their processes; true unless memory is short. */
static bool merge_pauses(struct run *run)
{
  struct converted *converted = run->converted;
  bool good = true;
  for (uint32_t i = 0; i < converted->location_count && good;) {
    struct gc_pauses *pauses = &converted->pauses[converted->locations[i].process->index];
    uint32_t process = converted->locations[i].process->index;
    uint64_t first = gc_pauses_end(pauses);
    for (; i < converted->location_count && converted->locations[i].process->index == process; i++)
      good = good && gc_pauses_add(pauses, &converted->locations[i].pause_notes);
    gc_pauses_sort(pauses, first);
    uint64_t until = run->until == UINT64_MAX ? run->process_last[process] : run->until;
    good = good && gc_pauses_add_safepoints(pauses, &converted->jvm_logs[process], until, convert_name_of,
                                            run->conversion.definitions);
    gc_pauses_sort(pauses, first);
  }
  return good;
}

static void find_last_times(struct run *run)
{
  struct converted *converted = run->converted;
  bool any = false;
  for (uint32_t i = 0; i < run->plan->processes.count; i++) {
    const struct process *process = &run->plan->processes.items[i];
    if (process->info.ended)
      run->process_last[i] = process_time(process, process->info.ended_ticks);
    else if (process->info.exit_ns != 0)
      run->process_last[i] = process_time_of_ns(process, process->info.exit_ns);
  }
  converted->first_time = UINT64_MAX;
  for (uint32_t i = 0; i < converted->location_count; i++) {
    const struct location *location = &converted->locations[i];
    if (!location->facts.any)
      continue;
    any = true;
    if (location->facts.last_time > run->process_last[location->process->index])
      run->process_last[location->process->index] = location->facts.last_time;
    if (location->facts.first_time < converted->first_time)
      converted->first_time = location->facts.first_time;
  }
  for (uint32_t i = 0; i < run->plan->processes.count; i++) {
    const struct process *process = &run->plan->processes.items[i];
    uint64_t begin = process_time(process, process->info.first.ticks);
    if (process->info.anchors > 0 && begin < converted->first_time)
      converted->first_time = begin;
    if (run->process_last[i] > converted->last_time)
      converted->last_time = run->process_last[i];
  }
  if (converted->last_time < converted->first_time)
    converted->last_time = any ? converted->first_time : (converted->first_time = 0);
}

/* Puts together what the scan of a slice found. */
static bool merge_notes(struct run *run, uint32_t slice)
{
  struct converted *converted = run->converted;
  struct teams *teams = &converted->teams;
  bool good = true;
  for (uint32_t i = 0; i < converted->location_count; i++) {
    struct location *location = &converted->locations[i];
    for (size_t k = 0; k < location->region_notes.count && good; k++) {
      struct team_note note = location->region_notes.items[k];
      good = teams_add_region(teams, team_key(location->process->index, note.id), note.value & RAW_VALUE_MASK,
                              note.value >> RAW_VALUE_BITS != 0);
    }
    location->region_notes.count = 0;
  }
  for (uint32_t i = 0; i < converted->location_count; i++) {
    struct location *location = &converted->locations[i];
    for (size_t k = 0; k < location->member_notes.count && good; k++) {
      struct team_note note = location->member_notes.items[k];
      uint64_t key = team_key(location->process->index, note.id);
      struct member member = {.index = (uint32_t)(note.value >> 32), .location = location->number};
      if (note.kind == NOTE_ARRIVAL)
        teams_add_arrival(teams, key, note.value);
      else
        good = teams_add_member(teams, key, (uint32_t)note.value, member, slice);
    }
    location->member_notes.count = 0;
    location->acquired[slice & 1].count = 0;
    run->lock_sources[i].result = &location->acquired[slice & 1];
  }
  good = good && lock_table_merge(&converted->locks, run->lock_sources, converted->location_count) &&
         threads_merge(&run->threads, converted->locations, converted->location_count);
  for (uint32_t i = 0; i < converted->location_count; i++)
    converted->locations[i].lock_notes.count = 0;
  bool is_last = run->until == UINT64_MAX; /* all records are scanned */
  if (is_last)
    find_last_times(run);
  good = good && merge_pauses(run) &&
         sample_archive_ask_waits(&converted->samples, converted->locations, converted->location_count) &&
         switches_until(&run->switches, converted->locations, converted->location_count, run->until,
                        is_last ? converted->last_time : run->until) &&
         java_samples_rest(&converted->samples, converted->locations, converted->location_count);
  for (uint32_t i = 0; good && i < converted->location_count; i++)
    good = sample_archive_take_waits(&converted->samples, &converted->locations[i], UINT64_MAX);
  return good;
}

/* Lets go of what the conversion of a slice was the last to need. */
static void release_done(struct run *run)
{
  for (uint32_t i = 0; i < run->converted->location_count; i++) {
    struct location *location = &run->converted->locations[i];
    for (size_t k = 0; k < location->regions_done.count; k++)
      teams_release(&run->converted->teams, team_key(location->process->index, location->regions_done.items[k]));
    location->regions_done.count = 0;
    for (size_t k = 0; k < location->pages_done.count; k++)
      task_table_free_page(location->tasks, location->pages_done.items[k]);
    location->pages_done.count = 0;
  }
}

static int convert_slice(struct run *run, uint64_t until, uint32_t slice)
{
  if (!teams_settle(&run->converted->teams, slice))
    return ENOMEM;
  int error = do_pass(run, PASS_CONVERT, until, slice);
  release_done(run);
  for (uint32_t i = 0; i < run->plan->processes.count; i++)
    gc_pauses_drop(&run->converted->pauses[i], until);
  return error;
}

static int convert_slices(struct run *run, const struct convert_settings *settings)
{
  struct converted *converted = run->converted;
  struct slicer slicer;
  uint64_t total = 0, before = 0, wanted = 0;
  uint32_t slice = 0;
  int error = slicer_begin(&slicer, converted->locations, converted->location_count) ? 0 : ENOMEM;
  for (uint32_t i = 0; i < converted->location_count; i++)
    total += converted->locations[i].log->bytes;
  while (error == 0 && before != UINT64_MAX && !archive_failed(run->conversion.archive)) {
    if (before >= wanted)
      wanted = slicer_next(&slicer, settings->slice_bytes);
    uint64_t limit = switches_limit(&run->switches, converted->locations, converted->location_count);
    uint64_t until = limit > before && limit < wanted ? limit : wanted;
    error = do_pass(run, PASS_SCAN, until, slice);
    if (error == 0 && !merge_notes(run, slice))
      error = ENOMEM;
    if (error == 0 && slice > 0)
      error = convert_slice(run, before, slice - 1);
    if (settings->progress != NULL)
      settings->progress(slicer.done, total);
    before = until;
    slice++;
    if (until == UINT64_MAX && error == 0)
      error = convert_slice(run, until, slice - 1);
  }
  slicer_end(&slicer);
  return error;
}

static int make_locations(struct run *run)
{
  struct converted *converted = run->converted;
  converted->locations = calloc((size_t)run->plan->location_count + 1, sizeof *converted->locations);
  converted->tasks = calloc(run->plan->processes.count, sizeof *converted->tasks);
  converted->pauses = calloc(run->plan->processes.count, sizeof *converted->pauses);
  converted->jvm_logs = calloc(run->plan->processes.count, sizeof *converted->jvm_logs);
  converted->process_count = run->plan->processes.count;
  run->lock_sources = calloc((size_t)run->plan->location_count + 1, sizeof *run->lock_sources);
  run->process_last = calloc(run->plan->processes.count, sizeof *run->process_last);
  if (converted->locations == NULL || converted->tasks == NULL || converted->pauses == NULL ||
      converted->jvm_logs == NULL || run->lock_sources == NULL || run->process_last == NULL)
    return ENOMEM;
  for (uint32_t p = 0; p < run->plan->processes.count; p++) {
    struct process *process = &run->plan->processes.items[p];
    converted->tasks[p].page_count = &converted->task_pages;
    if (!jvm_log_of(&converted->jvm_logs[p], process))
      return ENOMEM;
    if (converted->jvm_logs[p].cut)
      message_note(
          "raw/%s: the JVM's own log lost its begin: early safepoints and allocation stalls may be missing, and their "
          "time is RUN",
          process->directory);
    for (uint32_t i = 0; i < process->raw.log_count; i++) {
      uint32_t number = converted->location_count++;
      struct location *location = &converted->locations[number];
      location->number = number;
      location->process = process;
      location->tasks = &converted->tasks[p];
      location->log = &process->raw.logs[i];
      location->facts.first_index = UINT32_MAX;
      run->lock_sources[number] = (struct lock_source){.process = p, .notes = &location->lock_notes};
    }
  }
  return 0;
}

/* No more than there are locations. */
static int make_workers(struct run *run, unsigned jobs)
{
  if (jobs > run->converted->location_count)
    jobs = run->converted->location_count;
  run->pool = pool_create(jobs < 1 ? 1 : jobs > JOBS_MAX ? JOBS_MAX : jobs);
  if (run->pool == NULL)
    return ENOMEM;
  unsigned count = pool_workers(run->pool);
  run->workers = calloc(count, sizeof *run->workers);
  if (run->workers == NULL)
    return ENOMEM;
  for (unsigned i = 0; i < count; i++) {
    region_cache_clear(&run->workers[i].regions);
    if ((run->workers[i].attributes = OTF2_AttributeList_New()) == NULL)
      return ENOMEM;
  }
  return 0;
}

static void end_workers(struct run *run)
{
  for (unsigned i = 0; run->workers != NULL && i < pool_workers(run->pool); i++)
    if (run->workers[i].attributes != NULL)
      OTF2_AttributeList_Delete(run->workers[i].attributes);
  free(run->workers);
  pool_destroy(run->pool);
}

static void convert_add_counts(struct converted *converted)
{
  for (uint32_t i = 0; i < converted->location_count; i++) {
    struct timeline_counts counts = converted->locations[i].counts;
    converted->counts.chunks_derived += counts.chunks_derived;
    converted->counts.sinks_not_measured += counts.sinks_not_measured;
    converted->counts.sinks_at_most += counts.sinks_at_most;
    converted->counts.chunks_summed += counts.chunks_summed;
    converted->counts.omitted_by_weight += counts.omitted_by_weight;
    converted->counts.instances_omitted += counts.instances_omitted;
    converted->counts.ends_corrected += counts.ends_corrected;
    converted->counts.ends_forced += counts.ends_forced;
    converted->counts.ends_unmatched += counts.ends_unmatched;
    converted->counts.readings += counts.readings;
    converted->counts.counters += counts.counters;
    converted->counts.user_not_left += counts.user_not_left;
    converted->counts.user_unmatched += counts.user_unmatched;
  }
}

static int convert_calls(struct converted *converted, const struct plan *plan)
{
  struct calls_span span = {converted->first_time, converted->last_time};
  int error = calls_archive_convert(&converted->calls, plan, converted->locations, converted->location_count, &span);
  converted->last_time = span.last;
  return error;
}

int convert_events(struct converted *converted, struct plan *plan, struct archive *archive,
                   struct definitions *definitions, const struct convert_settings *settings)
{
  struct run run = {.converted = converted, .plan = plan};
  *converted = (struct converted){0};
  run.conversion = (struct conversion){.archive = archive,
                                       .definitions = definitions,
                                       .teams = &converted->teams,
                                       .locks = &converted->locks,
                                       .threads = &run.threads};
  counter_classes(plan);
  int error = make_locations(&run);
  processor_lines_begin(&converted->processors, &run.conversion, plan->location_count);
  sample_archive_begin(&converted->samples, archive, definitions);
  calls_archive_begin(&converted->calls, archive);
  const struct switches into = {
      .calls = &definitions->calls, .lines = &converted->processors, .samples = &converted->samples};
  if (error == 0 && !java_samples_open(&converted->samples, plan, converted->location_count))
    error = ENOMEM;
  if (error == 0 && !switches_open(&run.switches, settings->trace_fd, &into))
    error = ENOMEM;
  if (error == 0)
    error = make_workers(&run, settings->jobs);
  run.conversion.pauses = converted->pauses;
  run.conversion.jvm_logs = converted->jvm_logs;
  if (error == 0)
    error = convert_slices(&run, settings);
  if (error == 0) {
    sample_archive_end(&converted->samples, converted->locations, converted->location_count);
    converted->last_time = processor_lines_end(&converted->processors, converted->last_time);
    error = do_pass(&run, PASS_FINISH, 0, 0);
    convert_add_counts(converted);
  }
  if (error == 0)
    error = convert_calls(converted, plan);
  end_workers(&run);
  converted->switches = switches_are_known(&run.switches) ? run.switches.count : SWITCHES_UNKNOWN;
  converted->switches_lost = run.switches.lost;
  converted->switches_cost = run.switches.cost;
  switches_close(&run.switches);
  free(run.process_last);
  free(run.lock_sources);
  threads_free(&run.threads);
  if (error == 0 && archive_failed(archive))
    error = atomic_load(&archive->failure);
  return error == 0 && atomic_load(&definitions->out_of_memory) ? ENOMEM : error;
}

void converted_free(struct converted *converted)
{
  processor_lines_free(&converted->processors);
  sample_archive_free(&converted->samples);
  calls_archive_free(&converted->calls);
  for (uint32_t i = 0; i < converted->location_count; i++) {
    struct location *location = &converted->locations[i];
    timeline_free(location->timeline);
    vector_free(&location->region_notes);
    vector_free(&location->member_notes);
    vector_free(&location->lock_notes);
    vector_free(&location->thread_notes);
    vector_free(&location->pause_notes);
    vector_free(&location->sample_notes);
    stack_notes_free(location);
    vector_free(&location->off);
    free(location->facts.java_name);
    free(location->facts.user_name);
    free(location->facts.bound_to);
    free(location->facts.java_group);
    free(location->facts.java_class);
    vector_free(&location->acquired[0]);
    vector_free(&location->acquired[1]);
    vector_free(&location->regions_done);
    vector_free(&location->pages_done);
    vector_free(&location->scan.teams);
  }
  if (converted->tasks != NULL)
    for (uint32_t i = 0; i < converted->location_count; i++)
      if (i == 0 || converted->locations[i].tasks != converted->locations[i - 1].tasks)
        task_table_free(converted->locations[i].tasks);
  for (uint32_t i = 0; converted->pauses != NULL && i < converted->process_count; i++)
    vector_free(&converted->pauses[i].list);
  for (uint32_t i = 0; converted->jvm_logs != NULL && i < converted->process_count; i++)
    jvm_log_free(&converted->jvm_logs[i]);
  free(converted->jvm_logs);
  free(converted->pauses);
  free(converted->tasks);
  free(converted->locations);
  teams_free(&converted->teams);
  lock_table_free(&converted->locks);
}
