/*
 * Transforms of random sequences, compared with the definitions carried out on arrays, the simplest way there is.
 * Further: occupancies add up to the duration, records are conserved in what aggregates stand for, and reading again
 * gives the same.
 */
#include "analyzer/models/transforms/transforms.h"
#include "tests/unit/unit.h"

#include "tests/unit/analyzer/sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS_MAX = 12000, NAME_SIZE = 16, PATTERN_MAX = 6 };

struct item {
  uint64_t entry;
  char name[NAME_SIZE]; /* basic ones are letters, aggregates have numbers in their names */
};

struct plain {
  struct item items[RECORDS_MAX];
  size_t count;
  uint64_t end;
  char terminal[NAME_SIZE]; /* "?": unknown */
  int filters, patterns;
};

static uint64_t seed;

static unsigned draw(unsigned below)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)((seed >> 33) % below);
}

/* Letters with durations, as sequence_letters() takes them. */
static void draw_letters(char *text, char *terminal)
{
  unsigned length = draw(20) == 0 ? 4000 + draw(RECORDS_MAX - 4000) : draw(4) == 0 ? draw(4) : draw(60);
  unsigned letters = 1 + draw(5);
  for (; length > 0; length--) {
    *text++ = (char)('A' + draw(letters));
    if (draw(2))
      *text++ = (char)('0' + draw(10)); /* zero-length ones, too */
  }
  *text = '\0';
  *terminal = draw(3) ? (char)('A' + draw(letters + 1)) : '\0';
}

static void make_plain(struct plain *plain, const char *letters, char terminal)
{
  *plain = (struct plain){.end = 100, .terminal = {terminal ? terminal : '?'}};
  while (*letters) {
    plain->items[plain->count++] = (struct item){plain->end, {*letters++}};
    plain->end += *letters >= '0' && *letters <= '9' ? (uint64_t)(*letters++ - '0') : 1;
  }
}

static char *plain_text(const struct plain *plain)
{
  char *text;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  for (size_t i = 0; i < plain->count; i++)
    fprintf(file, "%s@%llu ", plain->items[i].name, (unsigned long long)plain->items[i].entry);
  fprintf(file, "-> %s@%llu", plain->terminal, (unsigned long long)plain->end);
  fclose(file);
  return text;
}

static uint64_t over(const struct plain *plain, size_t at)
{
  return at + 1 < plain->count ? plain->items[at + 1].entry : plain->end;
}

static uint64_t plain_begin(const struct plain *plain)
{
  return plain->count > 0 ? plain->items[0].entry : plain->end;
}

/* Is a state rare? By its time if `ticks`, else by its count. */
static bool is_rare(const struct plain *plain, const char *name, bool ticks, uint64_t threshold)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < plain->count; i++)
    if (strcmp(plain->items[i].name, name) == 0)
      sum += ticks ? over(plain, i) - plain->items[i].entry : 1;
  return sum < threshold;
}

/* Names that were asked for, so that long sequences don't take long. */
struct answers {
  struct {
    char name[NAME_SIZE];
    bool rare;
  } list[256];
  size_t count;
};

static bool ask(struct answers *answers, const struct plain *plain, const char *name, bool ticks, uint64_t threshold)
{
  for (size_t i = 0; i < answers->count; i++)
    if (strcmp(answers->list[i].name, name) == 0)
      return answers->list[i].rare;
  strcpy(answers->list[answers->count].name, name);
  return answers->list[answers->count++].rare = is_rare(plain, name, ticks, threshold);
}

static void plain_filter(struct plain *to, const struct plain *from, bool ticks, uint64_t threshold)
{
  static char keys[1024][2][NAME_SIZE];
  struct answers answers = {.count = 0};
  int first = from->filters;
  to->count = 0;
  to->filters = from->filters;
  to->patterns = from->patterns;
  to->end = from->end;
  strcpy(to->terminal, from->terminal);
  for (size_t i = 0; i < from->count;) {
    struct item *item = &to->items[to->count++];
    *item = from->items[i];
    if (!ask(&answers, from, item->name, ticks, threshold)) {
      i++;
      continue;
    }
    const char *before = i > 0 ? from->items[i - 1].name : "none";
    while (i < from->count && ask(&answers, from, from->items[i].name, ticks, threshold))
      i++;
    const char *after = i < from->count ? from->items[i].name : from->terminal;
    if (i == from->count && (*after == '?' || ask(&answers, from, after, ticks, threshold)))
      after = "none";
    int key = first;
    while (key < to->filters && (strcmp(keys[key - first][0], before) != 0 || strcmp(keys[key - first][1], after) != 0))
      key++;
    if (key == to->filters) {
      strcpy(keys[key - first][0], before);
      strcpy(keys[key - first][1], after);
      to->filters++;
    }
    snprintf(item->name, sizeof item->name, "T%d", key + 1);
  }
}

static void plain_pattern(struct plain *to, const struct plain *from, char (*pattern)[NAME_SIZE], size_t length)
{
  to->count = 0;
  to->filters = from->filters;
  to->patterns = from->patterns + 1;
  to->end = from->end;
  strcpy(to->terminal, from->terminal);
  for (size_t i = 0; i < from->count;) {
    size_t matched = 0;
    while (matched < length && i + matched < from->count &&
           strcmp(from->items[i + matched].name, pattern[matched]) == 0)
      matched++;
    to->items[to->count] = from->items[i];
    if (matched == length)
      snprintf(to->items[to->count].name, NAME_SIZE, "P%d", to->patterns);
    to->count++;
    i += matched == length ? length : 1;
  }
}

/* Keeps the records from `first` to the one before `behind`. */
static void plain_clip(struct plain *to, const struct plain *from, size_t first, size_t behind)
{
  *to = *from;
  to->count = 0;
  for (size_t i = first; i < behind && i < from->count; i++)
    to->items[to->count++] = from->items[i];
  if (behind < from->count) {
    to->end = from->items[behind].entry;
    strcpy(to->terminal, "?");
  }
}

static void plain_merge(struct plain *to, const struct plain *from)
{
  *to = *from;
  to->count = 0;
  for (size_t i = 0; i < from->count; i++) {
    struct item item = from->items[i];
    if (strcmp(item.name, "B") == 0)
      strcpy(item.name, "A");
    bool basic = item.name[1] == '\0';
    if (!basic || to->count == 0 || strcmp(to->items[to->count - 1].name, item.name) != 0)
      to->items[to->count++] = item;
  }
  if (strcmp(to->terminal, "B") == 0)
    strcpy(to->terminal, "A");
  if (to->count > 0 && strcmp(to->items[to->count - 1].name, to->terminal) == 0 && to->terminal[1] == '\0')
    strcpy(to->terminal, "?");
}

/* Writes a step that fits the sequence and does it. *clipped, *merged: it was such a one. */
static void draw_step(char *text, struct plain *to, const struct plain *from, bool *clipped)
{
  char pattern[PATTERN_MAX][NAME_SIZE];
  size_t length = 1 + draw(PATTERN_MAX);
  unsigned kind = draw(5);
  *clipped = kind == 3;
  if (kind == 0 && from->count >= length) {
    size_t at = draw((unsigned)(from->count - length + 1));
    text += sprintf(text, "aggregate ");
    for (size_t i = 0; i < length; i++) {
      strcpy(pattern[i], from->items[at + i].name);
      text += sprintf(text, "%s%s", i > 0 ? "," : "", pattern[i]);
    }
    plain_pattern(to, from, pattern, length);
  } else if (kind <= 1) {
    unsigned threshold = draw((unsigned)(from->end - plain_begin(from)) / 2 + 2);
    sprintf(text, "filter-time %uticks", threshold);
    plain_filter(to, from, true, threshold);
  } else if (kind == 2) {
    unsigned threshold = draw((unsigned)from->count / 2 + 3);
    sprintf(text, "filter-count %u", threshold);
    plain_filter(to, from, false, threshold);
  } else if (kind == 3) {
    unsigned first = draw(4), last = draw(4);
    sprintf(text, "clip-ends %u,%u", first, last);
    plain_clip(to, from, first, last == 0 ? SIZE_MAX : from->count > last ? from->count - last : 0);
  } else {
    unsigned part = draw(12);
    sprintf(text, "filter-time %u.%u%%", 5 * part, part % 10);
    /* h / T < p, in integers: 1000 h < 10 p T. */
    uint64_t scaled = (50 * part + part % 10) * (from->end - plain_begin(from));
    plain_filter(to, from, true, (scaled + 999) / 1000);
  }
}

/* How many records of the original a state stands for in all its occurrences; each run counts for itself. */
static uint64_t constituents(const struct pes_states *states, uint32_t state, uint64_t occurrences, uint64_t *standing)
{
  const struct pes_state *of = pes_state(states, state);
  if (of->kind == PES_BASIC)
    return occurrences;
  uint64_t seen = of->other_runs;
  for (uint32_t i = 0; i < of->run_count; i++) {
    seen += of->runs[i].count;
    for (uint32_t at = 0; at < of->runs[i].length; at++)
      standing[of->runs[i].states[at]] += of->runs[i].count;
  }
  assert_int_equal(seen, occurrences);
  return 0;
}

/* Every record of the original is there still: by itself, or in what an aggregate stands for. */
static void expect_conserved(struct pes_stream *stream, uint64_t records)
{
  struct error error;
  struct pes_record batch[PES_BATCH];
  uint32_t count = pes_states_count(stream->states);
  uint64_t *standing = calloc(count + 1, sizeof *standing);
  uint64_t sum = 0;
  size_t read;
  bool whole = true; /* no run was too long to be kept */
  assert_true(pes_rewind(stream, &error));
  do {
    assert_true(pes_next(stream, batch, &read, &error));
    for (size_t i = 0; i < read; i++)
      standing[batch[i].state]++;
  } while (read > 0);
  for (uint32_t i = count; i-- > 0;) {
    whole = whole && pes_state(stream->states, i)->other_runs == 0;
    sum += constituents(stream->states, i, standing[i], standing);
    if (!whole)
      break;
  }
  if (whole)
    assert_int_equal(sum, records);
  free(standing);
}

static uint64_t duration_of(struct pes_stream *stream)
{
  struct error error;
  struct transforms_summary summary;
  assert_true(transforms_summarize(stream, &summary, &error));
  return summary.duration;
}

/* A reading that is broken off leaves no trace. */
static void break_off(struct pes_stream *stream)
{
  struct error error;
  struct pes_record batch[PES_BATCH];
  size_t read;
  assert_true(pes_rewind(stream, &error));
  assert_true(pes_next(stream, batch, &read, &error));
  assert_true(pes_rewind(stream, &error));
}

static void expect_plain(const char *list, const char *letters, char terminal, const struct plain *expected,
                         uint64_t records, bool conserving)
{
  struct error error;
  struct transforms *steps = transforms_create();
  assert_true(transforms_parse(steps, list, strlen(list), "list", &error));
  struct pes_stream *stream =
      transforms_open(steps, transforms_count(steps), sequence_letters(letters, terminal), &error);
  if (!stream)
    fail_msg("%s on %s: %s", list, letters, error.message);
  transforms_free(steps);
  break_off(stream);
  char *text = sequence_text(stream);
  char *again = sequence_text(stream);
  char *wanted = plain_text(expected);
  if (strcmp(text, wanted) != 0)
    fail_msg("%s on %s%c:\nis        %s\nshould be %s", list, letters, terminal ? terminal : ' ', text, wanted);
  assert_string_equal(text, again);
  assert_int_equal(duration_of(stream), expected->end - plain_begin(expected));
  if (conserving)
    expect_conserved(stream, records);
  free(text);
  free(again);
  free(wanted);
  pes_close(stream);
}

static void random_lists(void **state)
{
  (void)state;
  static char letters[2 * RECORDS_MAX + 1];
  static struct plain before, after;
  char list[512], terminal;
  for (unsigned round = 0; round < 400; round++) {
    seed = round;
    draw_letters(letters, &terminal);
    make_plain(&before, letters, terminal);
    uint64_t records = before.count, duration = before.end - plain_begin(&before);
    bool conserving = true, clipped;
    *list = '\0';
    for (unsigned steps = 1 + draw(4); steps > 0; steps--) {
      draw_step(list + strlen(list), &after, &before, &clipped);
      strcat(list, "\n");
      conserving = conserving && !clipped;
      before = after;
    }
    if (conserving) /* else the definition was carried out in a wrong way */
      assert_int_equal(before.end - plain_begin(&before), duration);
    expect_plain(list, letters, terminal, &before, records, conserving);
    plain_merge(&after, &before);
    strcat(list, "merge-values 0:A+B=A\n");
    expect_plain(list, letters, terminal, &after, records, false);
  }
}

UNIT_TEST(transforms_random)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_lists)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
