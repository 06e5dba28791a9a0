#include "analyzer/analyses/intervals/plan.h"

#include "analyzer/analyses/intervals/terms.h"

#include <stdlib.h>
#include <string.h>

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

/* A term as it could be written; labels are those of the ends. */
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
