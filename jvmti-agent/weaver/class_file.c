#include "jvmti-agent/weaver/class_file.h"

#include <stdlib.h>

/* Position in a class file. After a failure all further reads fail. */
struct reader {
  const uint8_t *bytes;
  size_t size, at;
  bool failed;
};

static bool skip(struct reader *reader, size_t n)
{
  if (reader->failed || n > reader->size - reader->at)
    reader->failed = true;
  else
    reader->at += n;
  return !reader->failed;
}

static uint8_t read_u1(struct reader *reader)
{
  return skip(reader, 1) ? reader->bytes[reader->at - 1] : 0;
}

static uint16_t read_u2(struct reader *reader)
{
  return skip(reader, 2) ? class_u2(reader->bytes + reader->at - 2) : 0;
}

static uint32_t read_u4(struct reader *reader)
{
  return skip(reader, 4) ? class_u4(reader->bytes + reader->at - 4) : 0;
}

/* Bytes of a constant behind its tag; SIZE_MAX: there is no such tag. */
static size_t constant_size(uint8_t tag)
{
  switch (tag) {
  case CONSTANT_INTEGER:
  case CONSTANT_FLOAT:
  case CONSTANT_FIELD:
  case CONSTANT_METHOD:
  case CONSTANT_INTERFACE_METHOD:
  case CONSTANT_NAME_AND_TYPE:
  case CONSTANT_DYNAMIC:
  case CONSTANT_INVOKE_DYNAMIC:
    return 4;
  case CONSTANT_LONG:
  case CONSTANT_DOUBLE:
    return 8;
  case CONSTANT_CLASS:
  case CONSTANT_STRING:
  case CONSTANT_METHOD_TYPE:
  case CONSTANT_MODULE:
  case CONSTANT_PACKAGE:
    return 2;
  case CONSTANT_METHOD_HANDLE:
    return 3;
  default:
    return SIZE_MAX;
  }
}

static bool read_pool(struct class_file *file, struct reader *reader)
{
  file->pool_count = read_u2(reader);
  if (reader->failed || file->pool_count == 0)
    return false;
  file->pool = calloc(file->pool_count, sizeof *file->pool);
  if (!file->pool)
    return false;
  for (unsigned i = 1; i < file->pool_count && !reader->failed; i++) {
    file->pool[i] = reader->at;
    uint8_t tag = read_u1(reader);
    size_t size = tag == CONSTANT_UTF8 ? read_u2(reader) : constant_size(tag);
    skip(reader, size);
    if (tag == CONSTANT_LONG || tag == CONSTANT_DOUBLE)
      i++; /* they count twice */
  }
  file->pool_end = reader->at;
  return !reader->failed;
}

/* One attribute: its name, and where its content begins and ends. */
struct attribute {
  struct span name;
  size_t at, end;
};

static bool read_attribute(const struct class_file *file, struct reader *reader, struct attribute *attribute)
{
  attribute->name = class_utf8(file, read_u2(reader));
  uint32_t size = read_u4(reader);
  attribute->at = reader->at;
  skip(reader, size);
  attribute->end = reader->at;
  return !reader->failed && attribute->name.bytes;
}

static bool skip_attributes(const struct class_file *file, struct reader *reader)
{
  struct attribute attribute;
  for (unsigned n = read_u2(reader); n > 0; n--)
    if (!read_attribute(file, reader, &attribute))
      return false;
  return !reader->failed;
}

static bool read_code(const struct class_file *file, struct class_method *method, struct attribute code)
{
  struct reader reader = {.bytes = file->bytes, .size = code.end, .at = code.at};
  skip(&reader, 4); /* max_stack, max_locals */
  method->code_size = read_u4(&reader);
  method->code = reader.at;
  skip(&reader, method->code_size);
  skip(&reader, 8u * read_u2(&reader)); /* exception table */
  method->attributes = reader.at;
  return method->code_size > 0 && skip_attributes(file, &reader) && reader.at == code.end;
}

static bool read_method(const struct class_file *file, struct reader *reader, struct class_method *method)
{
  method->at = reader->at;
  method->access = read_u2(reader);
  method->name = read_u2(reader);
  method->descriptor = read_u2(reader);
  for (unsigned n = read_u2(reader); n > 0; n--) {
    struct attribute attribute;
    if (!read_attribute(file, reader, &attribute))
      return false;
    if (span_is(attribute.name, "Code") && (method->code || !read_code(file, method, attribute)))
      return false;
  }
  method->end = reader->at;
  return !reader->failed && class_utf8(file, method->name).bytes && class_utf8(file, method->descriptor).bytes;
}

static bool read_methods(struct class_file *file, struct reader *reader)
{
  file->methods_at = reader->at;
  file->method_count = read_u2(reader);
  file->methods = calloc(file->method_count + 1u, sizeof *file->methods);
  if (!file->methods)
    return false;
  for (unsigned i = 0; i < file->method_count; i++)
    if (!read_method(file, reader, &file->methods[i]))
      return false;
  file->methods_end = reader->at;
  return !reader->failed;
}

static bool read_all(struct class_file *file, struct reader *reader)
{
  if (read_u4(reader) != 0xcafebabe)
    return false;
  read_u2(reader); /* minor version */
  file->major = read_u2(reader);
  if (!read_pool(file, reader))
    return false;
  file->access = read_u2(reader);
  file->this_class = read_u2(reader);
  file->super_class = read_u2(reader);
  skip(reader, 2u * read_u2(reader)); /* interfaces */
  for (unsigned n = read_u2(reader); n > 0; n--)
    if (!skip(reader, 6) || !skip_attributes(file, reader)) /* a field */
      return false;
  if (!read_methods(file, reader))
    return false;
  file->attribute_count = read_u2(reader);
  for (unsigned n = file->attribute_count; n > 0; n--) {
    struct attribute attribute;
    file->last_attribute = reader->at;
    if (!read_attribute(file, reader, &attribute))
      return false;
    if (span_is(attribute.name, "SourceFile") && attribute.end - attribute.at == 2)
      file->source_file = class_u2(file->bytes + attribute.at);
  }
  return !reader->failed && reader->at == reader->size && class_name(file, file->this_class).bytes;
}

bool class_file_read(struct class_file *file, const uint8_t *bytes, size_t size)
{
  struct reader reader = {.bytes = bytes, .size = size};
  *file = (struct class_file){.bytes = bytes, .size = size};
  if (read_all(file, &reader))
    return true;
  class_file_free(file);
  return false;
}

bool class_constants_read(struct class_file *file, const uint8_t *bytes, size_t size)
{
  struct reader reader = {.bytes = bytes, .size = size};
  *file = (struct class_file){.bytes = bytes, .size = size};
  if (read_pool(file, &reader) && reader.at == size)
    return true;
  class_file_free(file);
  return false;
}

void class_file_free(struct class_file *file)
{
  free(file->pool);
  free(file->methods);
  file->pool = NULL;
  file->methods = NULL;
}

const char *span_string(struct span span, char *string, size_t size)
{
  size_t n = span.size < size ? span.size : size - 1;
  if (n > 0)
    memcpy(string, span.bytes, n);
  string[n] = 0;
  for (size_t i = 0; i < n; i++)
    if (string[i] == '/')
      string[i] = '.';
  return string;
}

/* Behind the tag of a constant of this kind; NULL: it is none. Its content is inside of the file, see read_pool. */
static const uint8_t *constant(const struct class_file *file, uint16_t number, enum class_constant tag)
{
  if (number >= file->pool_count || file->pool[number] == 0 || file->bytes[file->pool[number]] != tag)
    return NULL;
  return file->bytes + file->pool[number] + 1;
}

struct span class_utf8(const struct class_file *file, uint16_t number)
{
  const uint8_t *at = constant(file, number, CONSTANT_UTF8);
  return at ? (struct span){.bytes = (const char *)at + 2, .size = class_u2(at)} : (struct span){0};
}

struct span class_name(const struct class_file *file, uint16_t number)
{
  const uint8_t *at = constant(file, number, CONSTANT_CLASS);
  return at ? class_utf8(file, class_u2(at)) : (struct span){0};
}

static bool read_ref(const struct class_file *file, uint16_t number, enum class_constant tag,
                     struct class_method_ref *ref)
{
  const uint8_t *at = constant(file, number, tag);
  if (!at)
    return false;
  const uint8_t *names = constant(file, class_u2(at + 2), CONSTANT_NAME_AND_TYPE);
  if (!names)
    return false;
  ref->owner = class_name(file, class_u2(at));
  ref->name = class_utf8(file, class_u2(names));
  ref->descriptor = class_utf8(file, class_u2(names + 2));
  return ref->owner.bytes && ref->name.bytes && ref->descriptor.bytes;
}

bool class_method_ref(const struct class_file *file, uint16_t number, struct class_method_ref *ref)
{
  return read_ref(file, number, CONSTANT_METHOD, ref);
}

bool class_field_ref(const struct class_file *file, uint16_t number, struct class_method_ref *ref)
{
  return read_ref(file, number, CONSTANT_FIELD, ref);
}

bool class_call_ref(const struct class_file *file, uint16_t number, struct class_method_ref *ref)
{
  return read_ref(file, number, CONSTANT_METHOD, ref) || read_ref(file, number, CONSTANT_INTERFACE_METHOD, ref);
}

uint16_t class_find_field(const struct class_file *file, const char *owner, const char *name, const char *descriptor)
{
  struct class_method_ref ref;
  for (unsigned i = 1; i < file->pool_count; i++)
    if (read_ref(file, (uint16_t)i, CONSTANT_FIELD, &ref) && span_is(ref.owner, owner) && span_is(ref.name, name) &&
        span_is(ref.descriptor, descriptor))
      return (uint16_t)i;
  return 0;
}

/* The line that a LineNumberTable has for pc: the line of the last entry up to it. *start: where that entry begins. */
static void look_up_line(const struct class_file *file, struct attribute table, uint32_t pc, unsigned *line,
                         uint32_t *start)
{
  struct reader reader = {.bytes = file->bytes, .size = table.end, .at = table.at};
  for (unsigned n = read_u2(&reader); n > 0; n--) {
    uint32_t from = read_u2(&reader);
    unsigned number = read_u2(&reader);
    if (reader.failed)
      return;
    if (from <= pc && (*line == 0 || from >= *start)) {
      *line = number;
      *start = from;
    }
  }
}

unsigned class_line(const struct class_file *file, const struct class_method *method, uint32_t pc)
{
  unsigned line = 0;
  uint32_t start = 0;
  struct reader reader = {.bytes = file->bytes, .size = method->end, .at = method->attributes};
  if (method->code == 0)
    return 0;
  for (unsigned n = read_u2(&reader); n > 0; n--) {
    struct attribute attribute;
    if (!read_attribute(file, &reader, &attribute))
      return 0;
    if (span_is(attribute.name, "LineNumberTable"))
      look_up_line(file, attribute, pc, &line, &start);
  }
  return line;
}

/* The instructions of a method: how long each is, and which switch a value goes to. */

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

/* True if an instruction only converts, copies or keeps the number on top of the stack. */
static bool keeps_number(uint8_t op)
{
  return op == OP_L2I || op == OP_I2L || op == OP_DUP || op == OP_DUP2 || op == OP_ISTORE || op == OP_LSTORE ||
         op == OP_ILOAD || op == OP_LLOAD || (op >= OP_ISTORE_0 && op <= OP_LSTORE_0 + 3) ||
         (op >= OP_ILOAD_0 && op <= OP_LLOAD_0 + 3);
}

/* Finds the begin of a case of the (whole) switch at pc; false: there is no such case. */
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
