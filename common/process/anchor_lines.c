#include "common/process/anchor_lines.h"

#include "base/count_of.h"
#include "common/process/process_dir.h"
#include "common/recorder/clock.h"

#include <stdatomic.h>

#define TRIES 5

/* Of long runs the anchors are further apart, so that there is an end to their number. */
#define APART_NS 100000000u
#define A_PACE   1024u

static struct {
  atomic_flag taken;            /* by the thread that writes one */
  atomic_uint_fast64_t next_ns; /* CLOCK_MONOTONIC: before, none is due */
  uint64_t count;
} written = {.taken = ATOMIC_FLAG_INIT};

void anchor_lines_begin(void)
{
  written.count = 0;
  atomic_store(&written.next_ns, 0);
  atomic_flag_clear(&written.taken);
}

void anchor_lines_add(struct text *text, int tries)
{
  struct clock_anchor anchor = clock_anchor_take(tries);
  const uint64_t numbers[] = {anchor.ticks, anchor.monotonic_ns, anchor.realtime_ns, anchor.width};
  text_add(text, "anchor: ");
  for (size_t i = 0; i < COUNT_OF(numbers); i++) {
    text_add(text, i == 0 ? "" : " ");
    text_add_number(text, numbers[i]);
  }
  text_add(text, "\n");
  clock_learn_rate(&anchor);
}

void anchor_lines_write_due(void)
{
  uint64_t now = clock_is_monotonic() ? 0 : clock_monotonic_ns();
  if (now <= atomic_load_explicit(&written.next_ns, memory_order_relaxed) || atomic_flag_test_and_set(&written.taken))
    return;
  char line[128];
  struct text text = TEXT_OVER(line);
  anchor_lines_add(&text, TRIES);
  process_dir_append(line, text.used);
  uint64_t pace = written.count++ / A_PACE;
  atomic_store(&written.next_ns, now + ((uint64_t)APART_NS << (pace < 16 ? pace : 16)));
  atomic_flag_clear(&written.taken);
}
