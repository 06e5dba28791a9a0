#include "jvmti-agent/weaver/sound.h"

#include "jvmti-agent/weaver/class_file.h"

static bool is_constant(const struct class_file *file, unsigned number)
{
  return number > 0 && number < file->pool_count && file->pool[number] != 0;
}

/* The constants that a constant names. Bootstrap methods are numbers of an attribute. */
static bool constant_is_sound(const struct class_file *file, const uint8_t *at)
{
  switch (*at) {
  case CONSTANT_CLASS:
  case CONSTANT_STRING:
  case CONSTANT_METHOD_TYPE:
  case CONSTANT_MODULE:
  case CONSTANT_PACKAGE:
    return class_utf8(file, class_u2(at + 1)).bytes;
  case CONSTANT_FIELD:
  case CONSTANT_METHOD:
  case CONSTANT_INTERFACE_METHOD:
  case CONSTANT_NAME_AND_TYPE:
    return is_constant(file, class_u2(at + 1)) && is_constant(file, class_u2(at + 3));
  case CONSTANT_DYNAMIC:
  case CONSTANT_INVOKE_DYNAMIC:
    return is_constant(file, class_u2(at + 3));
  case CONSTANT_METHOD_HANDLE:
    return is_constant(file, class_u2(at + 2));
  default:
    return true;
  }
}

/* The number of the first variable behind those that an instruction uses; 0: it uses none. */
static unsigned variables_of(const uint8_t *at)
{
  bool wide = at[0] == OP_WIDE;
  uint8_t op = wide ? at[1] : at[0];
  unsigned type = op >= OP_ISTORE ? OP_ISTORE : OP_ILOAD, number = wide ? class_u2(at + 2) : at[1];
  if ((op >= OP_ILOAD && op <= OP_ALOAD) || (op >= OP_ISTORE && op <= OP_ASTORE))
    return number + 1 + (op - type == 1 || op - type == 3);
  if (op == OP_IINC)
    return number + 1;
  type = op >= OP_ISTORE_0 ? OP_ISTORE_0 : OP_ILOAD_0;
  if ((op >= OP_ILOAD_0 && op <= OP_ALOAD_0 + 3) || (op >= OP_ISTORE_0 && op <= OP_ASTORE_0 + 3))
    return (op - type) % 4 + 1 + ((op - type) / 4 == 1 || (op - type) / 4 == 3);
  return 0;
}

/* The constant that an instruction names; 0: none. */
static unsigned constant_of(const uint8_t *at)
{
  if (at[0] == OP_LDC)
    return at[1];
  bool names = at[0] == OP_LDC_W || at[0] == OP_LDC2_W || (at[0] >= OP_GETSTATIC && at[0] <= OP_NEW) ||
               at[0] == OP_ANEWARRAY || at[0] == OP_CHECKCAST || at[0] == OP_INSTANCEOF || at[0] == OP_MULTIANEWARRAY;
  return names ? class_u2(at + 1) : 0;
}

static bool names_constant(uint8_t op)
{
  return constant_of((const uint8_t[]){op, 1, 1}) != 0;
}

/* Blanks between a switch and its operands are zeros. */
static bool switch_is_sound(const uint8_t *code, uint32_t pc)
{
  if (code[pc] == OP_TABLESWITCH || code[pc] == OP_LOOKUPSWITCH)
    for (uint32_t at = pc + 1; at % 4 != 0; at++)
      if (code[at] != 0)
        return false;
  return true;
}

static bool code_is_sound(const struct class_file *file, const struct class_method *method)
{
  const uint8_t *code = file->bytes + method->code, *exceptions = code + method->code_size;
  unsigned locals = class_u2(code - 6);
  uint32_t pc = 0, length;
  while ((length = class_instruction(file, method, pc)) > 0) {
    if ((names_constant(code[pc]) && !is_constant(file, constant_of(code + pc))) || variables_of(code + pc) > locals ||
        !switch_is_sound(code, pc))
      return false;
    pc += length;
  }
  for (unsigned n = class_u2(exceptions), i = 0; i < n; i++) {
    unsigned class = class_u2(exceptions + 2 + 8u * i + 6);
    if (class != 0 && !class_name(file, (uint16_t)class).bytes)
      return false;
  }
  return pc == method->code_size;
}

/* Fields, in front of the methods; all lengths were checked. */
static bool members_are_sound(const struct class_file *file)
{
  const uint8_t *at = file->bytes + file->pool_end + 6;
  for (unsigned n = class_u2(at), i = 0; i < n; i++)
    if (!class_name(file, class_u2(at + 2 + 2u * i)).bytes)
      return false;
  at += 2 + 2u * class_u2(at);
  unsigned fields = class_u2(at);
  for (at += 2; fields > 0; fields--) {
    if (!class_utf8(file, class_u2(at + 2)).bytes || !class_utf8(file, class_u2(at + 4)).bytes)
      return false;
    unsigned attributes = class_u2(at + 6);
    for (at += 8; attributes > 0; attributes--)
      at += 6 + class_u4(at + 2);
  }
  return true;
}

bool class_is_sound(const struct class_file *file)
{
  if (file->super_class != 0 && !class_name(file, file->super_class).bytes)
    return false;
  for (unsigned i = 1; i < file->pool_count; i++)
    if (file->pool[i] != 0 && !constant_is_sound(file, file->bytes + file->pool[i]))
      return false;
  for (unsigned i = 0; i < file->method_count; i++)
    if (file->methods[i].code != 0 && !code_is_sound(file, &file->methods[i]))
      return false;
  return members_are_sound(file);
}

bool class_read_sound(struct class_file *file, const uint8_t *bytes, size_t size)
{
  if (!class_file_read(file, bytes, size))
    return false;
  bool sound = class_is_sound(file);
  if (!sound)
    class_file_free(file);
  return sound;
}
