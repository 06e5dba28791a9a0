/* The instructions of a method: how long each is, and which switch a value goes to. */
#include "jvmti-agent/weaver/class_file.h"
#include "jvmti-agent/weaver/opcodes.h"

/* Lengths of the instructions 0 ... 201; 0: it varies, or there is no such one. */
static const uint8_t lengths[] = {
    /*   0 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 2, 3, 3,
    /*  21 */ 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /*  46 */ 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /*  71 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /*  96 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /* 121 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /* 146 */ 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 2, 0,
    /* 171 */ 0, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 5, 5, 3, 2, 3, 1, 1, 3, 3, 1, 1,
    /* 196 */ 0, 4, 3, 3, 5, 5};
_Static_assert(sizeof lengths == 202, "one length an instruction");

/* The length of a tableswitch or lookupswitch at pc; 0: it is cut off. */
static uint32_t switch_length(const uint8_t *code, uint32_t size, uint32_t pc)
{
  uint32_t at = (pc + 4) & ~3u; /* the operands are aligned */
  if (size < 12 || at > size - 12)
    return 0;
  uint64_t words;
  if (code[pc] == OP_TABLESWITCH) {
    int64_t low = (int32_t)class_u4(code + at + 4), high = (int32_t)class_u4(code + at + 8);
    if (low > high)
      return 0;
    words = 3 + (uint64_t)(high - low + 1);
  } else {
    words = 2 + 2 * (uint64_t)class_u4(code + at + 4);
  }
  uint64_t end = at + 4 * words;
  return end <= size ? (uint32_t)end - pc : 0;
}

uint32_t class_instruction(const struct class_file *file, const struct class_method *method, uint32_t pc)
{
  const uint8_t *code = file->bytes + method->code;
  uint32_t size = method->code_size;
  if (method->code == 0 || pc >= size || code[pc] >= sizeof lengths)
    return 0;
  uint32_t length = lengths[code[pc]];
  if (code[pc] == OP_TABLESWITCH || code[pc] == OP_LOOKUPSWITCH)
    return switch_length(code, size, pc);
  if (code[pc] == OP_WIDE)
    length = size - pc > 1 && code[pc + 1] == OP_IINC ? 6 : 4;
  return length <= size - pc ? length : 0;
}

bool class_keeps_this(const struct class_file *file, const struct class_method *method)
{
  uint32_t length;
  if (method->access & ACC_STATIC)
    return false;
  for (uint32_t pc = 0; (length = class_instruction(file, method, pc)) > 0; pc += length) {
    const uint8_t *at = file->bytes + method->code + pc;
    for (unsigned type = 0; type < 5; type++) /* int, long, float, double, object */
      if (at[0] == OP_ISTORE_0 + 4 * type || (at[0] == OP_ISTORE + type && at[1] == 0) ||
          (at[0] == OP_WIDE && at[1] == OP_ISTORE + type && class_u2(at + 2) == 0))
        return false;
  }
  return true;
}

/* Whether an instruction only converts, copies or keeps the number on top of the stack. */
static bool keeps_number(uint8_t op)
{
  return op == OP_L2I || op == OP_I2L || op == OP_DUP || op == OP_DUP2 || op == OP_ISTORE || op == OP_LSTORE ||
         op == OP_ILOAD || op == OP_LLOAD || (op >= OP_ISTORE_0 && op <= OP_LSTORE_0 + 3) ||
         (op >= OP_ILOAD_0 && op <= OP_LLOAD_0 + 3);
}

/* Where a case of the (whole) switch at pc begins; false: there is no such case. */
static bool find_case(const uint8_t *code, uint32_t pc, int32_t value, uint32_t *begin)
{
  const uint8_t *operands = code + ((pc + 4) & ~3u);
  int64_t first = (int32_t)class_u4(operands + 4);
  if (code[pc] == OP_TABLESWITCH) {
    if (value < first || value > (int32_t)class_u4(operands + 8))
      return false;
    *begin = pc + class_u4(operands + 12 + 4 * (value - first));
    return *begin != pc + class_u4(operands); /* a gap of the table leads to the default */
  }
  for (int64_t i = 0; i < first; i++)
    if ((int32_t)class_u4(operands + 8 + 8 * i) == value) {
      *begin = pc + class_u4(operands + 12 + 8 * i);
      return true;
    }
  return false;
}

/* The first instruction from pc on that does something with the number on the stack; 0: there is none. */
static uint8_t next_use(const struct class_file *file, const struct class_method *method, uint32_t *pc)
{
  const uint8_t *code = file->bytes + method->code;
  uint32_t length;
  while ((length = class_instruction(file, method, *pc)) > 0 && keeps_number(code[*pc]))
    *pc += length;
  return length > 0 ? code[*pc] : 0;
}

bool class_is_compared_with_zero(const struct class_file *file, const struct class_method *method, uint32_t pc)
{
  uint8_t use = next_use(file, method, &pc);
  if (use == OP_LCONST_0)
    return class_instruction(file, method, ++pc) > 0 && file->bytes[method->code + pc] == OP_LCMP;
  return use >= OP_IFEQ && use <= OP_IFLE;
}

unsigned class_switch(const struct class_file *file, const struct class_method *method, uint32_t pc, uint32_t *cases,
                      unsigned most)
{
  uint8_t use = next_use(file, method, &pc);
  unsigned n = 0;
  if (use == OP_TABLESWITCH || use == OP_LOOKUPSWITCH)
    while (n < most && find_case(file->bytes + method->code, pc, (int32_t)n, &cases[n]))
      n++;
  return n;
}
