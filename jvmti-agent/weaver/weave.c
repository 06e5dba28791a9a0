#include "jvmti-agent/weaver/weave.h"

#include "jvmti-agent/weaver/class_file.h"
#include "jvmti-agent/weaver/hooks.h"
#include "jvmti-agent/weaver/lock_code.h"
#include "jvmti-agent/weaver/rewrite.h"

#include <stdlib.h>

#define WEAVE_FRAMES_SINCE 50 /* class file version */

/* A class being woven. */
struct weave_state {
  const struct weave_plan *plan;
  struct class_file file;
  struct rewriting rewriting;
  struct hook_constants hooks;
  uint16_t stack_map, throwable; /* constants; 0: not needed yet, or never */
  bool has_calls;
  unsigned unchanged;
};

/* A method being woven. */
struct woven_method {
  struct weave_state *weaving;
  const struct class_method *method;
  struct insertions insertions;
  unsigned more_locals, more_stack;
  bool hooked;              /* the method itself, not only calls in it */
  struct hook_place place;  /* ... and how */
  struct hook_place callee; /* the callee that is looked at */
  struct lock *locks;
  size_t lock_count;
};

/* A block that locks the result of a hooked call. */
struct lock {
  struct synchronized_block block;
  struct hook_place place;
};

static bool has_type(struct span descriptor, const char *wanted)
{
  size_t size = strlen(wanted);
  bool any_result = size > 0 && wanted[size - 1] == ')';
  return any_result ? descriptor.size > size && memcmp(descriptor.bytes, wanted, size) == 0
                    : span_is(descriptor, wanted);
}

static bool matches(const struct weave_target *target, struct span name, struct span descriptor)
{
  return span_is(name, target->method) && (!target->descriptor || has_type(descriptor, target->descriptor));
}

static enum hook_guard guard_in(const struct weave_plan *plan, const struct weave_target *target)
{
  if (!plan->plain_tasks || target->guard < GUARD_FORK || target->guard > GUARD_INVOKE)
    return target->guard;
  return target->guard == GUARD_TASK_BELOW ? GUARD_SWITCH : GUARD_NONE;
}

/* Asks for the site. False: the place stays as it is. */
static bool take_place(struct weave_state *weaving, const struct weave_target *target, const struct weave_match *match,
                       struct hook_place *place)
{
  int32_t site = weaving->plan->site(weaving->plan->context, target, match);
  place->site = (uint32_t)site;
  place->hooks = target->hooks;
  place->guard = guard_in(weaving->plan, target);
  place->query = 0;
  return site >= 0;
}

/* The method of the class that a target wants to be asked; 0: there is none. */
static uint16_t find_query(struct weave_state *weaving, const struct weave_target *target)
{
  const struct class_file *file = &weaving->file;
  for (unsigned i = 0; target->query && i < file->method_count; i++) {
    const struct class_method *method = &file->methods[i];
    if ((method->access & ACC_STATIC) && span_is(class_utf8(file, method->name), target->query) &&
        span_is(class_utf8(file, method->descriptor), "()I"))
      return constants_method(&weaving->rewriting.constants, file->this_class, method->name, method->descriptor);
  }
  return 0;
}

static bool begins_with(struct span text, const char *begin)
{
  return text.size >= strlen(begin) && memcmp(text.bytes, begin, strlen(begin)) == 0;
}

/* True if a target for methods matches the method's class. A static method does not override an inherited one. */
static bool is_meant(const struct class_file *file, const struct class_method *method,
                     const struct weave_target *target)
{
  struct span super = class_name(file, file->super_class);
  if (target->where == WEAVE_METHOD)
    return span_is(class_name(file, file->this_class), target->owner);
  if (target->where == WEAVE_BELOW)
    return !(method->access & ACC_STATIC) && super.size > 0 && !begins_with(super, "java/");
  return target->where == WEAVE_INHERITED && !(method->access & ACC_STATIC) && span_is(super, target->owner);
}

/* The target that means a method; NULL: none. A constructor is none: its object is not there before it has begun. */
static const struct weave_target *target_of_method(const struct weave_state *weaving, const struct class_method *method)
{
  const struct class_file *file = &weaving->file;
  if (!method->code || (method->access & (ACC_BRIDGE | ACC_SYNTHETIC)))
    return NULL;
  for (size_t i = 0; i < weaving->plan->count; i++) {
    const struct weave_target *target = weaving->plan->targets[i];
    if (target->method[0] != '<' && is_meant(file, method, target) &&
        matches(target, class_utf8(file, method->name), class_utf8(file, method->descriptor)))
      return target;
  }
  return NULL;
}

static void weave_take_begin(struct woven_method *method)
{
  struct weave_state *weaving = method->weaving;
  const struct weave_target *target = target_of_method(weaving, method->method);
  struct weave_match match = {.file = &weaving->file, .method = method->method};
  struct span descriptor = class_utf8(&weaving->file, method->method->descriptor);
  method->hooked = target &&
                   signature_read(&method->place.signature, descriptor, !(method->method->access & ACC_STATIC)) &&
                   take_place(weaving, target, &match, &method->place);
  if (!method->hooked)
    return;
  method->place.query = find_query(weaving, target);
  if (target->hooks & HOOK_ENTER)
    hook_code_enter(insertions_begin(&method->insertions, 0, INSERT_WITH), &weaving->hooks, &method->place);
}

/* The target for calls of one sort that a reference to a method belongs to; NULL: none. */
static const struct weave_target *target_of_call(const struct weave_state *weaving, enum weave_where where,
                                                 const struct class_method_ref *ref)
{
  for (size_t i = 0; i < weaving->plan->count; i++) {
    const struct weave_target *target = weaving->plan->targets[i];
    if (target->where == where && span_is(ref->owner, target->owner) && matches(target, ref->name, ref->descriptor))
      return target;
  }
  return NULL;
}

/* True if a method takes objects of this class and no others, two at least. */
static bool takes_objects(struct span descriptor, const char *of)
{
  const char *at = descriptor.bytes, *end = at + descriptor.size;
  size_t size = strlen(of);
  unsigned objects = 0;
  for (; at < end && *at != ')'; at++) {
    if (*at == '[')
      return false;
    if (*at != 'L')
      continue;
    if ((size_t)(end - at) < size + 2 || memcmp(at + 1, of, size) != 0 || at[size + 1] != ';')
      return false;
    at += size + 1;
    objects++;
  }
  return objects >= 2;
}

/* True if the hook of a call gets fields: the class refers to all that are needed, and the result is no object. */
static bool find_fields(const struct class_file *file, const struct weave_target *target, struct span descriptor,
                        struct hook_place *place)
{
  place->fields = NULL;
  if (!target->fields || !(target->hooks & HOOK_VALUES) || place->signature.result == 'L' ||
      !takes_objects(descriptor, target->fields_of))
    return false;
  for (unsigned i = 0; i < HOOK_FIELDS; i++) {
    place->refs[i] = class_find_field(file, target->fields_of, target->fields[i].name, i < HOOK_LONGS ? "J" : "Z");
    if (target->fields[i].needed && place->refs[i] == 0)
      return false;
  }
  place->fields = target->fields;
  return true;
}

static bool note_lock(struct woven_method *method, const struct synchronized_block *block)
{
  struct lock *locks = realloc(method->locks, (method->lock_count + 1) * sizeof *locks);
  if (!locks)
    return false;
  method->locks = locks;
  locks[method->lock_count++] = (struct lock){*block, method->callee};
  return true;
}

/* The block's handler gets exceptions of the hook behind an enter, or before an exit. */
static void take_lock(struct woven_method *method, uint32_t pc, uint32_t next, const struct lock *lock)
{
  struct weave_state *weaving = method->weaving;
  if (pc == lock->block.enter)
    hook_code_lock(insertions_begin(&method->insertions, next, INSERT_BEHIND), &weaving->hooks, &lock->place, true);
  else if (pc == lock->block.range.exit)
    hook_code_lock(insertions_begin(&method->insertions, next, INSERT_BEHIND), &weaving->hooks, &lock->place, false);
  else if (synchronized_exit(&weaving->file, method->method, &lock->block, pc))
    hook_code_lock(insertions_begin(&method->insertions, pc, INSERT_BEFORE), &weaving->hooks, &lock->place, false);
}

static void take_call(struct woven_method *method, enum weave_where where, uint32_t pc, uint32_t next)
{
  struct weave_state *weaving = method->weaving;
  struct class_method_ref ref;
  struct hook_place *place = &method->callee;
  if (!class_call_ref(&weaving->file, class_u2(weaving->file.bytes + method->method->code + pc + 1), &ref))
    return;
  const struct weave_target *target = target_of_call(weaving, where, &ref);
  struct weave_match match = {.file = &weaving->file, .method = method->method, .pc = pc, .next = next};
  struct synchronized_block block;
  match.locks =
      target && (target->hooks & HOOK_LOCK) && synchronized_block(&weaving->file, method->method, next, &block);
  if (!target || !signature_read(&place->signature, ref.descriptor, false) ||
      !take_place(weaving, target, &match, place))
    return;
  if ((target->hooks & HOOK_LOCK) && !match.locks) /* the guard would not notice the release */
    place->guard = GUARD_SWITCH;
  if (where == WEAVE_VIRTUAL) {
    hook_code_before_virtual(insertions_begin(&method->insertions, pc, INSERT_BEFORE), &weaving->hooks, place);
    if (place->hooks & HOOK_EXIT)
      hook_code_after_virtual(insertions_begin(&method->insertions, next, INSERT_WITH), &weaving->hooks, place);
    return;
  }
  if (match.locks && !note_lock(method, &block))
    return;
  unsigned locals = class_u2(weaving->file.bytes + method->method->code - 6);
  unsigned words = hook_code_keep(place, locals);
  if (words > method->more_locals)
    method->more_locals = words;
  if (find_fields(&weaving->file, target, ref.descriptor, place))
    method->more_stack = HOOK_STACK_FIELDS;
  hook_code_before_call(insertions_begin(&method->insertions, pc, INSERT_BEFORE), &weaving->hooks, place);
  hook_code_after_call(insertions_begin(&method->insertions, next, INSERT_WITH), &weaving->hooks, place);
}

static void weave_take_instruction(struct woven_method *method, uint32_t pc, uint32_t length)
{
  for (size_t i = 0; i < method->lock_count; i++)
    take_lock(method, pc, pc + length, &method->locks[i]);
  uint8_t op = method->weaving->file.bytes[method->method->code + pc];
  if (op == OP_INVOKESTATIC && method->weaving->has_calls)
    take_call(method, WEAVE_CALLS, pc, pc + length);
  else if ((op == OP_INVOKEVIRTUAL || op == OP_INVOKESPECIAL || op == OP_INVOKEINTERFACE) && method->weaving->has_calls)
    take_call(method, WEAVE_VIRTUAL, pc, pc + length);
  else if (op >= OP_IRETURN && op <= OP_RETURN && method->hooked && (method->place.hooks & HOOK_EXIT))
    hook_code_exit(insertions_begin(&method->insertions, pc, INSERT_BEFORE), &method->weaving->hooks, &method->place);
}

/*
 * What is thrown leaves a method with hooks by this handler. In it nothing is known of the variables but `this`. A
 * handler may need it that is put around it later: a monitor's, or another agent's.
 */
static struct last_handler weave_last_handler(struct woven_method *method)
{
  struct weave_state *weaving = method->weaving;
  if (!method->hooked || !(method->place.hooks & HOOK_EXIT))
    return (struct last_handler){0};
  struct last_handler handler = hook_code_thrown(&weaving->hooks, &method->place);
  if (weaving->file.major >= WEAVE_FRAMES_SINCE && !weaving->stack_map) {
    weaving->stack_map = constants_text(&weaving->rewriting.constants, "StackMapTable");
    weaving->throwable = constants_class(&weaving->rewriting.constants,
                                         (struct span){"java/lang/Throwable", strlen("java/lang/Throwable")});
  }
  handler.stack_map = weaving->stack_map;
  handler.this_class = class_keeps_this(&weaving->file, method->method) ? weaving->file.this_class : 0;
  handler.throwable = weaving->throwable;
  return handler;
}

static void weave_one_method(struct weave_state *weaving, const struct class_method *class_method)
{
  struct woven_method method = {.weaving = weaving, .method = class_method, .more_stack = HOOK_STACK};
  uint32_t pc = 0, length;
  weave_take_begin(&method);
  while ((length = class_instruction(&weaving->file, class_method, pc)) > 0) {
    weave_take_instruction(&method, pc, length);
    pc += length;
  }
  bool whole = insertions_end(&method.insertions);
  if (method.insertions.count == 0 && !method.hooked) {
    rewrite_keep(&weaving->rewriting);
  } else {
    struct relocation relocation = {.file = &weaving->file,
                                    .method = class_method,
                                    .insertions = &method.insertions,
                                    .more_stack = method.more_stack,
                                    .more_locals = method.more_locals,
                                    .handler = weave_last_handler(&method)};
    if (!whole)
      rewrite_keep(&weaving->rewriting);
    else if (!rewrite_change(&weaving->rewriting, &relocation))
      weaving->unchanged++;
  }
  insertions_free(&method.insertions);
  free(method.locks);
}

/* True if the class refers to a method whose calls are to be hooked. */
static bool has_calls(const struct weave_state *weaving)
{
  struct class_method_ref ref;
  for (unsigned i = 1; i < weaving->file.pool_count; i++)
    if (class_call_ref(&weaving->file, (uint16_t)i, &ref) &&
        (target_of_call(weaving, WEAVE_CALLS, &ref) || target_of_call(weaving, WEAVE_VIRTUAL, &ref)))
      return true;
  return false;
}

struct buffer weave(const uint8_t *bytes, size_t size, const struct weave_plan *plan, unsigned *unchanged)
{
  struct weave_state weaving = {.plan = plan};
  *unchanged = 0;
  if (!class_read_sound(&weaving.file, bytes, size))
    return (struct buffer){0};
  rewrite_begin(&weaving.rewriting, &weaving.file);
  weaving.hooks.constants = &weaving.rewriting.constants;
  weaving.has_calls = has_calls(&weaving);
  for (unsigned i = 0; i < weaving.file.method_count; i++)
    weave_one_method(&weaving, &weaving.file.methods[i]);
  struct buffer woven = rewrite_end(&weaving.rewriting);
  *unchanged = weaving.unchanged;
  class_file_free(&weaving.file);
  return woven;
}
