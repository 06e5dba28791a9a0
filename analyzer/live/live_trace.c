#include "analyzer/live/live_trace.h"

#include "analyzer/record/live_commands.h"
#include "common/raw/live_control.h"

static bool choose_construct(const struct live *live, struct live_requests *requests, uint32_t region,
                             struct error *error)
{
  uint64_t codes[LIVE_CODES];
  size_t known, count = 0;
  const struct live_code *all = live_codes(live, &known);
  for (size_t i = 0; i < known && count <= LIVE_CODES; i++) {
    if (all[i].region != region)
      continue;
    if (count == LIVE_CODES)
      return error_set(error, "the program executes this construct at too many addresses: at most %u", LIVE_CODES);
    codes[count++] = all[i].code;
  }
  live_requests_choose_codes(requests, codes, count);
  return count > 0 || error_set(error, "this construct has no place in the program: it can't be traced alone");
}

static bool choose_thread(struct live_requests *requests, uint32_t location, const struct live_reading *now,
                          struct error *error)
{
  uint64_t number = now->trace->locations[location].ref;
  if (now->threads[location].over)
    return error_set(error, "this thread has ended");
  if (number >= LIVE_THREADS)
    return error_set(error, "threads behind the first %u can't be traced alone", LIVE_THREADS);
  live_requests_choose(requests, &number, 1);
  return true;
}

bool live_trace_begin(const struct live *live, struct live_requests *requests, const struct live_focus *what,
                      const struct live_reading *now, struct error *error)
{
  uint32_t state, chosen = 0;
  if (live_requests_state(requests) & LIVE_TRACES)
    return error_set(error, "the program is traced already: `heddle stop %ld` ends that", requests->pid);
  if (what->region != TRACE_NONE) {
    if (!choose_construct(live, requests, what->region, error))
      return false;
    chosen |= LIVE_TRACE_CODES;
  }
  if (what->location != TRACE_NONE) {
    if (!choose_thread(requests, what->location, now, error))
      return false;
    chosen |= LIVE_TRACE_CHOSEN;
  }
  if (live_requests_ask(requests, start_operations(requests, true) | chosen, &state, error))
    return true;
  live_trace_end(requests, error); /* or it would begin when the process continues, unnoticed */
  return error_set(error, "process %ld does not answer: it is not traced", requests->pid);
}

bool live_trace_end(struct live_requests *requests, struct error *error)
{
  uint32_t state;
  return live_requests_ask(requests, start_operations(requests, false), &state, error);
}
