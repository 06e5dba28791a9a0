#include "analyzer/analyses/states/states_off.h"

#include "base/count_of.h"

/* RUN is only of readings: where context switches are known, it is READY or OFF. */
static const struct {
  enum state first, last;
  const char *key, *title;
} states_off_waits[] = {{STATE_RUN, STATE_RUN, "run", "RUN"},
                        {STATE_SYNCH_FIRST, STATE_SYNCH_LAST, "synch", "SYNCH"},
                        {STATE_BLOCKED_FIRST, STATE_BLOCKED_LAST, "blocked", "BLOCKED"},
                        {STATE_IDLE, STATE_IDLE, "idle", "IDLE"},
                        {STATE_OVERHEAD, STATE_OVERHEAD, "overhead", "OVERHEAD"},
                        {STATE_SPIN, STATE_SPIN, "spin", "SPIN"},
                        {STATE_GC, STATE_GC, "gc", "GC"}}; /* SYNCH: and that of POSIX threads */
#define WAITS COUNT_OF(states_off_waits)

static wide_total states_off_sum_of(const wide_total *ticks, size_t wait)
{
  wide_total sum = 0;
  for (unsigned i = states_off_waits[wait].first; i <= states_off_waits[wait].last; i++)
    sum += ticks[i];
  for (unsigned i = STATE_PTHREAD_FIRST; states_off_waits[wait].first == STATE_SYNCH_FIRST && i <= STATE_PTHREAD_LAST;
       i++)
    sum += ticks[i];
  return sum;
}

static void states_off_put_row(const struct analysis_run *run, const bool *wanted, const struct states_thread *thread,
                               uint32_t location)
{
  struct print_cell cells[3 + WAITS];
  struct print_cell *cell = cells;
  bool all = location == TRACE_NONE;
  *cell++ = all ? print_none() : print_number(location);
  *cell++ = print_string(all ? "all threads" : run->trace->locations[location].name);
  for (size_t i = 0; i < WAITS; i++)
    if (wanted[i])
      *cell++ = print_share(states_off_sum_of(thread->off, i), states_off_sum_of(thread->ticks, i));
  if (readings_exist(run->trace))
    *cell++ = print_share(thread->run_queue, states_measured(thread->ticks));
  print_row(run->print, cells);
}

static struct states_thread add_all(const struct states_sums *sums, uint32_t count)
{
  struct states_thread all = {.alive = true};
  for (uint32_t i = 0; i < count; i++) {
    all.run_queue += sums->threads[i].run_queue;
    for (unsigned state = 0; state < STATES; state++) {
      all.ticks[state] += sums->threads[i].ticks[state];
      all.off[state] += sums->threads[i].off[state];
    }
  }
  return all;
}

void states_off_put(const struct analysis_run *run, const struct states_sums *sums)
{
  struct print_column columns[3 + WAITS] = {{"location", "No.", PRINT_NUMBER, false},
                                            {"thread", "Thread", PRINT_STRING, false}};
  uint32_t count = run->trace->location_count;
  struct states_thread all = add_all(sums, count);
  bool wanted[WAITS];
  size_t column = 2;
  for (size_t i = 0; i < WAITS; i++) {
    wanted[i] = states_off_sum_of(all.off, i) > 0;
    if (wanted[i])
      columns[column++] = (struct print_column){states_off_waits[i].key, states_off_waits[i].title, PRINT_SHARE, false};
  }
  if (column == 2)
    return;
  if (readings_exist(run->trace))
    columns[column++] = (struct print_column){"run_queue", "Run queue", PRINT_SHARE, false};
  print_table(run->print, "off_processor", "Without a processor, of the time in each state", columns, column, false);
  for (uint32_t i = 0; i < count; i++)
    if (sums->threads[i].alive)
      states_off_put_row(run, wanted, &sums->threads[i], i);
  states_off_put_row(run, wanted, &all, TRACE_NONE);
  print_table_end(run->print);
  if (readings_exist(run->trace))
    print_sentence(
        run->print, "off_processor_from",
        "Without a processor: sums that the threads read themselves, because context switches were not recorded. "
        "They are shared out among the waits and work around each reading. Run queue: the thread could run.");
}
