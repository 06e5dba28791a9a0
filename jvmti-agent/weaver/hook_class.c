#include "jvmti-agent/weaver/hook_class.h"

#include "jvmti-agent/weaver/opcodes.h"
#include "jvmti-agent/weaver/signature.h"

#include <stdio.h>
#include <stdlib.h>

#define UNSAFE "jdk/internal/misc/Unsafe"

static const struct {
  const char *name, *descriptor;
} methods_of[HOOK_METHODS] = {
    [HOOK_BEGIN] = {"begin", "(I)V"},
    [HOOK_END] = {"end", "(I)V"},
    [HOOK_NUMBER] = {"number", "(JI)V"},
    [HOOK_RESULT] = {"result", "(JI)V"},
    [HOOK_ENTERED] = {"enter", "(JLjava/lang/Object;Ljava/lang/Object;I)V"},
    [HOOK_EXITED] = {"exit", "(JLjava/lang/Object;Ljava/lang/Object;I)V"},
    [HOOK_OF_FIELDS] = {"fields", "(JJJJJJJZI)V"},
    [HOOK_OBJECT] = {"object", "(Ljava/lang/Object;I)V"},
};

uint16_t hook_class_method(struct constants *constants, const char *name, const char *descriptor)
{
  uint16_t owner = constants_class(constants, (struct span){HOOK_CLASS, strlen(HOOK_CLASS)});
  uint16_t of_name = constants_text(constants, name);
  return constants_method(constants, owner, of_name, constants_text(constants, descriptor));
}

static void switched_name(enum hook_method method, char name[32])
{
  snprintf(name, 32, "%sIfOn", methods_of[method].name);
}

uint16_t hook_class_switched(struct constants *constants, enum hook_method method, bool switched)
{
  char name[32];
  switched_name(method, name);
  return hook_class_method(constants, switched ? name : methods_of[method].name, methods_of[method].descriptor);
}

/* A class in the making. */
struct making {
  struct constants constants;
  struct buffer methods;
  unsigned count;
  uint16_t code, stack_map; /* names of attributes */
  uint16_t unsafe, get_byte, switches;
};

static void add_method(struct making *making, unsigned access, const char *name, const char *descriptor)
{
  buffer_u2(&making->methods, ACC_PUBLIC | ACC_STATIC | access);
  buffer_u2(&making->methods, constants_text(&making->constants, name));
  buffer_u2(&making->methods, constants_text(&making->constants, descriptor));
  buffer_u2(&making->methods, access & ACC_NATIVE ? 0 : 1); /* attributes */
  making->count++;
}

static uint16_t reference(struct constants *constants, const char *owner, const char *name, const char *descriptor)
{
  uint16_t class = constants_class(constants, (struct span){owner, strlen(owner)}),
           of_name = constants_text(constants, name);
  return constants_method(constants, class, of_name, constants_text(constants, descriptor));
}

static void add_op(struct buffer *code, enum opcode op, uint16_t constant)
{
  buffer_u1(code, op);
  buffer_u2(code, constant);
}

/* if (Unsafe.getUnsafe().getByte(SWITCHES + site) != 0) method(...); The site is the last argument. */
static void add_code(struct making *making, struct buffer *code, const struct signature *signature, uint16_t method)
{
  add_op(code, OP_INVOKESTATIC, making->unsafe);
  add_op(code, OP_LDC2_W, making->switches);
  signature_load(code, &signature->arguments[signature->count - 1]);
  buffer_u1(code, OP_I2L);
  buffer_u1(code, OP_LADD);
  add_op(code, OP_INVOKEVIRTUAL, making->get_byte);
  buffer_u1(code, OP_IFEQ);
  size_t jump = code->size;
  buffer_u2(code, 0);
  for (unsigned i = 0; i < signature->count; i++)
    signature_load(code, &signature->arguments[i]);
  add_op(code, OP_INVOKESTATIC, method);
  if (!code->failed)
    code->bytes[jump + 1] = (uint8_t)(code->size - jump + 1);
  buffer_u1(code, OP_RETURN);
}

static void add_switched(struct making *making, enum hook_method which)
{
  char name[32];
  struct signature signature;
  struct buffer code = {0};
  const char *descriptor = methods_of[which].descriptor;
  switched_name(which, name);
  if (!signature_read(&signature, (struct span){descriptor, strlen(descriptor)}, false))
    code.failed = true;
  add_method(making, 0, name, descriptor);
  add_code(making, &code, &signature, hook_class_switched(&making->constants, which, false));
  struct buffer *to = &making->methods;
  buffer_u2(to, making->code);
  buffer_u4(to, (uint32_t)(8 + code.size + 2 + 2 + 9));
  buffer_u2(to, signature.words > 5 ? signature.words : 5); /* stack */
  buffer_u2(to, signature.words);
  buffer_u4(to, (uint32_t)code.size);
  buffer_add(to, code.bytes, code.size);
  buffer_u2(to, 0); /* exceptions */
  buffer_u2(to, 1);
  buffer_u2(to, making->stack_map);
  buffer_u4(to, 3);
  buffer_u2(to, 1);
  buffer_u1(to, (unsigned)code.size - 1); /* as at the begin, at the return */
  to->failed |= code.failed;
  free(code.bytes);
}

static void add_methods(struct making *making, const uint8_t *switches)
{
  struct constants *constants = &making->constants;
  making->code = constants_text(constants, "Code");
  making->stack_map = constants_text(constants, "StackMapTable");
  making->unsafe = reference(constants, UNSAFE, "getUnsafe", "()L" UNSAFE ";");
  making->get_byte = reference(constants, UNSAFE, "getByte", "(J)B");
  making->switches = constants_long(constants, (uintptr_t)switches);
  for (unsigned i = 0; i < HOOK_METHODS; i++) {
    add_method(making, ACC_NATIVE, methods_of[i].name, methods_of[i].descriptor);
    add_switched(making, (enum hook_method)i);
  }
  add_method(making, ACC_NATIVE, "thrown", HOOK_DESCRIPTOR_OF_PLACE);
  add_method(making, ACC_NATIVE, "acquired", HOOK_DESCRIPTOR_OF_ACQUIRED);
  add_method(making, ACC_NATIVE, "released", HOOK_DESCRIPTOR_OF_RELEASED);
}

struct buffer hook_class(const uint8_t *switches)
{
  struct making making = {0};
  struct constants *constants = &making.constants;
  struct buffer file = {0};
  constants_init(constants, 1);
  uint16_t this_class = constants_class(constants, (struct span){HOOK_CLASS, strlen(HOOK_CLASS)});
  uint16_t object = constants_class(constants, (struct span){"java/lang/Object", strlen("java/lang/Object")});
  add_methods(&making, switches);

  buffer_u4(&file, 0xcafebabe);
  buffer_u4(&file, 52); /* Java 8 */
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
