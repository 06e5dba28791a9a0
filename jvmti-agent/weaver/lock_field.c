#include "jvmti-agent/weaver/lock_field.h"

#include "jvmti-agent/weaver/class_file.h"
#include "jvmti-agent/weaver/class_output.h"

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

/* How many arguments the instruction takes beside its object; false: it is none that has one. */
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
