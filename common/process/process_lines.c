#include "common/process/process_lines.h"

#include "base/count_of.h"
#include "common/process/process_dir.h"
#include "common/recorder/clock.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

void lines_begin(struct lines *lines)
{
  lines->text = TEXT_OVER(lines->bytes);
  lines->error = 0;
}

static void lines_write(struct lines *lines)
{
  if (lines->text.used && !lines->error)
    lines->error = process_dir_append(lines->bytes, lines->text.used);
  lines->text.used = 0;
}

int lines_end(struct lines *lines)
{
  lines_write(lines);
  return lines->error;
}

void lines_reserve(struct lines *lines, size_t n)
{
  if (lines->text.used + n * 4 + 128 > sizeof lines->bytes)
    lines_write(lines);
}

#define ANCHOR_TRIES 5

/* In long runs the time between anchors grows, to limit their number. */
#define ANCHORS_APART_NS 100000000u
#define ANCHORS_A_PACE   1024u

static struct {
  atomic_flag taken;            /* a thread writes an anchor */
  atomic_uint_fast64_t next_ns; /* CLOCK_MONOTONIC: the next one is due */
  uint64_t count;
} anchors = {.taken = ATOMIC_FLAG_INIT};

void anchor_lines_begin(void)
{
  anchors.count = 0;
  atomic_store(&anchors.next_ns, 0);
  atomic_flag_clear(&anchors.taken);
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
  if (now <= atomic_load_explicit(&anchors.next_ns, memory_order_relaxed) || atomic_flag_test_and_set(&anchors.taken))
    return;
  char line[128];
  struct text text = TEXT_OVER(line);
  anchor_lines_add(&text, ANCHOR_TRIES);
  process_dir_append(line, text.used);
  uint64_t pace = anchors.count++ / ANCHORS_A_PACE;
  atomic_store(&anchors.next_ns, now + ((uint64_t)ANCHORS_APART_NS << (pace < 16 ? pace : 16)));
  atomic_flag_clear(&anchors.taken);
}

static int kept_names = -1; /* descriptor of the kept file */

void kept_names_hold(void)
{
  if (kept_names >= 0)
    close(kept_names);
  kept_names = process_dir_process();
}

static bool is_name(const char *line, size_t size)
{
  static const char *const names[] = {"place: ", "class: ", "field: ", "call: "};
  for (size_t i = 0; i < COUNT_OF(names); i++)
    if (size > strlen(names[i]) && memcmp(line, names[i], strlen(names[i])) == 0)
      return true;
  return false;
}

/* Moves the lines with names to the front. Returns their size; *rest: begin of the last line, which is incomplete. */
static size_t move_names(char *bytes, size_t size, size_t *rest)
{
  size_t chosen = 0, at = 0;
  const char *end;
  while ((end = memchr(bytes + at, '\n', size - at)) != NULL) {
    size_t n = (size_t)(end + 1 - (bytes + at));
    if (is_name(bytes + at, n)) {
      memmove(bytes + chosen, bytes + at, n);
      chosen += n;
    }
    at += n;
  }
  *rest = at;
  return chosen;
}

int kept_names_write(void)
{
  static char bytes[16384]; /* more than the longest line */
  size_t have = 0, rest;
  ssize_t n;
  int error = 0;
  while (kept_names >= 0 && !error && (n = read(kept_names, bytes + have, sizeof bytes - have)) > 0) {
    have += (size_t)n;
    size_t chosen = move_names(bytes, have, &rest);
    error = chosen ? process_dir_append(bytes, chosen) : 0;
    memmove(bytes, bytes + rest, have - rest);
    have -= rest;
  }
  if (kept_names >= 0)
    close(kept_names);
  kept_names = -1;
  return error;
}
