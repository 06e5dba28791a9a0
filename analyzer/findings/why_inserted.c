#include "analyzer/findings/why_inserted.h"

#include "analyzer/record/launch/live_request.h"
#include "base/count_of.h"

#include <time.h>

static uint64_t why_inserted_now_ns(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

bool why_inserted_add(struct why_inserted *inserted, const char *when, unsigned on)
{
  struct why_inserted_step step = {when, on, why_inserted_now_ns(), why_inserted_now_ns()};
  if (inserted->steps.count > 0)
    inserted->steps.items[inserted->steps.count - 1].end_ns = step.begin_ns;
  return vector_push(&inserted->steps, step);
}

void why_inserted_put(const struct analysis_run *run, const struct why_inserted *inserted)
{
  static const struct print_column columns[] = {{"when", "Inserted", PRINT_STRING, false},
                                                {"sums", "Sums", PRINT_STRING, false},
                                                {"events", "Events", PRINT_STRING, false},
                                                {"seconds", "Seconds", PRINT_REAL, false}};
  print_table(run->print, "inserted", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < inserted->steps.count; i++) {
    const struct why_inserted_step *step = &inserted->steps.items[i];
    double seconds = (double)(step->end_ns - step->begin_ns) / 1e9;
    struct print_cell cells[] = {print_string(step->when), print_string(step->on & INSERT_SUMS ? "on" : "off"),
                                 print_string(step->on & INSERT_EVENTS ? "on" : "off"),
                                 step->end_ns > step->begin_ns ? print_real(seconds) : print_none()};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}
