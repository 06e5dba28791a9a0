#include "jvmti-agent/weaver/rewrite.h"

#include "jvmti-agent/weaver/class_file.h"
#include "jvmti-agent/weaver/relocate.h"

#include <stdlib.h>

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

/* The number of the first variable behind the variables that an instruction uses; 0: it uses none. */
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

/* True if all constants that the class, its members and its instructions name are there, and the variables fit. */
static bool class_is_sound(const struct class_file *file)
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

#define ATTRIBUTE "HeddleWoven"

/*
 * The content of the attribute: the former number of constants (2 bytes), the former class file's checksum (8), the
 * number of methods (2). Then, for each method, its number (2), its length (4) and its bytes.
 */
#define HEAD_BYTES 12u

void rewrite_begin(struct rewriting *rewriting, const struct class_file *file)
{
  *rewriting = (struct rewriting){.file = file};
  constants_init(&rewriting->constants, file->pool_count);
}

/* Appends a method_info with another Code attribute. */
static bool put_method(struct rewriting *rewriting, const struct relocation *relocation)
{
  const struct class_method *method = relocation->method;
  const uint8_t *bytes = rewriting->file->bytes;
  size_t code_at = method->code - 14; /* of the attribute: see relocate() */
  size_t code_end = method->code - 8 + class_u4(bytes + code_at + 2);
  buffer_add(&rewriting->methods, bytes + method->at, code_at - method->at);
  if (!relocate(&rewriting->methods, relocation))
    return false;
  buffer_add(&rewriting->methods, bytes + code_end, method->end - code_end);
  return true;
}

bool rewrite_change(struct rewriting *rewriting, const struct relocation *relocation)
{
  const struct class_method *method = &rewriting->file->methods[rewriting->taken];
  size_t begin = rewriting->methods.size;
  if (!put_method(rewriting, relocation)) {
    if (!rewriting->methods.failed)
      rewriting->methods.size = begin;
    rewrite_keep(rewriting);
    return false;
  }
  buffer_u2(&rewriting->replaced, rewriting->taken);
  buffer_u4(&rewriting->replaced, (uint32_t)(method->end - method->at));
  buffer_add(&rewriting->replaced, rewriting->file->bytes + method->at, method->end - method->at);
  rewriting->taken++;
  rewriting->changed++;
  return true;
}

void rewrite_keep(struct rewriting *rewriting)
{
  const struct class_method *method = &rewriting->file->methods[rewriting->taken++];
  buffer_add(&rewriting->methods, rewriting->file->bytes + method->at, method->end - method->at);
}

/* FNV-1a. */
static uint64_t checksum(const uint8_t *bytes, size_t size)
{
  uint64_t sum = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; i++)
    sum = (sum ^ bytes[i]) * 0x100000001b3u;
  return sum;
}

static void put_together(struct rewriting *rewriting, struct buffer *out)
{
  const struct class_file *file = rewriting->file;
  uint16_t name = constants_text(&rewriting->constants, ATTRIBUTE);
  uint64_t sum = checksum(file->bytes, file->size);
  out->failed = !constants_are_sound(&rewriting->constants) || rewriting->methods.failed ||
                rewriting->replaced.failed || file->attribute_count == UINT16_MAX ||
                rewriting->replaced.size > UINT32_MAX - HEAD_BYTES;
  buffer_add(out, file->bytes, 8);
  buffer_u2(out, rewriting->constants.count);
  buffer_add(out, file->bytes + 10, file->pool_end - 10);
  buffer_add(out, rewriting->constants.bytes.bytes, rewriting->constants.bytes.size);
  buffer_add(out, file->bytes + file->pool_end, file->methods_at + 2 - file->pool_end);
  buffer_add(out, rewriting->methods.bytes, rewriting->methods.size);
  buffer_u2(out, file->attribute_count + 1u);
  buffer_add(out, file->bytes + file->methods_end + 2, file->size - file->methods_end - 2);
  buffer_u2(out, name);
  buffer_u4(out, HEAD_BYTES + (uint32_t)rewriting->replaced.size);
  buffer_u2(out, file->pool_count);
  buffer_u4(out, (uint32_t)(sum >> 32));
  buffer_u4(out, (uint32_t)sum);
  buffer_u2(out, rewriting->changed);
  buffer_add(out, rewriting->replaced.bytes, rewriting->replaced.size);
}

struct buffer rewrite_end(struct rewriting *rewriting)
{
  struct buffer out = {0};
  if (rewriting->changed > 0)
    put_together(rewriting, &out);
  if (out.failed) {
    free(out.bytes);
    out = (struct buffer){0};
  }
  free(rewriting->methods.bytes);
  free(rewriting->replaced.bytes);
  free(rewriting->constants.bytes.bytes);
  return out;
}

/* The JVM may keep the name of the attribute in a class that is no longer rewritten. */
bool rewrite_is_done(const uint8_t *bytes, size_t size)
{
  struct class_file file;
  if (!memmem(bytes, size, ATTRIBUTE, strlen(ATTRIBUTE)) || !class_file_read(&file, bytes, size))
    return false;
  bool done = false;
  const uint8_t *at = bytes + file.methods_end + 2;
  for (unsigned i = 0; i < file.attribute_count && !done; i++, at += 6 + class_u4(at + 2))
    done = span_is(class_utf8(&file, class_u2(at)), ATTRIBUTE);
  class_file_free(&file);
  return done;
}

/* Returns the end of the class' original constants, which is at one of the later ones. 0: not found. */
static size_t old_pool_end(const struct class_file *file, unsigned count)
{
  return count > 0 && count < file->pool_count ? file->pool[count] : 0;
}

/* Appends the methods; those in the list replace the methods with their numbers. */
static void put_back(const struct class_file *file, const uint8_t *list, const uint8_t *end, struct buffer *out)
{
  unsigned left = class_u2(list);
  list += 2;
  for (unsigned i = 0; i < file->method_count; i++) {
    const struct class_method *method = &file->methods[i];
    if (left == 0 || end - list < 6 || class_u2(list) != i) {
      buffer_add(out, file->bytes + method->at, method->end - method->at);
      continue;
    }
    uint32_t size = class_u4(list + 2);
    list += 6;
    if (size > (size_t)(end - list)) {
      out->failed = true;
      return;
    }
    buffer_add(out, list, size);
    list += size;
    left--;
  }
  out->failed |= left > 0 || list != end;
}

static struct buffer undo_once(const uint8_t *bytes, size_t size)
{
  struct buffer out = {0};
  struct class_file file;
  if (!class_file_read(&file, bytes, size))
    return out;
  const uint8_t *head = bytes + file.last_attribute;
  size_t pool_end = 0;
  if (file.attribute_count > 0 && span_is(class_utf8(&file, class_u2(head)), ATTRIBUTE) &&
      class_u4(head + 2) >= HEAD_BYTES)
    pool_end = old_pool_end(&file, class_u2(head + 6));
  if (pool_end > 0) {
    buffer_add(&out, bytes, 8);
    buffer_u2(&out, class_u2(head + 6));
    buffer_add(&out, bytes + 10, pool_end - 10);
    buffer_add(&out, bytes + file.pool_end, file.methods_at + 2 - file.pool_end);
    put_back(&file, head + 16, bytes + size, &out);
    buffer_u2(&out, file.attribute_count - 1u);
    buffer_add(&out, bytes + file.methods_end + 2, file.last_attribute - file.methods_end - 2);
    uint64_t sum = (uint64_t)class_u4(head + 8) << 32 | class_u4(head + 12);
    out.failed |= !out.failed && checksum(out.bytes, out.size) != sum;
  }
  class_file_free(&file);
  if (out.failed) {
    free(out.bytes);
    out = (struct buffer){0};
  }
  return out;
}

struct buffer rewrite_undo(const uint8_t *bytes, size_t size)
{
  struct buffer before = undo_once(bytes, size), further;
  while (before.bytes && (further = undo_once(before.bytes, before.size)).bytes) {
    free(before.bytes);
    before = further;
  }
  return before;
}
