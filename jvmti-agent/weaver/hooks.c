#include "jvmti-agent/weaver/hooks.h"

#include "jvmti-agent/weaver/class_file.h"
#include "jvmti-agent/weaver/class_output.h"
#include "jvmti-agent/weaver/guards.h"

#include <stdio.h>
#include <stdlib.h>

#define WITH(guard) (1u << GUARD_##guard)
static const struct {
  const char *name, *descriptor;
  unsigned guards;
  enum guard_moment moment;
} methods_of[HOOK_METHODS] = {
    [HOOK_BEGIN] = {"begin", "(I)V",
                    WITH(SWITCH) | WITH(QUIET) | WITH(BARRIER) | WITH(CALL) | WITH(EXEC) | WITH(WAIT) | WITH(INVOKE),
                    GUARD_BEFORE},
    [HOOK_END] = {"end", "(I)V",
                  WITH(SWITCH) | WITH(QUIET) | WITH(BARRIER) | WITH(REGION) | WITH(TASK) | WITH(TASK_BELOW) |
                      WITH(WAIT) | WITH(INVOKE),
                  GUARD_BEHIND},
    [HOOK_NUMBER] = {"number", "(JI)V", WITH(SWITCH) | WITH(QUIET) | WITH(REGION) | WITH(BODY), GUARD_BEFORE},
    [HOOK_RESULT] = {"result", "(JI)V", WITH(SWITCH) | WITH(QUIET) | WITH(BODY), GUARD_BEHIND},
    [HOOK_ENTERED] = {"enter", "(JLjava/lang/Object;Ljava/lang/Object;I)V", WITH(SWITCH) | WITH(QUIET), GUARD_BEFORE},
    [HOOK_EXITED] = {"exit", "(JLjava/lang/Object;Ljava/lang/Object;I)V", WITH(SWITCH) | WITH(QUIET) | WITH(LOCK),
                     GUARD_BEHIND},
    [HOOK_OF_FIELDS] = {"fields", "(JJJJJJJZI)V", WITH(SWITCH) | WITH(LOOP), GUARD_BEHIND},
    [HOOK_OBJECT] = {"object", "(Ljava/lang/Object;I)V", WITH(SWITCH) | WITH(INVOKE), GUARD_BEFORE},
    [HOOK_HASHED] = {"hashed", "(Ljava/lang/Object;I)V", WITH(SWITCH) | WITH(TASK) | WITH(TASK_BELOW), GUARD_BEFORE},
    [HOOK_CLASSED] = {"classed", "(Ljava/lang/Object;I)V", WITH(SWITCH) | WITH(FORK), GUARD_BEFORE},
    [HOOK_THROWN] = {"thrown", HOOK_DESCRIPTOR_OF_PLACE,
                     WITH(REGION) | WITH(BODY) | WITH(TASK) | WITH(TASK_BELOW) | WITH(WAIT) | WITH(INVOKE),
                     GUARD_BEHIND},
    [HOOK_LOCKED] = {"locked", HOOK_DESCRIPTOR_OF_PLACE, WITH(SWITCH) | WITH(LOCK), GUARD_LOCKED},
    [HOOK_UNLOCKED] = {"unlocked", HOOK_DESCRIPTOR_OF_PLACE, WITH(SWITCH) | WITH(LOCK), GUARD_UNLOCKED},
};
static const char *const guard_names[GUARDS] = {
    [GUARD_SWITCH] = "IfOn", [GUARD_QUIET] = "UnlessQuiet", [GUARD_BARRIER] = "OfBarrier",
    [GUARD_LOOP] = "OfLoop", [GUARD_CALL] = "OfCall",       [GUARD_REGION] = "OfRegion",
    [GUARD_BODY] = "OfBody", [GUARD_LOCK] = "OfLock",       [GUARD_FORK] = "OfFork",
    [GUARD_EXEC] = "OfExec", [GUARD_TASK] = "OfTask",       [GUARD_TASK_BELOW] = "OfTaskBelow",
    [GUARD_WAIT] = "OfWait", [GUARD_INVOKE] = "OfInvoke"};

static uint16_t hook_class_method_of(struct constants *constants, const char *class, const char *name,
                                     const char *descriptor)
{
  uint16_t owner = constants_class(constants, (struct span){class, strlen(class)});
  uint16_t of_name = constants_text(constants, name);
  return constants_method(constants, owner, of_name, constants_text(constants, descriptor));
}

uint16_t hook_class_method(struct constants *constants, const char *name, const char *descriptor)
{
  return hook_class_method_of(constants, HOOK_CLASS, name, descriptor);
}

static void guarded_name(enum hook_method method, enum hook_guard guard, char name[32])
{
  snprintf(name, 32, "%s%s", methods_of[method].name, guard == GUARD_NONE ? "" : guard_names[guard]);
}

/* Returns the guard of a method, if this one is wanted: not every method exists with every guard. */
static enum hook_guard hook_class_guard(enum hook_method method, enum hook_guard wanted)
{
  unsigned guards = methods_of[method].guards;
  if (wanted == GUARD_NONE || guards & 1u << wanted)
    return wanted;
  return guards & WITH(SWITCH) ? GUARD_SWITCH : GUARD_NONE;
}

/* Adds a reference to a method with this guard. */
static uint16_t hook_class_guarded(struct constants *constants, enum hook_method method, enum hook_guard guard)
{
  char name[32];
  guarded_name(method, guard, name);
  return hook_class_method(constants, name, methods_of[method].descriptor);
}

/* A class in the making. */
struct hook_class_making {
  struct constants constants;
  struct guard_constants guard;
  const struct hook_memory *memory;
  struct buffer methods;
  unsigned count;
  uint16_t code; /* name of the attribute */
};

static void add_method(struct hook_class_making *making, unsigned access, const char *name, const char *descriptor)
{
  buffer_u2(&making->methods, ACC_PUBLIC | ACC_STATIC | access);
  buffer_u2(&making->methods, constants_text(&making->constants, name));
  buffer_u2(&making->methods, constants_text(&making->constants, descriptor));
  buffer_u2(&making->methods, access & ACC_NATIVE ? 0 : 1); /* attributes */
  making->count++;
}

/* Takes the code. */
static void add_code(struct hook_class_making *making, struct buffer *code, unsigned words)
{
  struct buffer *to = &making->methods;
  buffer_u2(to, making->code);
  buffer_u4(to, (uint32_t)(8 + code->size + 2 + 2));
  buffer_u2(to, words + GUARD_STACK);
  buffer_u2(to, words + GUARD_LOCALS);
  buffer_u4(to, (uint32_t)code->size);
  buffer_add(to, code->bytes, code->size);
  buffer_u2(to, 0); /* exceptions */
  buffer_u2(to, 0); /* attributes */
  to->failed |= code->failed;
  free(code->bytes);
}

static void add_guarded(struct hook_class_making *making, enum hook_method which, enum hook_guard guard)
{
  char name[32];
  struct signature signature;
  struct buffer code = {0};
  const char *descriptor = methods_of[which].descriptor;
  guarded_name(which, guard, name);
  add_method(making, 0, name, descriptor);
  if (signature_read(&signature, (struct span){descriptor, strlen(descriptor)}, false))
    guard_code(&code, &making->guard, guard, methods_of[which].moment, &signature,
               hook_class_guarded(&making->constants, which, GUARD_NONE), making->memory);
  else
    code.failed = true;
  add_code(making, &code, signature.words);
}

/* enter(hash of the object, the object, null, site). The JVM's hashes are not negative. */
static void add_hashing(struct hook_class_making *making, enum hook_method which)
{
  struct constants *constants = &making->constants;
  struct buffer code = {0};
  uint16_t hash = hook_class_method_of(constants, "java/lang/System", "identityHashCode", "(Ljava/lang/Object;)I");
  add_method(making, 0, methods_of[which].name, methods_of[which].descriptor);
  buffer_u1(&code, OP_ALOAD_0);
  buffer_u1(&code, OP_INVOKESTATIC);
  buffer_u2(&code, hash);
  buffer_u1(&code, OP_I2L);
  if (which == HOOK_CLASSED) {
    buffer_u1(&code, OP_ALOAD_0);
    buffer_u1(&code, OP_INVOKEVIRTUAL);
    buffer_u2(&code, hook_class_method_of(constants, "java/lang/Object", "getClass", "()Ljava/lang/Class;"));
    buffer_u1(&code, OP_INVOKESTATIC);
    buffer_u2(&code, hash);
    buffer_u1(&code, OP_I2L);
    buffer_u1(&code, OP_BIPUSH);
    buffer_u1(&code, 32);
    buffer_u1(&code, OP_LSHL);
    buffer_u1(&code, OP_LOR);
  }
  buffer_u1(&code, OP_ALOAD_0);
  buffer_u1(&code, OP_ACONST_NULL);
  buffer_u1(&code, OP_ILOAD_1);
  buffer_u1(&code, OP_INVOKESTATIC);
  buffer_u2(&code, hook_class_guarded(constants, HOOK_ENTERED, GUARD_NONE));
  buffer_u1(&code, OP_RETURN);
  add_code(making, &code, 2);
}

static void add_methods(struct hook_class_making *making)
{
  struct constants *constants = &making->constants;
  struct buffer table = {0};
  making->code = constants_text(constants, "Code");
  making->guard = guard_constants(constants, hook_class_method(constants, "table", "()J"));
  for (unsigned i = 0; i < HOOK_METHODS; i++) {
    if (i == HOOK_HASHED || i == HOOK_CLASSED)
      add_hashing(making, (enum hook_method)i);
    else
      add_method(making, ACC_NATIVE, methods_of[i].name, methods_of[i].descriptor);
    for (unsigned guard = GUARD_SWITCH; guard < GUARDS; guard++)
      if (methods_of[i].guards & 1u << guard)
        add_guarded(making, (enum hook_method)i, (enum hook_guard)guard);
  }
  guard_code_of_table(&table, &making->guard, making->memory);
  add_method(making, 0, "table", "()J");
  add_code(making, &table, 0);
  add_method(making, ACC_NATIVE, "acquired", HOOK_DESCRIPTOR_OF_ACQUIRED);
  add_method(making, ACC_NATIVE, "released", HOOK_DESCRIPTOR_OF_RELEASED);
  add_method(making, ACC_NATIVE, "called", HOOK_DESCRIPTOR_OF_PLACE);
  add_method(making, ACC_NATIVE, "left", HOOK_DESCRIPTOR_OF_PLACE);
  add_method(making, ACC_NATIVE, "caught", HOOK_DESCRIPTOR_OF_PLACE);
}

struct buffer hook_class(const struct hook_memory *memory)
{
  struct hook_class_making making = {.memory = memory};
  struct constants *constants = &making.constants;
  struct buffer file = {0};
  constants_init(constants, 1);
  uint16_t this_class = constants_class(constants, (struct span){HOOK_CLASS, strlen(HOOK_CLASS)});
  uint16_t object = constants_class(constants, (struct span){"java/lang/Object", strlen("java/lang/Object")});
  add_methods(&making);

  buffer_u4(&file, 0xcafebabe);
  buffer_u4(&file, 49); /* Java 5: later ones need stack maps where code branches */
  buffer_u2(&file, constants->count);
  buffer_add(&file, constants->bytes.bytes, constants->bytes.size);
  buffer_u2(&file, ACC_PUBLIC | ACC_FINAL | ACC_SUPER);
  buffer_u2(&file, this_class);
  buffer_u2(&file, object);
  buffer_u2(&file, 0); /* interfaces */
  buffer_u2(&file, 0); /* fields */
  buffer_u2(&file, making.count);
  buffer_add(&file, making.methods.bytes, making.methods.size);
  buffer_u2(&file, 0); /* attributes */
  file.failed |= making.methods.failed || !constants_are_sound(constants);
  free(making.methods.bytes);
  free(constants->bytes.bytes);
  return file;
}

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
