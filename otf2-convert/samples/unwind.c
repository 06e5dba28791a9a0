#include "otf2-convert/samples/unwind.h"

#include <dwarf.h>

#define UNWIND_DEPTH_MOST 32 /* of an expression's stack */

/* The values that rules are about. */
struct unwind_frame {
  const struct unwind_sources *sources;
  struct unwind_registers registers;
  uint64_t cfa;
  bool has_cfa;
};

static bool get(const struct unwind_frame *frame, uint64_t number, uint64_t *value)
{
  if (number >= FRAME_REGISTERS || (frame->registers.known >> number & 1) == 0)
    return false;
  *value = frame->registers.of[number];
  return true;
}

/* An operation on the two values on top. False: it is none that call frame information has. */
static bool combine(unsigned atom, uint64_t a, uint64_t b, uint64_t *result)
{
  int64_t x = (int64_t)a, y = (int64_t)b;
  switch (atom) {
  case DW_OP_plus:
    return *result = a + b, true;
  case DW_OP_minus:
    return *result = a - b, true;
  case DW_OP_mul:
    return *result = a * b, true;
  case DW_OP_and:
    return *result = a & b, true;
  case DW_OP_or:
    return *result = a | b, true;
  case DW_OP_xor:
    return *result = a ^ b, true;
  case DW_OP_shl:
    return *result = b < 64 ? a << b : 0, true;
  case DW_OP_shr:
    return *result = b < 64 ? a >> b : 0, true;
  case DW_OP_ge:
    return *result = x >= y, true;
  case DW_OP_gt:
    return *result = x > y, true;
  case DW_OP_le:
    return *result = x <= y, true;
  case DW_OP_lt:
    return *result = x < y, true;
  case DW_OP_eq:
    return *result = x == y, true;
  case DW_OP_ne:
    return *result = x != y, true;
  default:
    return false;
  }
}

/* The value of an operation without operands on the stack. */
static bool push_value(const struct unwind_frame *frame, const Dwarf_Op *op, uint64_t *value)
{
  if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
    return *value = op->atom - DW_OP_lit0, true;
  if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
    bool known = get(frame, op->atom - DW_OP_breg0, value);
    *value += op->number;
    return known;
  }
  switch (op->atom) {
  case DW_OP_bregx: {
    bool known = get(frame, op->number, value);
    *value += op->number2;
    return known;
  }
  case DW_OP_call_frame_cfa:
    return *value = frame->cfa, frame->has_cfa;
  case DW_OP_addr:
  case DW_OP_const1u:
  case DW_OP_const2u:
  case DW_OP_const4u:
  case DW_OP_const8u:
  case DW_OP_constu:
  case DW_OP_const1s:
  case DW_OP_const2s:
  case DW_OP_const4s:
  case DW_OP_const8s:
  case DW_OP_consts:
    return *value = op->number, true;
  default:
    return false;
  }
}

/* Expressions have no jumps: libdw hands them over as they are, and none that compilers make for frames has one. */
static bool evaluate(const struct unwind_frame *frame, const struct frame_rule *rule, uint64_t *result)
{
  uint64_t stack[UNWIND_DEPTH_MOST] = {0};
  size_t depth = 0;
  for (size_t i = 0; i < rule->operations; i++) {
    const Dwarf_Op *op = &rule->expression[i];
    if (op->atom == DW_OP_deref) {
      if (depth < 1 || !frame->sources->word(frame->sources->context, stack[depth - 1], &stack[depth - 1]))
        return false;
    } else if (op->atom == DW_OP_plus_uconst) {
      if (depth < 1)
        return false;
      stack[depth - 1] += op->number;
    } else if (op->atom == DW_OP_nop) {
      continue;
    } else if (depth >= 2 && combine(op->atom, stack[depth - 2], stack[depth - 1], &stack[depth - 2])) {
      depth--;
    } else if (depth == UNWIND_DEPTH_MOST || !push_value(frame, op, &stack[depth++])) {
      return false;
    }
  }
  *result = stack[depth > 0 ? depth - 1 : 0];
  return depth > 0;
}

static bool unwind_apply(const struct unwind_frame *frame, const struct frame_rule *rule, unsigned number,
                         uint64_t *value)
{
  uint64_t address;
  switch (rule->how) {
  case FRAME_SAME:
    return get(frame, number, value);
  case FRAME_SAVED:
    return frame->has_cfa && frame->sources->word(frame->sources->context, frame->cfa + (uint64_t)rule->offset, value);
  case FRAME_IS:
    if (rule->base == FRAME_REGISTERS)
      *value = frame->cfa;
    else if (!get(frame, rule->base, value))
      return false;
    *value += (uint64_t)rule->offset;
    return rule->base != FRAME_REGISTERS || frame->has_cfa;
  case FRAME_SAVED_BY:
    return evaluate(frame, rule, &address) && frame->sources->word(frame->sources->context, address, value);
  case FRAME_IS_BY:
    return evaluate(frame, rule, value);
  case FRAME_UNKNOWN:
    break;
  }
  return false;
}

/* Goes to the caller. False: there is none that is known. */
static bool step_by_row(struct unwind_frame *frame, const struct frame_row *row)
{
  struct unwind_registers caller = {.known = 0};
  frame->has_cfa = false;
  frame->has_cfa = unwind_apply(frame, &row->cfa, FRAME_REGISTERS, &frame->cfa);
  if (!frame->has_cfa)
    return false;
  for (unsigned i = 0; i < FRAME_REGISTERS; i++)
    if (unwind_apply(frame, &row->of[i], i, &caller.of[i]))
      caller.known |= 1u << i;
  frame->registers = caller;
  return (caller.known >> FRAME_PC & 1) != 0 && (caller.known >> FRAME_SP & 1) != 0;
}

/* The same by frame pointers: the function's own is at the place where it saved its caller's. A thread's first function
 * has none. */
static bool step_by_pointer(struct unwind_frame *frame, bool *outermost)
{
  const struct unwind_sources *sources = frame->sources;
  struct unwind_registers caller = {.known = 1u << FRAME_PC | 1u << FRAME_BP | 1u << FRAME_SP};
  uint64_t bp, sp, address;
  bool code = false;
  bool known = get(frame, FRAME_BP, &bp) && get(frame, FRAME_SP, &sp);
  *outermost = known && bp == 0;
  if (!known || bp < sp || bp % 8 != 0 || !sources->word(sources->context, bp, &caller.of[FRAME_BP]) ||
      !sources->word(sources->context, bp + 8, &caller.of[FRAME_PC]))
    return false;
  caller.of[FRAME_SP] = bp + 16;
  address = caller.of[FRAME_PC] - 1;
  sources->rules(sources->context, &address, &code);
  frame->registers = caller;
  return code;
}

struct unwound unwind(const struct unwind_sources *sources, struct unwind_registers registers, uint64_t *addresses,
                      size_t most)
{
  struct unwind_frame frame = {.sources = sources, .registers = registers};
  struct unwound result = {0};
  bool returned = false; /* the address is one behind a call */
  while (result.depth < most) {
    uint64_t pc = frame.registers.of[FRAME_PC], sp = frame.registers.of[FRAME_SP], address = pc - returned;
    bool code = false;
    if (pc == 0) {
      result.whole = true;
      break;
    }
    addresses[result.depth++] = returned ? pc : pc + 1;
    struct frame_rules *rules = sources->rules(sources->context, &address, &code);
    const struct frame_row *row = rules != NULL ? frame_rules_row(rules, address) : NULL;
    bool known = row != NULL && row->known;
    if (known && row->outermost) {
      result.whole = true;
      break;
    }
    if (known ? !step_by_row(&frame, row) : !step_by_pointer(&frame, &result.whole))
      break;
    /* Callers lie further up; a leaf may have moved nothing but its return address. Signals may have other stacks. */
    if (frame.registers.of[FRAME_SP] <= sp && !(known && row->signal))
      break;
    returned = !(known && row->signal);
  }
  return result;
}
