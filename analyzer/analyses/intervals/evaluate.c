#include "analyzer/analyses/intervals/evaluate.h"

#include "analyzer/analyses/intervals/spec.h"
#include "base/count_of.h"
#include "base/hash.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct spec_value evaluate_nothing = {.type = SPEC_ANY};

static struct spec_value truth(bool holds)
{
  return (struct spec_value){.type = SPEC_BOOLEAN, .integer = holds};
}

/* A number that is none is no value. */
static struct spec_value real(enum spec_type type, double number)
{
  return isfinite(number) ? (struct spec_value){.type = type, .real = number} : evaluate_nothing;
}

static bool evaluate_is_number(const struct spec_value *value)
{
  return value->type == SPEC_INTEGER || value->type == SPEC_REAL;
}

static double number_of(const struct spec_value *value)
{
  return value->type == SPEC_INTEGER ? (double)value->integer : value->real;
}

/* Integers and real numbers exactly: doubles do not have all integers. */
static int compare_mixed(int64_t integer, double number)
{
  if (number >= 0x1p63)
    return -1;
  if (number < -0x1p63)
    return 1;
  int64_t whole = (int64_t)floor(number);
  if (integer != whole)
    return integer < whole ? -1 : 1;
  return number > (double)whole ? -1 : 0;
}

bool value_compare(const struct spec_value *a, const struct spec_value *b, int *order)
{
  if (a->type == SPEC_TEXT && b->type == SPEC_TEXT) {
    int difference = a->text == b->text ? 0 : strcmp(a->text, b->text);
    *order = (difference > 0) - (difference < 0);
  } else if (a->type == SPEC_INTEGER && b->type == SPEC_INTEGER) {
    *order = (a->integer > b->integer) - (a->integer < b->integer);
  } else if (a->type == SPEC_INTEGER && b->type == SPEC_REAL) {
    *order = compare_mixed(a->integer, b->real);
  } else if (a->type == SPEC_REAL && b->type == SPEC_INTEGER) {
    *order = -compare_mixed(b->integer, a->real);
  } else if (a->type == b->type && (a->type == SPEC_REAL || a->type == SPEC_TIME)) {
    *order = (a->real > b->real) - (a->real < b->real);
  } else {
    return false;
  }
  return true;
}

bool value_equal(const struct spec_value *a, const struct spec_value *b)
{
  int order;
  return value_compare(a, b, &order) && order == 0;
}

uint64_t value_hash(const struct spec_value *value, uint64_t seed)
{
  uint64_t bits;
  switch (value->type) {
  case SPEC_TEXT:
    return hash_text(seed, value->text);
  case SPEC_INTEGER:
    return hash_mix(seed ^ (uint64_t)value->integer);
  default:
    if (value->type == SPEC_REAL && value->real == floor(value->real) && fabs(value->real) < 0x1p63)
      return hash_mix(seed ^ (uint64_t)(int64_t)value->real);
    memcpy(&bits, &value->real, sizeof bits);
    return hash_mix(seed ^ bits ^ 0x5bd1e995);
  }
}

static bool add_whole(enum spec_op op, int64_t a, int64_t b, int64_t *result)
{
  return op == SPEC_OP_ADD        ? !__builtin_add_overflow(a, b, result)
         : op == SPEC_OP_SUBTRACT ? !__builtin_sub_overflow(a, b, result)
         : op == SPEC_OP_MULTIPLY ? !__builtin_mul_overflow(a, b, result)
                                  : false;
}

static double add_real(enum spec_op op, double a, double b)
{
  return op == SPEC_OP_ADD ? a + b : op == SPEC_OP_SUBTRACT ? a - b : op == SPEC_OP_MULTIPLY ? a * b : a / b;
}

/* + - * / */
static struct spec_value calculate(enum spec_op op, const struct spec_value *a, const struct spec_value *b)
{
  bool numbers = evaluate_is_number(a) && evaluate_is_number(b), sum = op == SPEC_OP_ADD || op == SPEC_OP_SUBTRACT;
  int64_t whole;
  if (a->type == SPEC_INTEGER && b->type == SPEC_INTEGER && add_whole(op, a->integer, b->integer, &whole))
    return (struct spec_value){.type = SPEC_INTEGER, .integer = whole};
  if (numbers)
    return real(SPEC_REAL, add_real(op, number_of(a), number_of(b)));
  if (a->type == SPEC_TIME && b->type == SPEC_TIME && (sum || op == SPEC_OP_DIVIDE))
    return real(sum ? SPEC_TIME : SPEC_REAL, add_real(op, a->real, b->real));
  if (a->type == SPEC_TIME && evaluate_is_number(b) && !sum)
    return real(SPEC_TIME, add_real(op, a->real, number_of(b)));
  if (evaluate_is_number(a) && b->type == SPEC_TIME && op == SPEC_OP_MULTIPLY)
    return real(SPEC_TIME, number_of(a) * b->real);
  return evaluate_nothing;
}

static struct spec_value relate(enum spec_op op, const struct spec_value *a, const struct spec_value *b)
{
  int order;
  if (!value_compare(a, b, &order))
    return evaluate_nothing;
  switch (op) {
  case SPEC_OP_EQ:
    return truth(order == 0);
  case SPEC_OP_NE:
    return truth(order != 0);
  case SPEC_OP_LT:
    return truth(order < 0);
  case SPEC_OP_LE:
    return truth(order <= 0);
  case SPEC_OP_GT:
    return truth(order > 0);
  default:
    return truth(order >= 0);
  }
}

/* || and &&: a side that decides is enough. */
static struct spec_value evaluate_join(const struct spec_expr *expr, const struct operands *operands)
{
  bool deciding = expr->op == SPEC_OP_OR;
  struct spec_value left = evaluate(expr->left, operands);
  if (left.type == SPEC_BOOLEAN && (bool)left.integer == deciding)
    return left;
  struct spec_value right = evaluate(expr->right, operands);
  if (right.type != SPEC_BOOLEAN || (bool)right.integer == deciding)
    return right.type == SPEC_BOOLEAN ? right : evaluate_nothing;
  return left.type == SPEC_BOOLEAN ? right : evaluate_nothing;
}

static struct spec_value negate(const struct spec_value *value)
{
  int64_t whole;
  if (value->type == SPEC_INTEGER && !__builtin_sub_overflow(0, value->integer, &whole))
    return (struct spec_value){.type = SPEC_INTEGER, .integer = whole};
  if (value->type == SPEC_INTEGER)
    return real(SPEC_REAL, -(double)value->integer);
  if (value->type == SPEC_REAL || value->type == SPEC_TIME)
    return real(value->type, -value->real);
  return evaluate_nothing;
}

struct spec_value evaluate(const struct spec_expr *expr, const struct operands *operands)
{
  struct spec_value left, right;
  switch (expr->op) {
  case SPEC_OP_INTEGER:
    return (struct spec_value){.type = SPEC_INTEGER, .integer = expr->integer};
  case SPEC_OP_REAL:
    return (struct spec_value){.type = SPEC_REAL, .real = expr->real};
  case SPEC_OP_TIME:
    return (struct spec_value){.type = SPEC_TIME, .real = expr->real};
  case SPEC_OP_TEXT:
    return (struct spec_value){.type = SPEC_TEXT, .text = expr->name};
  case SPEC_OP_NAME: /* the check has made values of constants */
    return evaluate_nothing;
  case SPEC_OP_ATTRIBUTE:
    return operands->values[expr->side] ? operands->values[expr->side][expr->slot] : evaluate_nothing;
  case SPEC_OP_FIGURE:
    return operands->figure ? operands->figure(operands->context, expr) : evaluate_nothing;
  case SPEC_OP_OR:
  case SPEC_OP_AND:
    return evaluate_join(expr, operands);
  case SPEC_OP_NOT:
    left = evaluate(expr->left, operands);
    return left.type == SPEC_BOOLEAN ? truth(!left.integer) : evaluate_nothing;
  case SPEC_OP_NEGATE:
    left = evaluate(expr->left, operands);
    return negate(&left);
  case SPEC_OP_ADD:
  case SPEC_OP_SUBTRACT:
  case SPEC_OP_MULTIPLY:
  case SPEC_OP_DIVIDE:
    left = evaluate(expr->left, operands);
    right = evaluate(expr->right, operands);
    return calculate(expr->op, &left, &right);
  default:
    left = evaluate(expr->left, operands);
    right = evaluate(expr->right, operands);
    return relate(expr->op, &left, &right);
  }
}

bool evaluate_holds(const struct spec_expr *expr, const struct operands *operands)
{
  struct spec_value value = evaluate(expr, operands);
  return value.type == SPEC_BOOLEAN && value.integer;
}

const char *end_label(const struct spec_end *end)
{
  return end->label ? end->label : end->name;
}

struct spec_interval *find_interval(const struct spec *spec, const char *name)
{
  struct spec_interval *interval = spec->intervals;
  while (interval && strcmp(interval->name, name) != 0)
    interval = interval->next;
  return interval;
}

bool terms_slot(struct spec *spec, const char *name, bool intrinsic, uint32_t *slot)
{
  for (*slot = 0; *slot < spec->slot_count; ++*slot)
    if (spec->slots[*slot].intrinsic == intrinsic && strcmp(spec->slots[*slot].name, name) == 0)
      return true;
  if ((spec->slot_count & (spec->slot_count - 1)) == 0) { /* full: there is room for a power of two */
    struct spec_slot *more = spec_allocate(spec, (spec->slot_count ? 2 * spec->slot_count : 1) * sizeof *more);
    if (!more)
      return false;
    if (spec->slots)
      memcpy(more, spec->slots, spec->slot_count * sizeof *more);
    spec->slots = more;
  }
  spec->slots[spec->slot_count++] = (struct spec_slot){.name = name, .intrinsic = intrinsic};
  return true;
}

static bool terms_fail_memory(const struct term_scope *scope)
{
  return error_set(scope->error, "%s: out of memory", scope->spec->file);
}

/* "`src`, `seq`", for messages. */
static const char *attribute_names(const struct spec_event *event, char text[256])
{
  size_t size = 0;
  text[0] = 0;
  for (const struct spec_attribute *a = event->attributes; a && size < 256; a = a->next)
    size += (size_t)snprintf(text + size, 256 - size, "`%s`, ", a->name);
  return text;
}

static bool find_attribute(struct term_scope *scope, struct spec_expr *expr, const struct spec_event *event)
{
  for (const struct spec_attribute *a = event->attributes; a; a = a->next) {
    if (strcmp(a->name, expr->attribute) == 0) {
      expr->type = a->type;
      return terms_slot(scope->spec, a->name, false, &expr->slot) || terms_fail_memory(scope);
    }
  }
  unsigned most = event->declared ? INTRINSIC_TARGET : INTRINSICS;
  for (unsigned i = 0; i < most; i++) {
    if (strcmp(intrinsics[i].name, expr->attribute) == 0) {
      expr->type = intrinsics[i].type;
      return terms_slot(scope->spec, intrinsics[i].name, true, &expr->slot) || terms_fail_memory(scope);
    }
  }
  if (!event->declared) {
    expr->type = SPEC_ANY;
    return terms_slot(scope->spec, expr->attribute, false, &expr->slot) || terms_fail_memory(scope);
  }
  char names[256];
  return spec_error(scope->spec, expr->place, scope->error,
                    "the event `%s` has no attribute `%s`: %s`thread`, `time`, `process`, `member`, `construct`, "
                    "`line`, `file`, `function` or `thread_name` expected",
                    event->name, expr->attribute, attribute_names(event, names));
}

/* The labels that can be named, for messages. */
static const char *labels_of(const struct term_scope *scope, char text[256])
{
  size_t size = 0;
  text[0] = 0;
  for (unsigned side = 0; side < SPEC_SIDES && size < 256; side++)
    if (scope->ends[side])
      size += (size_t)snprintf(text + size, 256 - size, "%s`%s`", size ? " or " : "", end_label(scope->ends[side]));
  return text;
}

static bool check_event_attribute(struct term_scope *scope, struct spec_expr *expr)
{
  const struct spec_end *found = NULL;
  char labels[256];
  for (unsigned side = 0; side < SPEC_SIDES; side++) {
    const struct spec_end *end = scope->ends[side];
    if (!end || strcmp(end_label(end), expr->name) != 0)
      continue;
    if (found)
      return spec_error(scope->spec, expr->place, scope->error,
                        "both events are called `%s`: give them labels, as in [ a:%s -> b:%s ]", expr->name,
                        found->name, end->name);
    found = end;
    expr->side = (enum spec_side)side;
  }
  if (found)
    return find_attribute(scope, expr, found->event);
  if (scope->refused && strcmp(scope->refused, expr->name) == 0)
    return spec_error(scope->spec, expr->place, scope->error,
                      "the condition of an event between start and end cannot name the end: %s expected",
                      labels_of(scope, labels));
  return spec_error(scope->spec, expr->place, scope->error, "no event here is called `%s`: %s expected", expr->name,
                    labels_of(scope, labels));
}

/* In an assertion: the variable, or the name of an interval. */
static bool check_metric(struct term_scope *scope, struct spec_expr *expr)
{
  static const struct {
    const char *name;
    enum spec_type type;
  } metrics[SPEC_METRICS] = {[SPEC_M_TIME] = {"time", SPEC_TIME},
                             [SPEC_M_BEGIN] = {"begin", SPEC_TIME},
                             [SPEC_M_END] = {"end", SPEC_TIME},
                             [SPEC_M_FROM] = {"from", SPEC_INTEGER},
                             [SPEC_M_TO] = {"to", SPEC_INTEGER}};
  const char *variable = scope->assertion->variable;
  struct spec_interval *interval = NULL;
  if (variable)
    interval = strcmp(variable, expr->name) == 0 ? scope->interval : NULL;
  else
    interval = find_interval(scope->spec, expr->name);
  if (!interval && variable)
    return spec_error(scope->spec, expr->place, scope->error, "`%s` is not the assertion's variable: `%s` expected",
                      expr->name, variable);
  if (!interval)
    return spec_error(scope->spec, expr->place, scope->error, "no interval is called `%s`", expr->name);
  if (scope->interval && scope->interval != interval)
    return spec_error(scope->spec, expr->place, scope->error,
                      "the assertion is about each `%s`, and cannot name `%s` too: figures can, as in max(%s)",
                      scope->interval->name, interval->name, interval->name);
  scope->interval = interval;
  expr->side = SPEC_INTERVAL;
  for (unsigned i = 0; i < SPEC_METRICS; i++) {
    if (strcmp(metrics[i].name, expr->attribute) == 0) {
      expr->slot = i;
      expr->type = metrics[i].type;
      return true;
    }
  }
  return spec_error(scope->spec, expr->place, scope->error,
                    "an interval has no attribute `%s`: `time`, `begin`, `end`, `from` or `to` expected",
                    expr->attribute);
}

static bool check_figure(struct term_scope *scope, struct spec_expr *expr)
{
  static const struct {
    const char *name;
    enum spec_type type;
  } figures[SPEC_FIGURES] = {
      [SPEC_F_COUNT] = {"count", SPEC_INTEGER},
      [SPEC_F_UNMATCHED_STARTS] = {"unmatched_starts", SPEC_INTEGER},
      [SPEC_F_UNMATCHED_ENDS] = {"unmatched_ends", SPEC_INTEGER},
      [SPEC_F_TOTAL] = {"total", SPEC_TIME},
      [SPEC_F_MEAN] = {"mean", SPEC_TIME},
      [SPEC_F_DEVIATION] = {"deviation", SPEC_TIME},
      [SPEC_F_MIN] = {"min", SPEC_TIME},
      [SPEC_F_MAX] = {"max", SPEC_TIME},
  };
  if (!scope->assertion)
    return spec_error(scope->spec, expr->place, scope->error,
                      "`%s(...)` is a figure of all intervals: only assertions have it", expr->name);
  const struct spec_interval *interval = find_interval(scope->spec, expr->attribute);
  if (!interval)
    return spec_error(scope->spec, expr->place, scope->error, "no interval is called `%s`", expr->attribute);
  scope->figures = true;
  expr->slot = interval->index;
  for (unsigned i = 0; i < SPEC_FIGURES; i++) {
    if (strcmp(figures[i].name, expr->name) == 0) {
      expr->figure = i;
      expr->type = figures[i].type;
      return true;
    }
  }
  return spec_error(scope->spec, expr->place, scope->error,
                    "`%s` is not a figure: count, unmatched_starts, unmatched_ends, total, mean, deviation, min or max "
                    "expected",
                    expr->name);
}

/* A value of the command line takes precedence over a value of the file. Other expressions see the file's value only if
 * they follow it. */
static const struct spec_constant *find_constant(const struct term_scope *scope, const char *name)
{
  const struct spec_constant *found = NULL;
  bool visible = true;
  for (const struct spec_constant *constant = scope->spec->constants; constant; constant = constant->next) {
    visible = visible && constant != scope->constants_end;
    if (strcmp(constant->name, name) == 0 && (constant->given || (visible && !found)))
      found = constant;
  }
  return found;
}

/* A constant becomes its value. */
static bool check_name(const struct term_scope *scope, struct spec_expr *expr)
{
  const struct spec_constant *constant = find_constant(scope, expr->name);
  if (!constant)
    return spec_error(scope->spec, expr->place, scope->error,
                      "`%s` is not declared: `const %s = ...;` in front of it or --define %s=... expected, or the "
                      "label of an event with an attribute, as in `a.src`",
                      expr->name, expr->name, expr->name);
  struct spec_value value = evaluate(constant->value, &(struct operands){{NULL}, NULL, NULL});
  if (value.type == SPEC_ANY || value.type == SPEC_BOOLEAN)
    return spec_error(scope->spec, constant->value->place, scope->error,
                      "the constant `%s` has no value: a number, a text or a time expected", constant->name);
  expr->op = value.type == SPEC_INTEGER ? SPEC_OP_INTEGER
             : value.type == SPEC_REAL  ? SPEC_OP_REAL
             : value.type == SPEC_TEXT  ? SPEC_OP_TEXT
                                        : SPEC_OP_TIME;
  expr->type = value.type;
  if (value.type == SPEC_INTEGER)
    expr->integer = value.integer;
  else if (value.type == SPEC_TEXT)
    expr->name = value.text;
  else
    expr->real = value.real;
  return true;
}

static bool terms_is_number(enum spec_type type)
{
  return type == SPEC_INTEGER || type == SPEC_REAL || type == SPEC_ANY;
}

static bool fail_types(const struct term_scope *scope, const struct spec_expr *expr, const char *what)
{
  bool time = expr->left->type == SPEC_TIME || expr->right->type == SPEC_TIME;
  bool number = (terms_is_number(expr->left->type) || terms_is_number(expr->right->type)) && time;
  return spec_error(scope->spec, expr->place, scope->error, "%s %s and %s do not go together%s", what,
                    spec_type_name(expr->left->type), spec_type_name(expr->right->type),
                    number ? ": a time has a unit, as in `10 ms`" : "");
}

static bool check_relation(const struct term_scope *scope, struct spec_expr *expr)
{
  enum spec_type left = expr->left->type, right = expr->right->type;
  expr->type = SPEC_BOOLEAN;
  bool good =
      left == SPEC_ANY || right == SPEC_ANY || (terms_is_number(left) && terms_is_number(right)) || left == right;
  if (left == SPEC_BOOLEAN || right == SPEC_BOOLEAN)
    good = false;
  return good || fail_types(scope, expr, "in a comparison");
}

static bool check_calculation(const struct term_scope *scope, struct spec_expr *expr)
{
  enum spec_type left = expr->left->type, right = expr->right->type;
  bool sum = expr->op == SPEC_OP_ADD || expr->op == SPEC_OP_SUBTRACT, divide = expr->op == SPEC_OP_DIVIDE;
  bool text = left == SPEC_TEXT || right == SPEC_TEXT || left == SPEC_BOOLEAN || right == SPEC_BOOLEAN;
  if (!text && (left == SPEC_ANY || right == SPEC_ANY))
    expr->type = SPEC_ANY;
  else if (terms_is_number(left) && terms_is_number(right) && !text)
    expr->type = left == SPEC_INTEGER && right == SPEC_INTEGER && !divide ? SPEC_INTEGER : SPEC_REAL;
  else if (left == SPEC_TIME && right == SPEC_TIME && (sum || divide))
    expr->type = sum ? SPEC_TIME : SPEC_REAL;
  else if ((left == SPEC_TIME && terms_is_number(right) && !sum) ||
           (terms_is_number(left) && right == SPEC_TIME && expr->op == SPEC_OP_MULTIPLY))
    expr->type = SPEC_TIME;
  else
    return fail_types(scope, expr, "in a calculation");
  return true;
}

/* The operand of `!`, `&&` and `||`, and the whole of a condition. */
static bool must_be_condition(const struct term_scope *scope, const struct spec_expr *expr)
{
  return expr->type == SPEC_BOOLEAN ||
         spec_error(scope->spec, expr->place, scope->error, "this is %s: a condition expected, as in `a.src == b.src`",
                    spec_type_name(expr->type));
}

static bool check_operator(struct term_scope *scope, struct spec_expr *expr)
{
  if (!terms_check(scope, expr->left) || (expr->right && !terms_check(scope, expr->right)))
    return false;
  switch (expr->op) {
  case SPEC_OP_OR:
  case SPEC_OP_AND:
  case SPEC_OP_NOT:
    expr->type = SPEC_BOOLEAN;
    return must_be_condition(scope, expr->left) && (!expr->right || must_be_condition(scope, expr->right));
  case SPEC_OP_NEGATE:
    expr->type = expr->left->type;
    return terms_is_number(expr->type) || expr->type == SPEC_TIME ||
           spec_error(scope->spec, expr->place, scope->error, "`-` in front of %s: a number or a time expected",
                      spec_type_name(expr->type));
  case SPEC_OP_ADD:
  case SPEC_OP_SUBTRACT:
  case SPEC_OP_MULTIPLY:
  case SPEC_OP_DIVIDE:
    return check_calculation(scope, expr);
  default:
    return check_relation(scope, expr);
  }
}

bool terms_check(struct term_scope *scope, struct spec_expr *expr)
{
  switch (expr->op) {
  case SPEC_OP_INTEGER:
    expr->type = SPEC_INTEGER;
    return true;
  case SPEC_OP_REAL:
    expr->type = SPEC_REAL;
    return true;
  case SPEC_OP_TEXT:
    expr->type = SPEC_TEXT;
    return true;
  case SPEC_OP_TIME:
    expr->type = SPEC_TIME;
    return true;
  case SPEC_OP_NAME:
    return check_name(scope, expr);
  case SPEC_OP_ATTRIBUTE:
    return scope->assertion ? check_metric(scope, expr) : check_event_attribute(scope, expr);
  case SPEC_OP_FIGURE:
    return check_figure(scope, expr);
  default:
    return check_operator(scope, expr);
  }
}

bool terms_check_condition(struct term_scope *scope, struct spec_expr *expr)
{
  return terms_check(scope, expr) && must_be_condition(scope, expr);
}
