#include "analyzer/analyses/intervals/check.h"

#include "analyzer/analyses/intervals/evaluate.h"
#include "analyzer/analyses/intervals/reader.h"
#include "analyzer/analyses/intervals/terms.h"
#include "analyzer/analyses/intervals/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_MOST 4096 /* events, intervals and constants */

static bool check_fail_memory(const struct spec *spec, struct error *error)
{
  return error_set(error, "%s: out of memory", spec->file);
}

bool spec_define(struct spec *spec, const char *text, struct error *error)
{
  char *words = NULL;
  if (asprintf(&words, "const %s;", text) < 0)
    return check_fail_memory(spec, error);
  struct spec *given = spec_parse("--define", words, strlen(words), error);
  free(words);
  if (!given)
    return false;
  const struct spec_constant *constant = given->constants;
  bool one = constant && !constant->next && !given->events && !given->intervals && !given->assertions;
  struct spec_value value = {.type = SPEC_ANY};
  struct term_scope scope = {.spec = given, .error = error};
  bool good = one && terms_check(&scope, constant->value);
  if (good)
    value = evaluate(constant->value, &(struct operands){{NULL}, NULL, NULL});
  if (one && !good) {
    spec_free(given);
    return false;
  }
  struct spec_constant *made = spec_allocate(spec, sizeof *made);
  struct spec_expr *literal = spec_allocate(spec, sizeof *literal);
  char *name = spec_allocate(spec, one ? strlen(constant->name) + 1 : 1);
  char *content = spec_allocate(spec, value.type == SPEC_TEXT ? strlen(value.text) + 1 : 1);
  good = made && literal && name && content;
  if (!good)
    check_fail_memory(spec, error);
  else if (!one || value.type == SPEC_ANY || value.type == SPEC_BOOLEAN)
    good = error_set(error, "--define %s: NAME=VALUE expected, where the value is a number, a text in quotes or a time",
                     text);
  if (good) {
    *literal = (struct spec_expr){.op = value.type == SPEC_INTEGER ? SPEC_OP_INTEGER
                                        : value.type == SPEC_REAL  ? SPEC_OP_REAL
                                        : value.type == SPEC_TEXT  ? SPEC_OP_TEXT
                                                                   : SPEC_OP_TIME,
                                  .depth = 1};
    if (value.type == SPEC_INTEGER)
      literal->integer = value.integer;
    else if (value.type == SPEC_TEXT)
      literal->name = strcpy(content, value.text);
    else
      literal->real = value.real;
    *made = (struct spec_constant){.name = strcpy(name, constant->name), .value = literal, .given = true};
    *spec->constants_end = made;
    spec->constants_end = &made->next;
  }
  spec_free(given);
  return good;
}

static bool same_attributes(const struct spec_event *a, const struct spec_event *b)
{
  const struct spec_attribute *x = a->attributes, *y = b->attributes;
  while (x && y && strcmp(x->name, y->name) == 0 && x->type == y->type) {
    x = x->next;
    y = y->next;
  }
  return !x && !y;
}

static bool check_attributes(const struct spec *spec, const struct spec_event *event, struct error *error)
{
  for (const struct spec_attribute *a = event->attributes; a; a = a->next)
    for (const struct spec_attribute *b = event->attributes; b != a; b = b->next)
      if (strcmp(a->name, b->name) == 0)
        return spec_error(spec, a->place, error, "the event `%s` has two attributes `%s`", event->name, a->name);
  return true;
}

/* The same event may be declared again, in another block; the first declaration stays. */
static bool check_events(struct spec *spec, struct error *error)
{
  for (struct spec_event **at = &spec->events; *at;) {
    struct spec_event *event = *at, *first = spec->events;
    if (!check_attributes(spec, event, error))
      return false;
    while (first != event && strcmp(first->name, event->name) != 0)
      first = first->next;
    if (first == event) {
      event->index = spec->event_count++;
      at = &event->next;
      continue;
    }
    if (!same_attributes(first, event))
      return spec_error(spec, event->place, error, "the event `%s` is declared with other attributes in line %u",
                        event->name, first->place.line);
    *at = event->next;
  }
  spec->events_end = &spec->events;
  while (*spec->events_end)
    spec->events_end = &(*spec->events_end)->next;
  return true;
}

/* Each constant can use those before it. */
static bool check_constants(struct spec *spec, struct error *error)
{
  for (struct spec_constant *a = spec->constants; a; a = a->next) {
    for (const struct spec_constant *b = spec->constants; b != a; b = b->next)
      if (a->given == b->given && strcmp(a->name, b->name) == 0)
        return a->given ? error_set(error, "--define %s: given twice", a->name)
                        : spec_error(spec, a->place, error, "the constant `%s` is declared in line %u already", a->name,
                                     b->place.line);
    struct term_scope scope = {.spec = spec, .error = error, .constants_end = a};
    if (!terms_check(&scope, a->value))
      return false;
  }
  return true;
}

/* Names are compared with all others: a file of any size must not take forever. */
static bool check_counts(const struct spec *spec, struct error *error)
{
  uint32_t count = 0;
  struct spec_place place = {1, 1};
  for (const struct spec_event *event = spec->events; event && count <= COUNT_MOST; event = event->next, count++)
    place = event->place;
  for (const struct spec_interval *i = spec->intervals; i && count <= COUNT_MOST; i = i->next, count++)
    place = i->place;
  for (const struct spec_constant *c = spec->constants; c && count <= COUNT_MOST; c = c->next, count++)
    place = c->place;
  return count <= COUNT_MOST ||
         spec_error(spec, place, error, "more than %d events, intervals and constants", COUNT_MOST);
}

/* The declared event, or Heddle's own of that name. */
static bool find_event(struct spec *spec, struct spec_end *end, struct error *error)
{
  for (struct spec_event *event = spec->events; event; event = event->next) {
    if (strcmp(event->name, end->name) == 0 && (event->declared || event->quoted == end->quoted)) {
      end->event = event;
      return true;
    }
  }
  if (!end->quoted && !own_event_find(end->name))
    return spec_error(spec, end->place, error,
                      "the event `%s` is not declared: `event %s(...)` expected, a name of the trace in quotes, or one "
                      "of Heddle's own: %s",
                      end->name, end->name, own_event_names());
  struct spec_event *event = spec_allocate(spec, sizeof *event);
  if (!event)
    return check_fail_memory(spec, error);
  *event =
      (struct spec_event){.name = end->name, .place = end->place, .quoted = end->quoted, .index = spec->event_count++};
  *spec->events_end = event;
  spec->events_end = &event->next;
  end->event = event;
  return true;
}

/* a.x OP b.y of two ends, or another operator. NULL: out of memory. */
static struct spec_expr *make_operator(struct spec *spec, enum spec_op op, struct spec_expr *left,
                                       struct spec_expr *right)
{
  struct spec_expr *expr = spec_allocate(spec, sizeof *expr);
  if (expr && left && right)
    *expr = (struct spec_expr){.op = op,
                               .place = left->place,
                               .left = left,
                               .right = right,
                               .depth = 1 + (left->depth > right->depth ? left->depth : right->depth),
                               .type = SPEC_BOOLEAN};
  return left && right ? expr : NULL;
}

static struct spec_expr *make_attribute(struct spec *spec, enum spec_side side, const char *name, bool intrinsic,
                                        struct spec_place place)
{
  struct spec_expr *expr = spec_allocate(spec, sizeof *expr);
  uint32_t slot;
  if (!expr || !terms_slot(spec, name, intrinsic, &slot))
    return NULL;
  *expr = (struct spec_expr){.op = SPEC_OP_ATTRIBUTE,
                             .place = place,
                             .attribute = name,
                             .depth = 1,
                             .type = SPEC_ANY,
                             .side = side,
                             .slot = slot};
  return expr;
}

static bool check_add_condition(struct spec *spec, struct spec_expr **condition, struct spec_expr *more,
                                struct error *error)
{
  struct spec_expr *both = more && *condition ? make_operator(spec, SPEC_OP_AND, *condition, more) : more;
  if (both)
    *condition = both;
  return both || check_fail_memory(spec, error);
}

/* Both sides' thread is the same. */
static bool add_same_thread(struct spec *spec, struct spec_expr **condition, enum spec_side other, struct error *error)
{
  struct spec_place nowhere = {0, 0};
  return check_add_condition(spec, condition,
                             make_operator(spec, SPEC_OP_EQ, make_attribute(spec, SPEC_START, "thread", true, nowhere),
                                           make_attribute(spec, other, "thread", true, nowhere)),
                             error);
}

/* Match: the attributes are equal one by one, in the order of the declarations, whatever their names are. */
static bool add_match(struct spec *spec, struct spec_interval *interval, struct error *error)
{
  const struct spec_event *start = interval->start->event, *end = interval->end->event;
  const struct spec_event *foreign = !start->declared ? start : !end->declared ? end : NULL;
  if (foreign)
    return spec_error(spec, interval->place, error,
                      "Match needs declared events, and `%s` is none: write the condition, as in "
                      "`where { a.x == b.x }`",
                      foreign->name);
  if (start->attribute_count != end->attribute_count)
    return spec_error(spec, interval->place, error,
                      "Match compares all attributes, but `%s` has %u and `%s` has %u: write the condition, as in "
                      "`where { a.x == b.x }`",
                      start->name, start->attribute_count, end->name, end->attribute_count);
  const struct spec_attribute *a = start->attributes, *b = end->attributes;
  for (; a; a = a->next, b = b->next)
    if (!check_add_condition(spec, &interval->condition,
                             make_operator(spec, SPEC_OP_EQ,
                                           make_attribute(spec, SPEC_START, a->name, false, interval->place),
                                           make_attribute(spec, SPEC_END, b->name, false, interval->place)),
                             error))
      return false;
  return true;
}

/* Which end is the earlier one, and where the search begins: docs/intervals.md says why. */
static bool find_anchor(const struct spec *spec, struct spec_interval *interval, struct error *error)
{
  const struct spec_end *left = &interval->left, *right = &interval->right;
  bool backward = interval->direction == SPEC_BACKWARD;
  const struct spec_end *anchor = left;
  if (backward && !left->label && !right->label)
    anchor = right;
  if (interval->anchor) {
    bool is_left = strcmp(interval->anchor, end_label(left)) == 0;
    bool is_right = strcmp(interval->anchor, end_label(right)) == 0;
    if (is_left == is_right)
      return spec_error(spec, interval->anchor_place, error,
                        is_left ? "both events are called `%s`: labels expected"
                                : "no event of the interval is called `%s`: the label of the event where the search "
                                  "begins expected",
                        interval->anchor);
    anchor = is_left ? left : right;
  }
  const struct spec_end *other = anchor == left ? right : left;
  interval->start = backward ? other : anchor;
  interval->end = backward ? anchor : other;
  interval->from_end = backward;
  return true;
}

static bool check_between(struct spec *spec, struct spec_interval *interval, struct error *error)
{
  for (struct spec_between *between = interval->between; between; between = between->next) {
    if (!find_event(spec, &between->end, error))
      return false;
    struct term_scope scope = {.spec = spec,
                               .error = error,
                               .ends = {[SPEC_START] = interval->start, [SPEC_BETWEEN] = &between->end},
                               .refused = end_label(interval->end)};
    between->condition = between->where;
    if (between->where && !terms_check_condition(&scope, between->where))
      return false;
    if (!between->where && interval->same_thread && !add_same_thread(spec, &between->condition, SPEC_BETWEEN, error))
      return false;
  }
  return true;
}

static bool check_within(struct spec *spec, struct spec_interval *interval, struct error *error)
{
  struct term_scope scope = {.spec = spec, .error = error};
  if (!interval->within)
    return true;
  if (!terms_check(&scope, interval->within))
    return false;
  struct spec_value value = evaluate(interval->within, &(struct operands){{NULL}, NULL, NULL});
  interval->limit = value.real;
  return (value.type == SPEC_TIME && value.real > 0) ||
         spec_error(spec, interval->within->place, error,
                    "`within`: a time above 0 with a unit expected, as in `10 ms`");
}

static bool check_interval(struct spec *spec, struct spec_interval *interval, struct error *error)
{
  const struct spec_interval *first = find_interval(spec, interval->name);
  interval->index = spec->interval_count++;
  if (first != interval)
    return spec_error(spec, interval->place, error, "the interval `%s` is declared in line %u already", interval->name,
                      first->place.line);
  if (!find_event(spec, &interval->left, error) || !find_event(spec, &interval->right, error) ||
      !find_anchor(spec, interval, error))
    return false;
  if (interval->consume && interval->choice != SPEC_FIRST)
    return spec_error(spec, interval->place, error, "the interval `%s`: `consume` goes with `first` only",
                      interval->name);
  interval->same_thread = !interval->match && !interval->where;
  if (interval->match && !add_match(spec, interval, error))
    return false;
  if (interval->same_thread && !add_same_thread(spec, &interval->condition, SPEC_END, error))
    return false;
  struct term_scope scope = {
      .spec = spec, .error = error, .ends = {[SPEC_START] = interval->start, [SPEC_END] = interval->end}};
  if (interval->where && (!terms_check_condition(&scope, interval->where) ||
                          !check_add_condition(spec, &interval->condition, interval->where, error)))
    return false;
  return check_between(spec, interval, error) && check_within(spec, interval, error);
}

static bool check_assertion(struct spec *spec, struct spec_assertion *assertion, struct error *error)
{
  struct term_scope scope = {.spec = spec, .error = error, .assertion = assertion};
  if (assertion->interval && !(scope.interval = find_interval(spec, assertion->interval)))
    return spec_error(spec, assertion->interval_place, error, "no interval is called `%s`", assertion->interval);
  if (!terms_check_condition(&scope, assertion->condition))
    return false;
  assertion->of = scope.interval;
  if (scope.interval && scope.figures)
    return spec_error(spec, assertion->place, error,
                      "an assertion is about each interval, as in `r.time < 10 ms`, or about figures of all, as in "
                      "`max(Read) < 10 ms`: two assertions expected");
  return scope.interval || scope.figures ||
         spec_error(spec, assertion->place, error,
                    "the assertion is about no interval: one expected, as in "
                    "`assert { r:Read: r.time < 10 ms }`");
}

bool spec_check(struct spec *spec, struct error *error)
{
  if (!check_counts(spec, error) || !check_events(spec, error) || !check_constants(spec, error))
    return false;
  for (struct spec_interval *interval = spec->intervals; interval; interval = interval->next)
    if (!check_interval(spec, interval, error))
      return false;
  for (struct spec_assertion *assertion = spec->assertions; assertion; assertion = assertion->next)
    if (!check_assertion(spec, assertion, error))
      return false;
  return true;
}
