#include "jvmti-agent/weaver/signature.h"

#include "jvmti-agent/weaver/class_file.h"

/* The type that a descriptor has at *at, which goes behind it. 0: there is none. */
static char read_type(struct span descriptor, size_t *at)
{
  size_t begin = *at;
  while (*at < descriptor.size && descriptor.bytes[*at] == '[')
    ++*at;
  bool array = *at > begin;
  if (*at == descriptor.size)
    return 0;
  char type = descriptor.bytes[(*at)++];
  if (type == 0 || !strchr("ZBCSIJFDVL", type) || (array && type == 'V'))
    return 0;
  if (type == 'L') {
    const char *end = memchr(descriptor.bytes + *at, ';', descriptor.size - *at);
    if (!end)
      return 0;
    *at = (size_t)(end - descriptor.bytes) + 1;
  }
  return array ? 'L' : strchr("ZBCS", type) ? 'I' : type;
}

unsigned signature_words(char type)
{
  return type == 'V' ? 0 : type == 'J' || type == 'D' ? 2 : 1;
}

bool signature_read(struct signature *signature, struct span descriptor, bool has_this)
{
  size_t at = 1;
  signature->count = 0;
  signature->words = has_this;
  if (descriptor.size < 3 || descriptor.bytes[0] != '(')
    return false;
  while (at < descriptor.size && descriptor.bytes[at] != ')') {
    char type = read_type(descriptor, &at);
    if (signature->count == ARGUMENTS_MAX || type == 0 || type == 'V')
      return false;
    signature->arguments[signature->count++] = (struct argument){.type = type, .variable = signature->words};
    signature->words += signature_words(type);
  }
  at++; /* the closing parenthesis, or beyond the end */
  signature->result = at < descriptor.size ? read_type(descriptor, &at) : 0;
  return signature->result != 0 && at == descriptor.size;
}

/* The families have one instruction each for int, long, float, double and object, in this order. */
static void add_access(struct buffer *code, unsigned family, const struct argument *argument)
{
  unsigned op = family + (unsigned)(strchr("IJFDL", argument->type) - "IJFDL");
  if (argument->variable > UINT8_MAX) {
    buffer_u1(code, OP_WIDE);
    buffer_u1(code, op);
    buffer_u2(code, argument->variable);
  } else {
    buffer_u1(code, op);
    buffer_u1(code, argument->variable);
  }
}

void signature_load(struct buffer *code, const struct argument *argument)
{
  add_access(code, OP_ILOAD, argument);
}

void signature_store(struct buffer *code, const struct argument *argument)
{
  add_access(code, OP_ISTORE, argument);
}
