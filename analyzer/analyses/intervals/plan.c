#include "analyzer/analyses/intervals/plan.h"

#include "analyzer/analyses/intervals/evaluate.h"
#include "analyzer/analyses/intervals/spec.h"

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

/* Bits of enum spec_side: whose attributes a term asks for. */
static unsigned sides_of(const struct spec_expr *expr)
{
  unsigned sides = expr->op == SPEC_OP_ATTRIBUTE ? 1u << expr->side : 0;
  if (expr->left)
    sides |= sides_of(expr->left);
  if (expr->right)
    sides |= sides_of(expr->right);
  return sides;
}

static bool plan_add(struct plan_terms *terms, const struct spec_expr *expr)
{
  const struct spec_expr **list =
      (const struct spec_expr **)reallocarray((void *)terms->list, terms->count + 1, sizeof *list);
  if (!list)
    return false;
  list[terms->count++] = expr;
  terms->list = list;
  return true;
}

static enum spec_op turned(enum spec_op op)
{
  switch (op) {
  case SPEC_OP_LT:
    return SPEC_OP_GT;
  case SPEC_OP_LE:
    return SPEC_OP_GE;
  case SPEC_OP_GT:
    return SPEC_OP_LT;
  case SPEC_OP_GE:
    return SPEC_OP_LE;
  default:
    return op;
  }
}

/* A relation of a term of the start and a term of the other event. False: out of memory. */
static bool add_relation(struct plan_join *join, const struct spec_expr *relation)
{
  bool straight = sides_of(relation->left) == 1u << SPEC_START;
  const struct spec_expr *of_start = straight ? relation->left : relation->right;
  const struct spec_expr *of_other = straight ? relation->right : relation->left;
  if (relation->op == SPEC_OP_EQ && join->start_keys.count < PLAN_KEYS_MOST)
    return plan_add(&join->start_keys, of_start) && plan_add(&join->other_keys, of_other);
  if (relation->op == SPEC_OP_EQ || relation->op == SPEC_OP_NE || join->order != SPEC_OP_EQ)
    return plan_add(&join->rest, relation);
  join->order = straight ? relation->op : turned(relation->op);
  join->start_order = of_start;
  join->other_order = of_other;
  return true;
}

static bool is_relation(const struct spec_expr *expr, unsigned start, unsigned other)
{
  if (expr->op < SPEC_OP_EQ || expr->op > SPEC_OP_GE)
    return false;
  unsigned left = sides_of(expr->left), right = sides_of(expr->right);
  return (left == start && right == other) || (left == other && right == start);
}

/* Splits a condition at its `&&`. */
static bool plan_add_condition(struct plan_join *join, const struct spec_expr *expr)
{
  if (expr->op == SPEC_OP_AND)
    return plan_add_condition(join, expr->left) && plan_add_condition(join, expr->right);
  unsigned sides = sides_of(expr), start = 1u << SPEC_START, other = 1u << join->other;
  if (sides == start)
    return plan_add(&join->of_start, expr);
  if (sides == other || sides == 0)
    return plan_add(&join->of_other, expr);
  return is_relation(expr, start, other) ? add_relation(join, expr) : plan_add(&join->rest, expr);
}

static bool make_join(struct plan_join *join, enum spec_side other, const struct spec_expr *condition)
{
  *join = (struct plan_join){.other = other, .order = SPEC_OP_EQ};
  return !condition || plan_add_condition(join, condition);
}

static bool make_interval(struct plan_interval *plan, const struct spec_interval *interval)
{
  plan->interval = interval;
  for (const struct spec_between *between = interval->between; between; between = between->next)
    plan->between_count++;
  plan->between = calloc(plan->between_count + 1, sizeof *plan->between);
  bool good = plan->between && make_join(&plan->ends, SPEC_END, interval->condition);
  struct plan_join *join = plan->between;
  for (const struct spec_between *between = interval->between; good && between; between = between->next)
    good = make_join(join++, SPEC_BETWEEN, between->condition);
  plan->newest_only = interval->from_end && interval->choice == SPEC_FIRST && !interval->consume &&
                      plan->between_count == 0 && plan->ends.order == SPEC_OP_EQ && plan->ends.rest.count == 0;
  return good;
}

struct match_plan *plan_create(const struct spec *spec)
{
  struct match_plan *plan = calloc(1, sizeof *plan);
  if (!plan || !(plan->intervals = calloc(spec->interval_count + 1, sizeof *plan->intervals))) {
    free(plan);
    return NULL;
  }
  bool good = true;
  for (const struct spec_interval *interval = spec->intervals; good && interval; interval = interval->next)
    good = make_interval(&plan->intervals[plan->count++], interval);
  if (good)
    return plan;
  plan_free(plan);
  return NULL;
}

static void free_join(struct plan_join *join)
{
  free((void *)join->of_start.list);
  free((void *)join->of_other.list);
  free((void *)join->start_keys.list);
  free((void *)join->other_keys.list);
  free((void *)join->rest.list);
}

void plan_free(struct match_plan *plan)
{
  if (!plan)
    return;
  for (uint32_t i = 0; i < plan->count; i++) {
    free_join(&plan->intervals[i].ends);
    for (uint32_t k = 0; k < plan->intervals[i].between_count; k++)
      if (plan->intervals[i].between)
        free_join(&plan->intervals[i].between[k]);
    free(plan->intervals[i].between);
  }
  free(plan->intervals);
  free(plan);
}

/* A term as it could be written; labels are the labels of the ends. */
static void put_term(const struct spec_expr *expr, const struct spec_end *const ends[SPEC_SIDES], FILE *file)
{
  static const char *const signs[] = {
      [SPEC_OP_OR] = "||", [SPEC_OP_AND] = "&&",     [SPEC_OP_EQ] = "==",      [SPEC_OP_NE] = "!=",
      [SPEC_OP_LT] = "<",  [SPEC_OP_LE] = "<=",      [SPEC_OP_GT] = ">",       [SPEC_OP_GE] = ">=",
      [SPEC_OP_ADD] = "+", [SPEC_OP_SUBTRACT] = "-", [SPEC_OP_MULTIPLY] = "*", [SPEC_OP_DIVIDE] = "/"};
  switch (expr->op) {
  case SPEC_OP_INTEGER:
    fprintf(file, "%lld", (long long)expr->integer);
    return;
  case SPEC_OP_REAL:
    fprintf(file, "%g", expr->real);
    return;
  case SPEC_OP_TIME:
    fprintf(file, "%g ns", expr->real);
    return;
  case SPEC_OP_TEXT:
    fprintf(file, "\"%s\"", expr->name);
    return;
  case SPEC_OP_NAME:
  case SPEC_OP_FIGURE:
    fprintf(file, "%s", expr->name);
    return;
  case SPEC_OP_ATTRIBUTE:
    fprintf(file, "%s.%s", end_label(ends[expr->side]), expr->attribute);
    return;
  case SPEC_OP_NOT:
  case SPEC_OP_NEGATE:
    fputs(expr->op == SPEC_OP_NOT ? "!(" : "-(", file);
    put_term(expr->left, ends, file);
    fputc(')', file);
    return;
  default:
    fputs(expr->left->left ? "(" : "", file);
    put_term(expr->left, ends, file);
    fprintf(file, "%s %s %s", expr->left->left ? ")" : "", signs[expr->op], expr->right->left ? "(" : "");
    put_term(expr->right, ends, file);
    fputs(expr->right->left ? ")" : "", file);
  }
}

static void put_terms(const char *what, const struct plan_terms *terms, const struct spec_end *const ends[SPEC_SIDES],
                      FILE *file)
{
  for (uint32_t i = 0; i < terms->count; i++) {
    fprintf(file, "  %s: ", what);
    put_term(terms->list[i], ends, file);
    fputc('\n', file);
  }
}

static void put_join(const struct plan_join *join, const struct spec_end *const ends[SPEC_SIDES], FILE *file)
{
  static const char *const signs[] = {[SPEC_OP_LT] = "<", [SPEC_OP_LE] = "<=", [SPEC_OP_GT] = ">", [SPEC_OP_GE] = ">="};
  put_terms("only if", &join->of_start, ends, file);
  put_terms("only if", &join->of_other, ends, file);
  for (uint32_t i = 0; i < join->start_keys.count; i++) {
    fputs("  found by hash: ", file);
    put_term(join->start_keys.list[i], ends, file);
    fputs(" == ", file);
    put_term(join->other_keys.list[i], ends, file);
    fputc('\n', file);
  }
  if (join->order != SPEC_OP_EQ) {
    fputs("  found in a tree: ", file);
    put_term(join->start_order, ends, file);
    fprintf(file, " %s ", signs[join->order]);
    put_term(join->other_order, ends, file);
    fputc('\n', file);
  }
  put_terms("tried pair by pair (--work)", &join->rest, ends, file);
}

void plan_explain(const struct plan_interval *plan, FILE *file)
{
  const struct spec_interval *interval = plan->interval;
  const struct spec_end *ends[SPEC_SIDES] = {[SPEC_START] = interval->start, [SPEC_END] = interval->end};
  bool back = interval->from_end;
  const struct spec_end *anchor = back ? interval->end : interval->start;
  const struct spec_end *other = back ? interval->start : interval->end;
  char nth[40] = "";
  if (interval->choice == SPEC_NTH)
    snprintf(nth, sizeof nth, "number %llu", (unsigned long long)interval->nth);
  fprintf(file, "%s: from %s (start) to %s (end)\n", interval->name, interval->start->name, interval->end->name);
  fprintf(file, "  for each %s: %s in time, the %s %s%s%s\n", end_label(anchor), back ? "backward" : "forward",
          interval->choice == SPEC_FIRST  ? "first"
          : interval->choice == SPEC_LAST ? "last"
                                          : nth,
          end_label(other), interval->consume ? " that is not taken yet" : "",
          interval->same_thread ? ", on the same thread" : "");
  put_join(&plan->ends, ends, file);
  if (interval->limit > 0)
    fprintf(file, "  within %g ns\n", interval->limit);
  uint32_t i = 0;
  for (const struct spec_between *between = interval->between; between; between = between->next) {
    ends[SPEC_BETWEEN] = &between->end;
    fprintf(file, "  no %s between:\n", between->end.name);
    put_join(&plan->between[i++], ends, file);
  }
  fprintf(file, "  kept in memory: %s\n",
          plan->newest_only           ? "the newest start of each key"
          : back && interval->consume ? "starts that are not taken yet"
          : back                      ? "all starts that are in reach"
                                      : "starts that have no end yet");
}
