#include "jvmti-agent/weaver/synchronized.h"

#include "jvmti-agent/weaver/class_file.h"

/* The length of an instruction that loads or stores an object variable (op of the short and of the first fixed form).
 */
static uint32_t variable_length(const struct class_file *file, const struct class_method *method, uint32_t pc,
                                uint8_t op, uint8_t fixed, unsigned *variable)
{
  const uint8_t *at = file->bytes + method->code + pc;
  uint32_t length = class_instruction(file, method, pc);
  if (length == 2 && at[0] == op)
    *variable = at[1];
  else if (length == 1 && at[0] >= fixed && at[0] < fixed + 4)
    *variable = at[0] - (unsigned)fixed;
  else if (length == 4 && at[0] == OP_WIDE && at[1] == op)
    *variable = class_u2(at + 2);
  else
    return 0;
  return length;
}

static uint32_t store(const struct class_file *file, const struct class_method *method, uint32_t pc, unsigned *variable)
{
  return variable_length(file, method, pc, OP_ASTORE, OP_ASTORE_0, variable);
}

uint32_t synchronized_load(const struct class_file *file, const struct class_method *method, uint32_t pc,
                           unsigned *variable)
{
  return variable_length(file, method, pc, OP_ALOAD, OP_ALOAD_0, variable);
}

static bool is_at(const struct class_file *file, const struct class_method *method, uint32_t pc, uint8_t op)
{
  return class_instruction(file, method, pc) == 1 && file->bytes[method->code + pc] == op;
}

unsigned synchronized_entries(const struct class_file *file, const struct class_method *method)
{
  return class_u2(file->bytes + method->code + method->code_size);
}

/* The handler keeps what was thrown, loads an object and gives its monitor up. */
bool synchronized_range(const struct class_file *file, const struct class_method *method, unsigned entry,
                        struct synchronized_range *range)
{
  const uint8_t *at = file->bytes + method->code + method->code_size + 2 + 8 * (size_t)entry;
  unsigned thrown;
  range->from = class_u2(at);
  range->to = class_u2(at + 2);
  range->handler = class_u2(at + 4);
  if (class_u2(at + 6) != 0)
    return false;
  uint32_t stored = store(file, method, range->handler, &thrown);
  uint32_t loaded = stored ? synchronized_load(file, method, range->handler + stored, &range->variable) : 0;
  range->exit = range->handler + stored + loaded;
  return loaded > 0 && is_at(file, method, range->exit, OP_MONITOREXIT);
}

/* The copy of the object goes to a variable, and the object is locked. */
bool synchronized_block(const struct class_file *file, const struct class_method *method, uint32_t pc,
                        struct synchronized_block *block)
{
  unsigned variable;
  uint32_t stored = is_at(file, method, pc, OP_DUP) ? store(file, method, pc + 1, &variable) : 0;
  block->enter = pc + 1 + stored;
  if (stored == 0 || !is_at(file, method, block->enter, OP_MONITORENTER))
    return false;
  for (unsigned i = 0; i < synchronized_entries(file, method); i++)
    if (synchronized_range(file, method, i, &block->range) && block->range.from == block->enter + 1 &&
        block->range.to > block->range.from && block->range.variable == variable)
      return true;
  return false;
}

bool synchronized_exit(const struct class_file *file, const struct class_method *method,
                       const struct synchronized_block *block, uint32_t pc)
{
  unsigned variable;
  struct synchronized_range range;
  uint32_t loaded = synchronized_load(file, method, pc, &variable), exit = pc + loaded;
  if (loaded == 0 || variable != block->range.variable || exit == block->range.exit ||
      !is_at(file, method, exit, OP_MONITOREXIT))
    return false;
  for (unsigned i = 0; i < synchronized_entries(file, method); i++)
    if (synchronized_range(file, method, i, &range) && range.handler == block->range.handler && range.from <= exit &&
        exit < range.to)
      return true;
  return false;
}
