#include "jvmti-agent/weaver/hook_class.h"

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
    [HOOK_BEGIN] = {"begin", "(I)V", WITH(SWITCH) | WITH(QUIET) | WITH(BARRIER) | WITH(CALL), GUARD_BEFORE},
    [HOOK_END] = {"end", "(I)V", WITH(SWITCH) | WITH(QUIET) | WITH(BARRIER) | WITH(REGION), GUARD_BEHIND},
    [HOOK_NUMBER] = {"number", "(JI)V", WITH(SWITCH) | WITH(QUIET) | WITH(REGION) | WITH(BODY), GUARD_BEFORE},
    [HOOK_RESULT] = {"result", "(JI)V", WITH(SWITCH) | WITH(QUIET) | WITH(BODY), GUARD_BEHIND},
    [HOOK_ENTERED] = {"enter", "(JLjava/lang/Object;Ljava/lang/Object;I)V", WITH(SWITCH) | WITH(QUIET), GUARD_BEFORE},
    [HOOK_EXITED] = {"exit", "(JLjava/lang/Object;Ljava/lang/Object;I)V", WITH(SWITCH) | WITH(QUIET) | WITH(LOCK),
                     GUARD_BEHIND},
    [HOOK_OF_FIELDS] = {"fields", "(JJJJJJJZI)V", WITH(SWITCH) | WITH(LOOP), GUARD_BEHIND},
    [HOOK_OBJECT] = {"object", "(Ljava/lang/Object;I)V", WITH(SWITCH), GUARD_BEFORE},
    [HOOK_HASHED] = {"hashed", "(Ljava/lang/Object;I)V", WITH(SWITCH), GUARD_BEFORE},
    [HOOK_CLASSED] = {"classed", "(Ljava/lang/Object;I)V", WITH(SWITCH), GUARD_BEFORE},
    [HOOK_THROWN] = {"thrown", HOOK_DESCRIPTOR_OF_PLACE, WITH(REGION) | WITH(BODY), GUARD_BEHIND},
    [HOOK_LOCKED] = {"locked", HOOK_DESCRIPTOR_OF_PLACE, WITH(SWITCH) | WITH(LOCK), GUARD_LOCKED},
    [HOOK_UNLOCKED] = {"unlocked", HOOK_DESCRIPTOR_OF_PLACE, WITH(SWITCH) | WITH(LOCK), GUARD_UNLOCKED},
};
static const char *const guard_names[GUARDS] = {
    [GUARD_SWITCH] = "IfOn", [GUARD_QUIET] = "UnlessQuiet", [GUARD_BARRIER] = "OfBarrier", [GUARD_LOOP] = "OfLoop",
    [GUARD_CALL] = "OfCall", [GUARD_REGION] = "OfRegion",   [GUARD_BODY] = "OfBody",       [GUARD_LOCK] = "OfLock"};

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

enum hook_guard hook_class_guard(enum hook_method method, enum hook_guard wanted)
{
  unsigned guards = methods_of[method].guards;
  if (wanted == GUARD_NONE || guards & 1u << wanted)
    return wanted;
  return guards & WITH(SWITCH) ? GUARD_SWITCH : GUARD_NONE;
}

uint16_t hook_class_guarded(struct constants *constants, enum hook_method method, enum hook_guard guard)
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
