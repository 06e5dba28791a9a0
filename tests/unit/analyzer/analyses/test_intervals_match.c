/*
 * Random specifications on random events: a naive search, which tries each start with each end, must find the same
 * intervals. `test_analyzer_intervals_match SEEDS` tries more of them, from number FIRST on if it is given.
 */
#include "analyzer/analyses/intervals/match.h"
#include "analyzer/analyses/intervals/plan.h"
#include "base/vector.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_MOST 120
#define SLOTS_MOST  16
enum { A, B, C, TYPES };

static uint64_t seeds = 8000, first_seed = 1;

struct event {
  struct match_point point;
  unsigned type;
  struct spec_value values[SLOTS_MOST];
};

struct pair {
  uint64_t start, end;
};

struct found {
  VECTOR(struct pair) pairs;
};

static uint64_t draw(uint64_t *state)
{
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return *state >> 33;
}

#define PICK(state, ...)                                                                                               \
  (((const char *const[]){__VA_ARGS__})[draw(state) % (sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))])

static void write_spec(uint64_t *state, char *text, size_t room)
{
  const char *ends = PICK(state, "s:A -> e:B", "s:A, e:B", "s:A -> e:A", "e:B <- s:A", "s:A <- e:B");
  const char *condition =
      PICK(state, "", "", "Match", "{ s.x == e.x }", "{ s.x <= e.y }", "{ s.x == e.x && s.y > e.y }", "{ s.x != e.x }",
           "{ s.x == e.x || s.y == e.y }", "{ s.x + 1 == e.y && s.time < e.time }",
           "{ s.x == e.x && s.y < e.y && s.x + e.y != 3 }", "{ e.x > 1 }", "{ s.y >= e.y && e.x == 2 }",
           "{ !(s.x == e.x) && s.thread != e.thread }", "{ s.name == e.name }", "{ s.name < e.name && s.y > 0 }",
           "{ 2 * e.y > s.x && e.x >= s.y }", "Match { s.time + 3 ns <= e.time }", "{ s.x == e.x && e.thread == s.y }");
  const char *within = PICK(state, "", "", "within 7 ns", "within 25 ns");
  const char *between =
      PICK(state, "", "", "no C between", "no c:C { c.x == s.x } between", "no c:C { c.x < s.y && c.y > 0 } between",
           "no c:B { c.x == s.x && c.y != s.y } between", "no C between no c:A { c.thread == s.thread } between");
  const char *choice = PICK(state, "", "first", "last", "nth 2", "nth 3", "consume", "consume");
  const char *anchor = strstr(ends, "<-") ? "anchor e" : "";
  snprintf(text, room,
           "event A(x, y: real, name: text) event B(x, y: real, name: text) event C(x, y: real, name: text)\n"
           "interval I [ %s ] %s %s %s %s %s",
           ends, condition, within, between, choice, anchor);
}

static struct spec_value draw_value(uint64_t *state, const char *name)
{
  static const char *const names[] = {"", "a", "b", "ab"};
  if (draw(state) % 16 == 0)
    return (struct spec_value){.type = SPEC_ANY};
  if (strcmp(name, "name") == 0)
    return (struct spec_value){.type = SPEC_TEXT, .text = names[draw(state) % 4]};
  int64_t number = (int64_t)(draw(state) % 5);
  if (strcmp(name, "x") == 0 || draw(state) % 2)
    return (struct spec_value){.type = SPEC_INTEGER, .integer = number};
  return (struct spec_value){.type = SPEC_REAL, .real = (double)number + (draw(state) % 2 ? 0.5 : 0)};
}

static size_t draw_events(uint64_t *state, const struct spec *spec, struct event *events)
{
  size_t count = draw(state) % EVENTS_MOST;
  uint64_t time = 1000, types = 2 + draw(state) % 2;
  assert_true(spec->slot_count <= SLOTS_MOST);
  for (size_t i = 0; i < count; i++) {
    time += draw(state) % 4;
    events[i] = (struct event){.point = {.time = time, .number = i + 1, .thread = (uint32_t)(draw(state) % 3)},
                               .type = (unsigned)(draw(state) % types)};
    for (uint32_t s = 0; s < spec->slot_count; s++) {
      struct spec_value *value = &events[i].values[s];
      if (strcmp(spec->slots[s].name, "thread") == 0)
        *value = (struct spec_value){.type = SPEC_INTEGER, .integer = events[i].point.thread};
      else if (strcmp(spec->slots[s].name, "time") == 0)
        *value = (struct spec_value){.type = SPEC_TIME, .real = (double)time};
      else
        *value = draw_value(state, spec->slots[s].name);
    }
  }
  return count;
}

/* The naive search. */
struct naive {
  const struct plan_interval *plan;
  const struct spec_interval *interval;
  const struct event *events;
  size_t count;
  uint64_t limit;
  bool taken[EVENTS_MOST];
  struct found found;
  uint64_t unmatched_starts, unmatched_ends;
};

static bool holds(const struct spec_expr *condition, const struct event *start, const struct event *other,
                  enum spec_side side)
{
  struct operands operands = {.values = {[SPEC_START] = start ? start->values : NULL}};
  operands.values[side] = other->values;
  return !condition || evaluate_holds(condition, &operands);
}

static bool is_type(const struct event *event, const struct spec_end *end)
{
  return event->type == end->event->index;
}

static bool go_together(const struct naive *n, size_t s, size_t e)
{
  const struct spec_interval *interval = n->interval;
  const struct event *start = &n->events[s], *end = &n->events[e];
  if (s >= e || !is_type(start, interval->start) || !is_type(end, interval->end) ||
      end->point.time - start->point.time > n->limit || !holds(interval->condition, start, end, SPEC_END))
    return false;
  for (const struct spec_between *between = interval->between; between; between = between->next)
    for (size_t x = s + 1; x < e; x++)
      if (is_type(&n->events[x], &between->end) && holds(between->condition, start, &n->events[x], SPEC_BETWEEN))
        return false;
  return true;
}

/* The chosen one among the other events in the order of the search; count: there is none. */
static size_t choose(const struct naive *n, size_t anchor)
{
  const struct spec_interval *interval = n->interval;
  size_t chosen = n->count;
  uint64_t found = 0;
  for (size_t k = 0; k < n->count; k++) {
    size_t other = interval->from_end ? n->count - 1 - k : k;
    size_t s = interval->from_end ? other : anchor, e = interval->from_end ? anchor : other;
    if (!go_together(n, s, e) || (interval->consume && n->taken[other]))
      continue;
    found++;
    if (interval->choice == SPEC_LAST || found == (interval->choice == SPEC_NTH ? interval->nth : 1))
      chosen = other;
  }
  return interval->choice == SPEC_NTH && found < interval->nth ? n->count : chosen;
}

static bool is_one(const struct naive *n, size_t at, bool start)
{
  const struct spec_end *end = start ? n->interval->start : n->interval->end;
  const struct plan_terms *terms = start ? &n->plan->ends.of_start : &n->plan->ends.of_other;
  if (!is_type(&n->events[at], end))
    return false;
  for (uint32_t i = 0; i < terms->count; i++)
    if (!holds(terms->list[i], start ? &n->events[at] : NULL, &n->events[at], start ? SPEC_START : SPEC_END))
      return false;
  return true;
}

/* Forward: whether a start could take the end. */
static bool is_taken(const struct naive *n, size_t e, const size_t *chosen)
{
  bool waits = n->interval->choice == SPEC_FIRST || n->interval->choice == SPEC_NTH;
  for (size_t s = 0; s < e; s++)
    if (n->interval->consume ? chosen[s] == e : go_together(n, s, e) && (!waits || chosen[s] >= e))
      return true;
  return false;
}

static void search(struct naive *n)
{
  size_t chosen[EVENTS_MOST];
  for (size_t i = 0; i < n->count; i++) {
    chosen[i] = is_one(n, i, !n->interval->from_end) ? choose(n, i) : n->count;
    if (chosen[i] == n->count)
      continue;
    n->taken[chosen[i]] = true;
    size_t s = n->interval->from_end ? chosen[i] : i, e = n->interval->from_end ? i : chosen[i];
    assert_true(vector_push(&n->found.pairs, ((struct pair){n->events[s].point.number, n->events[e].point.number})));
  }
  for (size_t i = 0; i < n->count; i++) {
    if (n->interval->from_end) {
      n->unmatched_ends += is_one(n, i, false) && chosen[i] == n->count;
      n->unmatched_starts += is_one(n, i, true) && !n->taken[i];
    } else {
      n->unmatched_starts += is_one(n, i, true) && chosen[i] == n->count;
      n->unmatched_ends += is_one(n, i, false) && !is_taken(n, i, chosen);
    }
  }
}

static bool keep(void *context, const struct spec_interval *interval, const struct match_point *start,
                 const struct match_point *end)
{
  struct found *found = context;
  (void)interval;
  return vector_push(&found->pairs, ((struct pair){start->number, end->number}));
}

static struct match_counts match_all(const struct plan_interval *plan, const struct event *events, size_t count,
                                     struct match_options options)
{
  struct error error = {.message = ""};
  struct match *match = match_create(plan, &options);
  bool good = match;
  for (size_t i = 0; good && i < count; i++) {
    const struct spec_interval *interval = plan->interval;
    uint32_t at = 0;
    if (is_type(&events[i], interval->end))
      good = match_end(match, &events[i].point, events[i].values, &error);
    for (const struct spec_between *between = interval->between; good && between; between = between->next, at++)
      if (is_type(&events[i], &between->end))
        good = match_between(match, at, &events[i].point, events[i].values, &error);
    if (good && is_type(&events[i], interval->start))
      good = match_start(match, &events[i].point, events[i].values, &error);
  }
  if (!good || !match_finish(match, &error))
    fail_msg("%s", error.message);
  struct match_counts counts = *match_counts(match);
  match_free(match);
  return counts;
}

static int by_number(const void *a, const void *b)
{
  const struct pair *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (x->end > y->end) - (x->end < y->end);
}

static void sort(struct found *found)
{
  if (found->pairs.count > 1)
    qsort(found->pairs.items, found->pairs.count, sizeof(struct pair), by_number);
}

/* What was asserted on, so that a generator without intervals is noticed. */
struct tried {
  uint64_t intervals, unmatched_starts, unmatched_ends;
};

static void try_seed(uint64_t seed, struct tried *tried)
{
  char text[1024];
  struct error error;
  struct event events[EVENTS_MOST];
  uint64_t state = seed * 2862933555777941757ull + 3037000493ull;
  write_spec(&state, text, sizeof text);
  struct spec *spec = spec_parse("random", text, strlen(text), &error);
  if (!spec || !spec_check(spec, &error))
    fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, text, error.message);
  struct match_plan *plan = plan_create(spec);
  assert_non_null(plan);
  struct found found = {0};
  struct match_options options = {
      .slots = spec->slot_count, .ticks_per_second = 1000000000, .work = UINT64_MAX, .sink = keep, .context = &found};
  struct naive naive = {.plan = &plan->intervals[0],
                        .interval = spec->intervals,
                        .events = events,
                        .count = draw_events(&state, spec, events),
                        .limit = match_limit(spec->intervals, 1000000000)};
  struct match_counts counts = match_all(&plan->intervals[0], events, naive.count, options);
  search(&naive);
  sort(&found);
  sort(&naive.found);
  bool same = found.pairs.count == naive.found.pairs.count &&
              (found.pairs.count == 0 ||
               memcmp(found.pairs.items, naive.found.pairs.items, found.pairs.count * sizeof(struct pair)) == 0);
  if (!same || counts.intervals != found.pairs.count || counts.unmatched_starts != naive.unmatched_starts ||
      counts.unmatched_ends != naive.unmatched_ends)
    fail_msg("seed %llu: %s\nintervals %zu, naively %zu; unmatched starts %llu, %llu; unmatched ends %llu, %llu",
             (unsigned long long)seed, text, found.pairs.count, naive.found.pairs.count,
             (unsigned long long)counts.unmatched_starts, (unsigned long long)naive.unmatched_starts,
             (unsigned long long)counts.unmatched_ends, (unsigned long long)naive.unmatched_ends);
  tried->intervals += found.pairs.count;
  tried->unmatched_starts += counts.unmatched_starts;
  tried->unmatched_ends += counts.unmatched_ends;
  vector_free(&found.pairs);
  vector_free(&naive.found.pairs);
  plan_free(plan);
  spec_free(spec);
}

static void same_as_naive(void **state)
{
  (void)state;
  struct tried tried = {0};
  for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++)
    try_seed(seed, &tried);
  assert_true(tried.intervals > 0 && tried.unmatched_starts > 0 && tried.unmatched_ends > 0);
}

/* Memory and trials of a stream in which each start is closed soon, and in which nothing fits. */
static void bounds(void **state)
{
  (void)state;
  static const char text[] = "event A(x, y) event B(x, y)\n"
                             "interval Short [ a:A -> b:B ] { a.x == b.x && a.y <= b.y }\n"
                             "interval Newest [ a:A <- b:B ] Match anchor b\n"
                             "interval Never [ a:A -> b:B ] { a.x + b.x == -1 }\n";
  struct error error;
  struct spec *spec = spec_parse("t", text, sizeof text - 1, &error);
  assert_true(spec && spec_check(spec, &error));
  struct match_plan *plan = plan_create(spec);
  struct found found = {0};
  for (uint32_t k = 0; k < 3; k++) {
    struct match_options options = {.slots = spec->slot_count, .work = 1000, .sink = keep, .context = &found};
    struct match *match = match_create(&plan->intervals[k], &options);
    bool good = match;
    uint64_t number = 0;
    for (int64_t i = 0; good && i < 2000; i++) {
      struct spec_value values[2] = {{.type = SPEC_INTEGER, .integer = i % 10},
                                     {.type = SPEC_INTEGER, .integer = i % 7}};
      struct match_point point = {.time = (uint64_t)i, .number = ++number};
      good = match_start(match, &point, values, &error);
      point.number = ++number;
      good = good && match_end(match, &point, values, &error);
    }
    assert_int_equal(good, k < 2);
    assert_true(match_counts(match)->open_most <= (k == 0 ? 1 : k == 1 ? 11 + 60 : 2000));
    if (k < 2)
      assert_int_equal(match_counts(match)->intervals, 2000);
    else
      assert_non_null(strstr(error.message, "the interval Never needs more than 1000 trials"));
    match_free(match);
  }
  vector_free(&found.pairs);
  plan_free(plan);
  spec_free(spec);
}

static void plans(void **state)
{
  (void)state;
  static const char text[] = "event A(x, y) event B(x, y)\n"
                             "interval I [ a:A -> b:B ] { b.x == a.x + 1 && a.y > 2 && b.y > a.y && a.x != b.y }";
  struct error error;
  struct spec *spec = spec_parse("t", text, sizeof text - 1, &error);
  assert_true(spec && spec_check(spec, &error));
  struct match_plan *plan = plan_create(spec);
  char *explained = NULL;
  size_t size;
  FILE *file = open_memstream(&explained, &size);
  plan_explain(&plan->intervals[0], file);
  fclose(file);
  assert_string_equal(explained, "I: from A (start) to B (end)\n"
                                 "  for each a: forward in time, the first b\n"
                                 "  only if: a.y > 2\n"
                                 "  found by hash: a.x + 1 == b.x\n"
                                 "  found in a tree: a.y < b.y\n"
                                 "  tried pair by pair (--work): a.x != b.y\n"
                                 "  kept in memory: starts that have no end yet\n");
  free(explained);
  plan_free(plan);
  spec_free(spec);
}

UNIT_TEST(intervals_match)
{
  if (argc > 1)
    seeds = strtoull(argv[1], NULL, 10);
  if (argc > 2)
    first_seed = strtoull(argv[2], NULL, 10);
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_naive), cmocka_unit_test(bounds),
                                     cmocka_unit_test(plans)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
