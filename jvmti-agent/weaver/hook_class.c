#include "jvmti-agent/weaver/hook_class.h"

#include <stdlib.h>

uint16_t hook_class_method(struct constants *constants, const char *name, const char *descriptor)
{
  uint16_t owner = constants_class(constants, (struct span){HOOK_CLASS, strlen(HOOK_CLASS)});
  uint16_t of_name = constants_text(constants, name);
  return constants_method(constants, owner, of_name, constants_text(constants, descriptor));
}

static void add_method(struct buffer *methods, struct constants *constants, const char *name, const char *descriptor)
{
  buffer_u2(methods, ACC_PUBLIC | ACC_STATIC | ACC_NATIVE);
  buffer_u2(methods, constants_text(constants, name));
  buffer_u2(methods, constants_text(constants, descriptor));
  buffer_u2(methods, 0); /* attributes */
}

struct buffer hook_class(void)
{
  struct constants constants;
  struct buffer methods = {0}, file = {0};
  constants_init(&constants, 1);
  uint16_t this_class = constants_class(&constants, (struct span){HOOK_CLASS, strlen(HOOK_CLASS)});
  uint16_t object = constants_class(&constants, (struct span){"java/lang/Object", strlen("java/lang/Object")});
  add_method(&methods, &constants, "begin", HOOK_DESCRIPTOR_OF_PLACE);
  add_method(&methods, &constants, "end", HOOK_DESCRIPTOR_OF_PLACE);
  add_method(&methods, &constants, "enter", HOOK_DESCRIPTOR);
  add_method(&methods, &constants, "exit", HOOK_DESCRIPTOR);
  add_method(&methods, &constants, "fields", HOOK_DESCRIPTOR_OF_FIELDS);
  add_method(&methods, &constants, "thrown", HOOK_DESCRIPTOR_OF_PLACE);
  add_method(&methods, &constants, "acquired", HOOK_DESCRIPTOR_OF_ACQUIRED);
  add_method(&methods, &constants, "released", HOOK_DESCRIPTOR_OF_RELEASED);

  buffer_u4(&file, 0xcafebabe);
  buffer_u4(&file, 52); /* Java 8 */
  buffer_u2(&file, constants.count);
  buffer_add(&file, constants.bytes.bytes, constants.bytes.size);
  buffer_u2(&file, ACC_PUBLIC | ACC_FINAL | ACC_SUPER);
  buffer_u2(&file, this_class);
  buffer_u2(&file, object);
  buffer_u2(&file, 0); /* interfaces */
  buffer_u2(&file, 0); /* fields */
  buffer_u2(&file, 8);
  buffer_add(&file, methods.bytes, methods.size);
  buffer_u2(&file, 0); /* attributes */
  file.failed |= methods.failed || !constants_are_sound(&constants);
  free(methods.bytes);
  free(constants.bytes.bytes);
  return file;
}
