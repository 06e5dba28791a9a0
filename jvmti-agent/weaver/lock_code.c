#include "jvmti-agent/weaver/lock_code.h"

#include "base/count_of.h"
#include "jvmti-agent/weaver/class_file.h"
#include "jvmti-agent/weaver/class_output.h"

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

/* The handler keeps the exception, loads an object and releases its monitor. */
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

/* Instructions between a field's load and the instruction that acts on the object, at most. */
#define FAR 16u

/* The latest instructions, the newest first at `at`. */
struct window {
  const uint8_t *code;
  uint32_t starts[FAR];
  unsigned count, taken;
};

static const uint8_t *instruction(const struct window *window)
{
  return window->taken < window->count ? window->code + window->starts[window->count - 1 - window->taken] : NULL;
}

static void slide(struct window *window, uint32_t pc)
{
  if (window->count == FAR) {
    memmove(window->starts, window->starts + 1, (FAR - 1) * sizeof *window->starts);
    window->count--;
  }
  window->starts[window->count++] = pc;
}

/* The instructions up to the one at pc, or up to the monitorenter behind it. */
static bool read_up_to(struct window *window, const struct class_file *file, const struct class_method *method,
                       uint32_t pc)
{
  uint32_t length;
  for (uint32_t at = 0; (length = class_instruction(file, method, at)) > 0; at += length) {
    slide(window, at);
    if (window->code[at] == OP_MONITORENTER ? at >= pc : at == pc && window->code[at] >= OP_INVOKEVIRTUAL)
      return true;
    if (at > pc)
      return false;
  }
  return false;
}

static bool is_push(uint8_t op)
{
  return (op >= OP_ACONST_NULL && op <= OP_ALOAD_0 + 3) || op == OP_GETSTATIC;
}

static bool is_field(uint8_t op)
{
  return op == OP_GETFIELD || op == OP_GETSTATIC;
}

/* Counts the arguments of the instruction beside its object; false: it has no object. */
static bool arguments_of(const struct class_file *file, const uint8_t *at, unsigned *count, struct span *call)
{
  struct class_method_ref ref;
  struct signature signature;
  *count = 0;
  *call = (struct span){0};
  if (at[0] == OP_MONITORENTER)
    return true;
  if ((at[0] != OP_INVOKEVIRTUAL && at[0] != OP_INVOKEINTERFACE) || !class_call_ref(file, class_u2(at + 1), &ref) ||
      !signature_read(&signature, ref.descriptor, true))
    return false;
  *call = ref.name;
  *count = signature.count;
  return true;
}

/* Goes back over what puts so many values on the stack. */
static bool pass_values(struct window *window, unsigned count)
{
  for (const uint8_t *at; count > 0; window->taken++) {
    if (!(at = instruction(window)) || (!is_push(*at) && *at != OP_GETFIELD))
      return false;
    count -= is_push(*at); /* a field's object comes before it */
  }
  return true;
}

static bool pass_copies(struct window *window)
{
  for (const uint8_t *at; (at = instruction(window)); window->taken++)
    if (*at != OP_DUP && *at != OP_ASTORE && !(*at >= OP_ASTORE_0 && *at <= OP_ASTORE_0 + 3) && *at != OP_CHECKCAST)
      return true;
  return false;
}

/* Goes back over a call that returns a part of the lock in the field: `table.readLock().lock()`. */
static void pass_part(struct window *window, const struct class_file *file)
{
  static const char *const parts[] = {"readLock", "writeLock", "asReadLock", "asWriteLock"};
  const uint8_t *at = instruction(window);
  struct span call;
  unsigned arguments;
  if (!at || *at == OP_MONITORENTER || !arguments_of(file, at, &arguments, &call) || arguments > 0)
    return;
  for (unsigned i = 0; i < COUNT_OF(parts); i++)
    if (call.size == strlen(parts[i]) && memcmp(call.bytes, parts[i], call.size) == 0) {
      window->taken++;
      return;
    }
}

static bool is_array(const struct class_file *file, const uint8_t *at)
{
  struct class_method_ref ref;
  return is_field(*at) && class_field_ref(file, class_u2(at + 1), &ref) && ref.descriptor.bytes[0] == '[';
}

/* Goes back over an index (variables, constants, other fields, arithmetic of them) to the field of the array. */
static bool pass_index(struct window *window, const struct class_file *file)
{
  for (const uint8_t *at; (at = instruction(window)) && !is_array(file, at); window->taken++) {
    bool arithmetic = *at >= OP_IADD && *at < OP_IINC;
    if (!is_push(*at) && *at != OP_GETFIELD && *at != OP_AALOAD && !arithmetic)
      return false;
  }
  return instruction(window) != NULL;
}

bool lock_field_find(const struct class_file *file, const struct class_method *method, uint32_t pc,
                     struct lock_field *field)
{
  struct window window = {.code = file->bytes + method->code};
  struct class_method_ref ref;
  unsigned arguments;
  if (method->code == 0 || !read_up_to(&window, file, method, pc) ||
      !arguments_of(file, instruction(&window), &arguments, &field->call))
    return false;
  window.taken = 1;
  if (!pass_values(&window, arguments) || !pass_copies(&window))
    return false;
  pass_part(&window, file);
  field->element = *instruction(&window) == OP_AALOAD;
  window.taken += field->element;
  if (field->element && !pass_index(&window, file))
    return false;
  const uint8_t *at = instruction(&window);
  if (!at || !is_field(*at) || !class_field_ref(file, class_u2(at + 1), &ref))
    return false;
  field->owner = ref.owner;
  field->name = ref.name;
  return true;
}

bool lock_field_open(struct class_file *file, struct class_method *method, const uint8_t *bytes, size_t size,
                     size_t code)
{
  if (size <= code || !class_constants_read(file, bytes, code))
    return false;
  *method = (struct class_method){.code = code, .code_size = (uint32_t)(size - code)};
  file->size = size;
  return true;
}
