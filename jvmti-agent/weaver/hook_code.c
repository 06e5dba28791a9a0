#include "jvmti-agent/weaver/hook_code.h"

#include "jvmti-agent/weaver/class_file.h"

static void call(struct buffer *code, uint16_t method)
{
  buffer_u1(code, OP_INVOKESTATIC);
  buffer_u2(code, method);
}

static uint16_t hook_code_method_of(struct hook_constants *hooks, const struct hook_place *place,
                                    enum hook_method which)
{
  enum hook_guard guard = hook_class_guard(which, place->guard);
  uint16_t *method = &hooks->methods[which][guard];
  if (*method == 0)
    *method = hook_class_guarded(hooks->constants, which, guard);
  return *method;
}

static void call_hook(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place,
                      enum hook_method which)
{
  uint16_t method = hook_code_method_of(hooks, place, which);
  buffer_u1(code, OP_LDC_W);
  buffer_u2(code, constants_integer(hooks->constants, place->site));
  call(code, method);
}

static bool is_number(char type)
{
  return type == 'I' || type == 'J';
}

/* The first argument that is a number, as long; else 0. */
static void load_number(struct buffer *code, const struct signature *signature)
{
  for (unsigned i = 0; i < signature->count; i++)
    if (is_number(signature->arguments[i].type)) {
      signature_load(code, &signature->arguments[i]);
      if (signature->arguments[i].type == 'I')
        buffer_u1(code, OP_I2L);
      return;
    }
  buffer_u1(code, OP_LCONST_0);
}

/* So many objects: the first arguments that are some, then null. */
static void load_objects(struct buffer *code, const struct signature *signature, unsigned count, bool arguments)
{
  for (unsigned i = 0; arguments && i < signature->count && count > 0; i++)
    if (signature->arguments[i].type == 'L') {
      signature_load(code, &signature->arguments[i]);
      count--;
    }
  for (; count > 0; count--)
    buffer_u1(code, OP_ACONST_NULL);
}

static bool has_objects(const struct signature *signature)
{
  for (unsigned i = 0; i < signature->count; i++)
    if (signature->arguments[i].type == 'L')
      return true;
  return false;
}

static const struct argument of_this = {.type = 'L', .variable = 0};

/* The object whose hash is wanted. */
static void load_hashed(struct buffer *code, const struct hook_place *place)
{
  const struct argument *last = place->hooks & HOOK_THIS ? &of_this : NULL;
  for (unsigned i = 0; !(place->hooks & HOOK_THIS) && i < place->signature.count; i++)
    if (place->signature.arguments[i].type == 'L')
      last = &place->signature.arguments[i];
  if (last)
    signature_load(code, last);
  else
    buffer_u1(code, OP_ACONST_NULL);
}

void hook_code_enter(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place)
{
  bool values = place->hooks & HOOK_VALUES, objects = values && has_objects(&place->signature);
  if (place->hooks & HOOK_HASH) {
    load_hashed(code, place);
    call_hook(code, hooks, place, place->hooks & HOOK_CLASS_HASH ? HOOK_CLASSED : HOOK_HASHED);
    return;
  }
  if (place->hooks & HOOK_THIS) {
    signature_load(code, &of_this);
    call_hook(code, hooks, place, HOOK_OBJECT);
    return;
  }
  if (!values && !place->query) {
    call_hook(code, hooks, place, HOOK_BEGIN);
    return;
  }
  if (place->query) {
    call(code, place->query);
    buffer_u1(code, OP_I2L);
  } else {
    load_number(code, &place->signature);
  }
  if (objects)
    load_objects(code, &place->signature, 2, true);
  call_hook(code, hooks, place, objects ? HOOK_ENTERED : HOOK_NUMBER);
}

/* The result is copied; an object comes behind the number. Returns how many objects are there now. */
static unsigned copy_result(struct buffer *code, char result)
{
  if (result == 'L') {
    buffer_u1(code, OP_DUP);
    buffer_u1(code, OP_LCONST_0);
    buffer_u1(code, OP_DUP2_X1);
    buffer_u1(code, OP_POP2);
    return 1;
  }
  buffer_u1(code, result == 'I' ? OP_DUP : result == 'J' ? OP_DUP2 : OP_LCONST_0);
  if (result == 'I')
    buffer_u1(code, OP_I2L);
  return 0;
}

/* The values of fields, of the arguments in their variables. */
static void load_fields(struct buffer *code, const struct hook_place *place)
{
  const struct signature *signature = &place->signature;
  const struct argument *objects[2] = {NULL, NULL};
  for (unsigned i = 0, n = 0; i < signature->count && n < 2; i++)
    if (signature->arguments[i].type == 'L')
      objects[n++] = &signature->arguments[i];
  for (unsigned i = 0; i < HOOK_FIELDS; i++) {
    const struct argument *object = objects[place->fields[i].argument];
    if (place->refs[i] == 0 || !object) {
      buffer_u1(code, i < HOOK_LONGS ? OP_LCONST_0 : OP_ICONST_0);
      continue;
    }
    signature_load(code, object);
    buffer_u1(code, OP_GETFIELD);
    buffer_u2(code, place->refs[i]);
  }
}

static void add_exit(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place, bool arguments)
{
  if (!(place->hooks & HOOK_VALUES)) {
    call_hook(code, hooks, place, HOOK_END);
    return;
  }
  unsigned objects = copy_result(code, place->signature.result);
  if (arguments && place->fields) {
    load_fields(code, place);
    call_hook(code, hooks, place, HOOK_OF_FIELDS);
  } else if (objects > 0 || (arguments && has_objects(&place->signature))) {
    load_objects(code, &place->signature, 2 - objects, arguments);
    call_hook(code, hooks, place, HOOK_EXITED);
  } else {
    call_hook(code, hooks, place, HOOK_RESULT);
  }
}

void hook_code_exit(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place)
{
  add_exit(code, hooks, place, false);
}

struct last_handler hook_code_thrown(struct hook_constants *hooks, const struct hook_place *place)
{
  struct last_handler handler = {.size = 7};
  uint16_t number = constants_integer(hooks->constants, place->site);
  uint16_t method = hook_code_method_of(hooks, place, HOOK_THROWN);
  const uint8_t bytes[] = {OP_LDC_W,        (uint8_t)(number >> 8), (uint8_t)number,
                           OP_INVOKESTATIC, (uint8_t)(method >> 8), (uint8_t)method,
                           OP_ATHROW};
  memcpy(handler.bytes, bytes, sizeof bytes);
  return handler;
}

unsigned hook_code_keep(struct hook_place *place, unsigned variable)
{
  struct signature *signature = &place->signature;
  unsigned objects = 0, numbers = place->hooks & HOOK_ENTER ? 0 : 1, begin = variable;
  place->kept = signature->count;
  for (unsigned i = 0; (place->hooks & HOOK_VALUES) && i < signature->count; i++) {
    char type = signature->arguments[i].type;
    bool wanted = (is_number(type) && numbers++ == 0) || (type == 'L' && objects++ < 2);
    if (wanted && place->kept == signature->count)
      place->kept = i;
  }
  for (unsigned i = place->kept; i < signature->count; i++) {
    signature->arguments[i].variable = variable;
    variable += signature_words(signature->arguments[i].type);
  }
  return variable - begin;
}

void hook_code_before_call(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place)
{
  const struct signature *signature = &place->signature;
  for (unsigned i = signature->count; i > place->kept; i--)
    signature_store(code, &signature->arguments[i - 1]);
  if (place->hooks & HOOK_ENTER)
    hook_code_enter(code, hooks, place);
  for (unsigned i = place->kept; i < signature->count; i++)
    signature_load(code, &signature->arguments[i]);
}

void hook_code_before_virtual(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place)
{
  const struct signature *signature = &place->signature;
  bool is_below_a_long = signature->count == 1 && signature->arguments[0].type == 'J';
  if (signature->count > 0 && !is_below_a_long) {
    call_hook(code, hooks, place, HOOK_BEGIN);
    return;
  }
  if (is_below_a_long) { /* the object comes up */
    buffer_u1(code, OP_DUP2_X1);
    buffer_u1(code, OP_POP2);
  }
  buffer_u1(code, OP_DUP);
  call_hook(code, hooks, place, HOOK_OBJECT);
  if (is_below_a_long) { /* ... and goes down again */
    buffer_u1(code, OP_DUP_X2);
    buffer_u1(code, OP_POP);
  }
}

void hook_code_after_virtual(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place)
{
  call_hook(code, hooks, place, HOOK_END);
}

void hook_code_after_call(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place)
{
  const struct signature *signature = &place->signature;
  if (place->hooks & HOOK_EXIT)
    add_exit(code, hooks, place, true);
  for (unsigned i = place->kept; i < signature->count; i++)
    if (signature->arguments[i].type == 'L') {
      buffer_u1(code, OP_ACONST_NULL);
      signature_store(code, &signature->arguments[i]);
    }
}

void hook_code_lock(struct buffer *code, struct hook_constants *hooks, const struct hook_place *place, bool locked)
{
  call_hook(code, hooks, place, locked ? HOOK_LOCKED : HOOK_UNLOCKED);
}
