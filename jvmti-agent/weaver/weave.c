#include "jvmti-agent/weaver/weave.h"

#include "jvmti-agent/weaver/opcodes.h"

#include <stdio.h>
#include <stdlib.h>

#define FRAMES_SINCE 50 /* class file version */

/* A class being woven. */
struct weaving {
  const struct weave_plan *plan;
  struct class_file file;
  struct constants constants;
  struct wrapper_class shared;
  struct buffer copy;    /* of the class file, changed in place */
  struct buffer methods; /* new ones */
  unsigned added;
  bool failed;
};

static bool matches(const struct weave_target *target, struct span name, struct span descriptor)
{
  return span_is(name, target->method) && (!target->descriptor || span_is(descriptor, target->descriptor));
}

/* A private name that no other method has: `method`, a mark that compilers don't use, and a number. */
static uint16_t private_name(struct weaving *weaving, struct span method)
{
  struct buffer name = {0};
  char number[24];
  int n = snprintf(number, sizeof number, WEAVE_MARK "%u", weaving->added);
  buffer_add(&name, method.bytes, method.size);
  buffer_add(&name, number, (size_t)n);
  uint16_t constant = constants_utf8(&weaving->constants, (struct span){(const char *)name.bytes, name.size});
  weaving->failed |= name.failed;
  free(name.bytes);
  return constant;
}

static void add_wrapper(struct weaving *weaving, const struct wrapper *wrapper)
{
  if (wrapper_add(&weaving->methods, &weaving->shared, wrapper))
    weaving->added++;
  else
    weaving->failed = true;
}

/* The method of the class that a target wants to be asked; 0: there is none. */
static uint16_t find_query(struct weaving *weaving, const struct weave_target *target)
{
  const struct class_file *file = &weaving->file;
  for (unsigned i = 0; target->query && i < file->method_count; i++) {
    const struct class_method *method = &file->methods[i];
    if ((method->access & ACC_STATIC) && span_is(class_utf8(file, method->name), target->query) &&
        span_is(class_utf8(file, method->descriptor), "()I"))
      return constants_method(&weaving->constants, file->this_class, method->name, method->descriptor);
  }
  return 0;
}

/* Hooks a method: it gets a private name, and a new one takes its place. */
static void hook_method(struct weaving *weaving, const struct weave_target *target, const struct class_method *method)
{
  struct weave_match match = {.file = &weaving->file, .method = method};
  int32_t site = weaving->plan->site(weaving->plan->context, target, &match);
  if (site < 0)
    return;
  uint16_t name = private_name(weaving, class_utf8(&weaving->file, method->name));
  unsigned hidden = (method->access & ~(unsigned)(ACC_PUBLIC | ACC_PROTECTED)) | ACC_PRIVATE | ACC_SYNTHETIC;
  buffer_set_u2(&weaving->copy, method->at, hidden);
  buffer_set_u2(&weaving->copy, method->at + 2, name);
  struct wrapper wrapper = {
      .access = method->access & (uint16_t)~ACC_SYNCHRONIZED,
      .name = method->name,
      .descriptor = method->descriptor,
      .signature = class_utf8(&weaving->file, method->descriptor),
      .target = constants_method(&weaving->constants, weaving->file.this_class, name, method->descriptor),
      .query = find_query(weaving, target),
      .site = (uint32_t)site,
      .hooks = target->hooks};
  add_wrapper(weaving, &wrapper);
}

/* Whether the class is of those that a target for methods means. */
static bool is_meant(const struct class_file *file, const struct weave_target *target)
{
  if (target->where == WEAVE_METHOD)
    return span_is(class_name(file, file->this_class), target->owner);
  return target->where == WEAVE_INHERITED && span_is(class_name(file, file->super_class), target->owner);
}

static void hook_methods(struct weaving *weaving, const struct weave_target *target)
{
  const struct class_file *file = &weaving->file;
  if (!is_meant(file, target))
    return;
  for (unsigned i = 0; i < file->method_count; i++) {
    const struct class_method *method = &file->methods[i];
    /* Constructors can't be called by another name; natives are found by theirs. */
    if (method->code && !(method->access & (ACC_BRIDGE | ACC_SYNTHETIC)) && target->method[0] != '<' &&
        matches(target, class_utf8(file, method->name), class_utf8(file, method->descriptor)))
      hook_method(weaving, target, method);
  }
}

/* The target that a reference to a method belongs to; NULL: none. */
static const struct weave_target *target_of(const struct weaving *weaving, const struct class_method_ref *ref)
{
  for (size_t i = 0; i < weaving->plan->count; i++) {
    const struct weave_target *target = weaving->plan->targets[i];
    if (target->where == WEAVE_CALLS && span_is(ref->owner, target->owner) &&
        matches(target, ref->name, ref->descriptor))
      return target;
  }
  return NULL;
}

static void hook_call(struct weaving *weaving, const struct class_method *method, uint32_t pc, uint32_t next)
{
  struct class_method_ref ref;
  uint16_t callee = class_u2(weaving->file.bytes + method->code + pc + 1);
  if (!class_method_ref(&weaving->file, callee, &ref))
    return;
  const struct weave_target *target = target_of(weaving, &ref);
  struct weave_match match = {.file = &weaving->file, .method = method, .pc = pc, .next = next};
  int32_t site = target ? weaving->plan->site(weaving->plan->context, target, &match) : -1;
  if (site < 0)
    return;
  uint16_t name = private_name(weaving, ref.name), descriptor = constants_utf8(&weaving->constants, ref.descriptor);
  struct wrapper wrapper = {.access = ACC_PRIVATE | ACC_STATIC | ACC_SYNTHETIC,
                            .name = name,
                            .descriptor = descriptor,
                            .signature = ref.descriptor,
                            .target = callee,
                            .site = (uint32_t)site,
                            .hooks = target->hooks};
  add_wrapper(weaving, &wrapper);
  uint16_t redirected = constants_method(&weaving->constants, weaving->file.this_class, name, descriptor);
  buffer_set_u2(&weaving->copy, method->code + pc + 1, redirected);
}

static void hook_calls(struct weaving *weaving, const struct class_method *method)
{
  uint32_t pc = 0, length;
  while (!weaving->failed && (length = class_instruction(&weaving->file, method, pc)) > 0) {
    if (weaving->file.bytes[method->code + pc] == OP_INVOKESTATIC)
      hook_call(weaving, method, pc, pc + length);
    pc += length;
  }
  if (method->code && pc != method->code_size)
    weaving->failed = true;
}

/* Whether the class refers to a method whose calls are to be hooked. An interface can't have private static methods. */
static bool has_calls(const struct weaving *weaving)
{
  struct class_method_ref ref;
  if (weaving->file.access & ACC_INTERFACE)
    return false;
  for (unsigned i = 1; i < weaving->file.pool_count; i++)
    if (class_method_ref(&weaving->file, (uint16_t)i, &ref) && target_of(weaving, &ref))
      return true;
  return false;
}

/* The changed copy with the new constants and methods put in. */
static struct buffer put_together(const struct weaving *weaving)
{
  const struct class_file *file = &weaving->file;
  const uint8_t *copy = weaving->copy.bytes;
  struct buffer woven = {0};
  buffer_add(&woven, copy, 8);
  buffer_u2(&woven, weaving->constants.count);
  buffer_add(&woven, copy + 10, file->pool_end - 10);
  buffer_add(&woven, weaving->constants.bytes.bytes, weaving->constants.bytes.size);
  buffer_add(&woven, copy + file->pool_end, file->methods_at - file->pool_end);
  buffer_u2(&woven, file->method_count + weaving->added);
  buffer_add(&woven, copy + file->methods_at + 2, file->methods_end - file->methods_at - 2);
  buffer_add(&woven, weaving->methods.bytes, weaving->methods.size);
  buffer_add(&woven, copy + file->methods_end, file->size - file->methods_end);
  return woven;
}

static bool is_sound(const struct weaving *weaving)
{
  return !weaving->failed && !weaving->copy.failed && !weaving->methods.failed &&
         constants_are_sound(&weaving->constants) &&
         weaving->added <= (unsigned)UINT16_MAX - weaving->file.method_count;
}

struct buffer weave(const uint8_t *bytes, size_t size, const struct weave_plan *plan)
{
  struct buffer woven = {0};
  struct weaving weaving = {.plan = plan};
  if (!class_file_read(&weaving.file, bytes, size))
    return woven;
  constants_init(&weaving.constants, weaving.file.pool_count);
  weaving.shared.constants = &weaving.constants;
  weaving.shared.this_class = weaving.file.this_class;
  weaving.shared.frames = weaving.file.major >= FRAMES_SINCE;
  buffer_add(&weaving.copy, bytes, size);
  if (has_calls(&weaving))
    for (unsigned i = 0; i < weaving.file.method_count && !weaving.failed; i++)
      hook_calls(&weaving, &weaving.file.methods[i]);
  for (size_t i = 0; i < plan->count && !weaving.failed; i++)
    hook_methods(&weaving, plan->targets[i]);
  if (weaving.added > 0 && is_sound(&weaving))
    woven = put_together(&weaving);
  if (woven.failed) {
    free(woven.bytes);
    woven = (struct buffer){0};
  }
  free(weaving.copy.bytes);
  free(weaving.methods.bytes);
  free(weaving.constants.bytes.bytes);
  class_file_free(&weaving.file);
  return woven;
}
