#include "analyzer/analyses/intervals/evaluate.h"

#include "base/hash.h"

#include <math.h>
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
