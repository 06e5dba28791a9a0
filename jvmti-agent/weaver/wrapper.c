#include "jvmti-agent/weaver/wrapper.h"

#include "jvmti-agent/weaver/hook_class.h"
#include "jvmti-agent/weaver/opcodes.h"

#include <stdlib.h>

#define ARGUMENTS_MAX 255u
#define LOCALS_MAX    250u /* so that no instruction needs the wide form */
#define HOOK_STACK    5u   /* site, number (2), two objects */

/* The verifier's types in a stack map. */
enum map_type { MAP_INTEGER = 1, MAP_FLOAT = 2, MAP_DOUBLE = 3, MAP_LONG = 4, MAP_OBJECT = 7, MAP_FULL_FRAME = 255 };

struct argument {
  char type;         /* of the descriptor: I, J, F, D, L (arrays, too), V; the small ones are I */
  unsigned local;    /* where it is */
  struct span class; /* L: its class or array type */
};

struct signature {
  struct argument arguments[ARGUMENTS_MAX];
  unsigned count, locals; /* locals: of the arguments */
  struct argument result;
};

/* The type that a descriptor has at *at, which goes behind it. False: there is none. */
static bool read_type(struct span descriptor, size_t *at, struct argument *argument)
{
  size_t begin = *at;
  while (*at < descriptor.size && descriptor.bytes[*at] == '[')
    ++*at;
  bool array = *at > begin;
  if (*at == descriptor.size)
    return false;
  char type = descriptor.bytes[(*at)++];
  argument->type = strchr("ZBCS", type) ? 'I' : type;
  if (type == 'L') {
    const char *end = memchr(descriptor.bytes + *at, ';', descriptor.size - *at);
    if (!end)
      return false;
    argument->class = (struct span){descriptor.bytes + *at, (size_t)(end - descriptor.bytes) - *at};
    *at = (size_t)(end - descriptor.bytes) + 1;
  } else if (type == 0 || !strchr("ZBCSIJFDV", type)) {
    return false;
  }
  if (array) {
    if (type == 'V')
      return false;
    argument->type = 'L';
    argument->class = (struct span){descriptor.bytes + begin, *at - begin};
  }
  return true;
}

static unsigned words_of(char type)
{
  return type == 'V' ? 0 : type == 'J' || type == 'D' ? 2 : 1;
}

static bool read_signature(struct signature *signature, struct span descriptor, bool is_static)
{
  size_t at = 1;
  *signature = (struct signature){.locals = is_static ? 0 : 1};
  if (descriptor.size < 3 || descriptor.bytes[0] != '(')
    return false;
  while (at < descriptor.size && descriptor.bytes[at] != ')') {
    struct argument *argument = &signature->arguments[signature->count];
    if (signature->count == ARGUMENTS_MAX - 1 || !read_type(descriptor, &at, argument) || argument->type == 'V')
      return false;
    argument->local = signature->locals;
    signature->locals += words_of(argument->type);
    signature->count++;
  }
  if (at == descriptor.size || signature->locals > LOCALS_MAX)
    return false;
  at++;
  signature->result.local = signature->locals;
  return read_type(descriptor, &at, &signature->result) && at == descriptor.size;
}

/* An instruction of a family for int, long, float, double and object, in this order. */
static unsigned of_type(unsigned family, char type)
{
  return family + (unsigned)(strchr("IJFDL", type) - "IJFDL");
}

static void load(struct buffer *code, const struct argument *argument)
{
  buffer_u1(code, of_type(OP_ILOAD, argument->type));
  buffer_u1(code, argument->local);
}

static void call(struct buffer *code, unsigned how, uint16_t method)
{
  buffer_u1(code, how);
  buffer_u2(code, method);
}

static void load_site(struct buffer *code, struct constants *constants, uint32_t site)
{
  buffer_u1(code, OP_LDC_W);
  buffer_u2(code, constants_integer(constants, site));
}

/* A number as long, or 0. */
static void load_number(struct buffer *code, const struct argument *number)
{
  if (!number) {
    buffer_u1(code, OP_LCONST_0);
    return;
  }
  load(code, number);
  if (number->type == 'I')
    buffer_u1(code, OP_I2L);
}

/* Two objects: `first` (if it is one), then those of the arguments, then null. */
static void load_objects(struct buffer *code, const struct signature *signature, const struct argument *first)
{
  unsigned n = 0;
  if (first && first->type == 'L') {
    load(code, first);
    n++;
  }
  for (unsigned i = 0; i < signature->count && n < 2; i++)
    if (signature->arguments[i].type == 'L') {
      load(code, &signature->arguments[i]);
      n++;
    }
  for (; n < 2; n++)
    buffer_u1(code, OP_ACONST_NULL);
}

static const struct argument *first_number(const struct signature *signature)
{
  for (unsigned i = 0; i < signature->count; i++)
    if (signature->arguments[i].type == 'I' || signature->arguments[i].type == 'J')
      return &signature->arguments[i];
  return NULL;
}

static uint16_t hook(struct wrapper_class *shared, const char *name, const char *descriptor)
{
  uint16_t owner = constants_class(shared->constants, (struct span){HOOK_CLASS, strlen(HOOK_CLASS)});
  uint16_t of_name = constants_text(shared->constants, name);
  return constants_method(shared->constants, owner, of_name, constants_text(shared->constants, descriptor));
}

static void find_constants(struct wrapper_class *shared)
{
  if (shared->code)
    return;
  shared->code = constants_text(shared->constants, "Code");
  shared->enter = hook(shared, "enter", HOOK_DESCRIPTOR);
  shared->exit = hook(shared, "exit", HOOK_DESCRIPTOR);
  shared->thrown = hook(shared, "thrown", HOOK_DESCRIPTOR_OF_THROWN);
  if (!shared->frames)
    return;
  shared->stack_map = constants_text(shared->constants, "StackMapTable");
  shared->throwable = constants_class(shared->constants, (struct span){"java/lang/Throwable", 19});
}

static void enter(struct buffer *code, struct wrapper_class *shared, const struct wrapper *wrapper,
                  const struct signature *signature)
{
  load_site(code, shared->constants, wrapper->site);
  if (wrapper->query) {
    call(code, OP_INVOKESTATIC, wrapper->query);
    buffer_u1(code, OP_I2L);
  } else {
    load_number(code, first_number(signature));
  }
  load_objects(code, signature, NULL);
  call(code, OP_INVOKESTATIC, shared->enter);
}

/* The result is on the stack, and stays there. */
static void leave(struct buffer *code, struct wrapper_class *shared, const struct wrapper *wrapper,
                  const struct signature *signature)
{
  const struct argument *result = &signature->result;
  if (result->type != 'V') {
    buffer_u1(code, of_type(OP_ISTORE, result->type));
    buffer_u1(code, result->local);
  }
  load_site(code, shared->constants, wrapper->site);
  load_number(code, result->type == 'I' || result->type == 'J' ? result : NULL);
  load_objects(code, signature, result);
  call(code, OP_INVOKESTATIC, shared->exit);
  if (result->type != 'V')
    load(code, result);
}

static void add_map_type(struct buffer *map, struct constants *constants, const struct argument *argument)
{
  switch (argument->type) {
  case 'I':
    buffer_u1(map, MAP_INTEGER);
    break;
  case 'F':
    buffer_u1(map, MAP_FLOAT);
    break;
  case 'D':
    buffer_u1(map, MAP_DOUBLE);
    break;
  case 'J':
    buffer_u1(map, MAP_LONG);
    break;
  default:
    buffer_u1(map, MAP_OBJECT);
    buffer_u2(map, constants_class(constants, argument->class));
  }
}

/* The StackMapTable attribute: at the handler there are the arguments, and a Throwable on the stack. */
static void add_stack_map(struct buffer *method, struct wrapper_class *shared, const struct signature *signature,
                          bool is_static, unsigned handler)
{
  struct buffer map = {0};
  buffer_u2(&map, 1); /* frames */
  buffer_u1(&map, MAP_FULL_FRAME);
  buffer_u2(&map, handler);
  buffer_u2(&map, signature->count + (is_static ? 0 : 1));
  if (!is_static) {
    buffer_u1(&map, MAP_OBJECT);
    buffer_u2(&map, shared->this_class);
  }
  for (unsigned i = 0; i < signature->count; i++)
    add_map_type(&map, shared->constants, &signature->arguments[i]);
  buffer_u2(&map, 1);
  buffer_u1(&map, MAP_OBJECT);
  buffer_u2(&map, shared->throwable);
  buffer_u2(method, shared->stack_map);
  buffer_u4(method, (uint32_t)map.size);
  buffer_add(method, map.bytes, map.size);
  method->failed |= map.failed;
  free(map.bytes);
}

/* Where the call is, and where the handler of what it throws. */
struct extent {
  unsigned begin, end, handler;
};

static struct extent add_code(struct buffer *code, struct wrapper_class *shared, const struct wrapper *wrapper,
                              const struct signature *signature)
{
  struct extent extent;
  bool is_static = wrapper->access & ACC_STATIC;
  if (wrapper->hooks & HOOK_ENTER)
    enter(code, shared, wrapper, signature);
  extent.begin = (unsigned)code->size;
  if (!is_static)
    load(code, &(struct argument){.type = 'L', .local = 0});
  for (unsigned i = 0; i < signature->count; i++)
    load(code, &signature->arguments[i]);
  call(code, is_static ? OP_INVOKESTATIC : OP_INVOKESPECIAL, wrapper->target);
  extent.end = (unsigned)code->size;
  if (wrapper->hooks & HOOK_EXIT)
    leave(code, shared, wrapper, signature);
  buffer_u1(code, signature->result.type == 'V' ? OP_RETURN : of_type(OP_IRETURN, signature->result.type));
  extent.handler = (unsigned)code->size;
  if (wrapper->hooks & HOOK_EXIT) {
    load_site(code, shared->constants, wrapper->site);
    call(code, OP_INVOKESTATIC, shared->thrown);
    buffer_u1(code, OP_ATHROW);
  }
  return extent;
}

bool wrapper_add(struct buffer *methods, struct wrapper_class *shared, const struct wrapper *wrapper)
{
  struct signature signature;
  struct buffer code = {0};
  bool is_static = wrapper->access & ACC_STATIC, catches = wrapper->hooks & HOOK_EXIT;
  if (!read_signature(&signature, wrapper->signature, is_static))
    return false;
  find_constants(shared);
  struct extent extent = add_code(&code, shared, wrapper, &signature);

  buffer_u2(methods, wrapper->access);
  buffer_u2(methods, wrapper->name);
  buffer_u2(methods, wrapper->descriptor);
  buffer_u2(methods, 1); /* attributes: Code */
  buffer_u2(methods, shared->code);
  size_t length_at = methods->size;
  buffer_u4(methods, 0);
  unsigned stack = signature.locals > HOOK_STACK ? signature.locals : HOOK_STACK;
  buffer_u2(methods, stack);
  buffer_u2(methods, signature.locals + words_of(signature.result.type));
  buffer_u4(methods, (uint32_t)code.size);
  buffer_add(methods, code.bytes, code.size);
  buffer_u2(methods, catches ? 1 : 0); /* exception table */
  if (catches) {
    buffer_u2(methods, extent.begin);
    buffer_u2(methods, extent.end);
    buffer_u2(methods, extent.handler);
    buffer_u2(methods, 0); /* whatever is thrown */
  }
  buffer_u2(methods, catches && shared->frames ? 1 : 0); /* attributes: StackMapTable */
  if (catches && shared->frames)
    add_stack_map(methods, shared, &signature, is_static, extent.handler);
  if (!methods->failed)
    buffer_set_u4(methods, length_at, (uint32_t)(methods->size - length_at - 4));
  methods->failed |= code.failed;
  free(code.bytes);
  return true;
}
