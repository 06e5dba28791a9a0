#include "jvmti-agent/weaver/call_hooks.h"

#include "jvmti-agent/weaver/class_file.h"
#include "jvmti-agent/weaver/hooks.h"
#include "jvmti-agent/weaver/rewrite.h"

#define METHODS_FRAMES_SINCE 50 /* class file version */

/* A class being woven. */
struct methods_weaving {
  struct class_file file;
  struct rewriting rewriting;
  uint16_t called, left, caught; /* constants; 0: not needed yet */
  uint16_t stack_map, throwable; /* likewise */
  unsigned unchanged;
};

/* A method being woven. */
struct method_seen {
  struct methods_weaving *weaving;
  const struct class_method *method;
  uint16_t number;                   /* constant */
  uint32_t initializes, initialized; /* of a constructor: its call of another one, and behind it; 0: it is none */
  struct insertions insertions;
};

static void find_constants(struct methods_weaving *weaving)
{
  struct constants *constants = &weaving->rewriting.constants;
  if (weaving->called)
    return;
  weaving->called = hook_class_method(constants, "called", HOOK_DESCRIPTOR_OF_PLACE);
  weaving->left = hook_class_method(constants, "left", HOOK_DESCRIPTOR_OF_PLACE);
  weaving->caught = hook_class_method(constants, "caught", HOOK_DESCRIPTOR_OF_PLACE);
  if (weaving->file.major < METHODS_FRAMES_SINCE)
    return;
  weaving->stack_map = constants_text(constants, "StackMapTable");
  weaving->throwable = constants_class(constants, (struct span){"java/lang/Throwable", strlen("java/lang/Throwable")});
}

static void add_hook(struct buffer *code, uint16_t number, uint16_t hook)
{
  buffer_u1(code, OP_LDC_W);
  buffer_u2(code, number);
  buffer_u1(code, OP_INVOKESTATIC);
  buffer_u2(code, hook);
}

/* True if an instruction calls a constructor of the class' own objects: this one's or the superclass'. */
static bool is_own_constructor(const struct class_file *file, const struct class_method_ref *ref)
{
  struct span this_class = class_name(file, file->this_class), super_class = class_name(file, file->super_class);
  return (ref->owner.size == this_class.size && memcmp(ref->owner.bytes, this_class.bytes, this_class.size) == 0) ||
         (super_class.bytes && ref->owner.size == super_class.size &&
          memcmp(ref->owner.bytes, super_class.bytes, super_class.size) == 0);
}

/*
 * Finds the one call in a constructor that initializes `this`: each other one follows a `new` of its own. False: there
 * is not exactly one, so no known compiler has generated the code.
 */
static bool find_initializing(struct method_seen *to)
{
  const struct class_file *file = &to->weaving->file;
  const struct class_method *method = to->method;
  struct class_method_ref ref;
  uint32_t pc = 0, length;
  unsigned made = 0;
  for (; (length = class_instruction(file, method, pc)) > 0; pc += length) {
    const uint8_t *at = file->bytes + method->code + pc;
    made += *at == OP_NEW;
    if (*at != OP_INVOKESPECIAL || !class_call_ref(file, class_u2(at + 1), &ref) || !span_is(ref.name, "<init>"))
      continue;
    if (made > 0) {
      made--;
      continue;
    }
    if (to->initialized != 0 || !is_own_constructor(file, &ref))
      return false;
    to->initializes = pc;
    to->initialized = pc + length;
  }
  return to->initialized != 0;
}

/*
 * True if a handler of the method's own begins at pc, and may have a hook. Where the stack is full the hook fails: it
 * must not lead back to itself, so all that covers it has to lead further on. In front of a constructor's call of
 * another one there are none.
 */
static bool is_handler(const struct method_seen *method, uint32_t pc)
{
  const uint8_t *table = method->weaving->file.bytes + method->method->code + method->method->code_size;
  bool found = false;
  unsigned n = class_u2(table);
  for (table += 2; n > 0 && pc >= method->initialized; n--, table += 8) {
    found |= class_u2(table + 4) == pc;
    if (class_u2(table) <= pc && pc < class_u2(table + 2) && class_u2(table + 4) <= pc)
      return false;
  }
  return found;
}

/* Puts the hooks in. False: no memory. */
static bool insert(struct method_seen *method)
{
  struct methods_weaving *weaving = method->weaving;
  uint32_t length;
  add_hook(insertions_begin(&method->insertions, 0, INSERT_WITH), method->number, weaving->called);
  for (uint32_t pc = 0; (length = class_instruction(&weaving->file, method->method, pc)) > 0; pc += length) {
    uint8_t op = weaving->file.bytes[method->method->code + pc];
    bool catches = is_handler(method, pc), returns = op >= OP_IRETURN && op <= OP_RETURN;
    struct buffer *code = catches || returns ? insertions_begin(&method->insertions, pc, INSERT_BEFORE) : NULL;
    if (catches)
      add_hook(code, method->number, weaving->caught);
    if (returns)
      add_hook(code, method->number, weaving->left);
  }
  return insertions_end(&method->insertions);
}

static struct last_handler methods_last_handler(const struct method_seen *method)
{
  struct methods_weaving *weaving = method->weaving;
  bool keeps_this = class_keeps_this(&weaving->file, method->method);
  struct last_handler handler = {.stack_map = weaving->stack_map,
                                 .this_class = keeps_this ? weaving->file.this_class : 0,
                                 .throwable = weaving->throwable,
                                 .initializes = method->initializes,
                                 .initialized = method->initialized};
  struct buffer code = {.bytes = handler.bytes, .room = sizeof handler.bytes};
  add_hook(&code, method->number, weaving->left);
  buffer_u1(&code, OP_ATHROW);
  handler.size = (uint8_t)code.size;
  return handler;
}

/* False: the method stays as it is. */
static bool change(struct method_seen *method)
{
  struct methods_weaving *weaving = method->weaving;
  const struct class_file *file = &weaving->file;
  if (span_is(class_utf8(file, method->method->name), "<init>") &&
      (!find_initializing(method) || !class_keeps_this(file, method->method))) {
    rewrite_keep(&weaving->rewriting);
    return false;
  }
  bool whole = insert(method);
  struct relocation relocation = {.file = file,
                                  .method = method->method,
                                  .insertions = &method->insertions,
                                  .more_stack = 1,
                                  .handler = methods_last_handler(method)};
  bool changed = whole && rewrite_change(&weaving->rewriting, &relocation);
  if (!whole)
    rewrite_keep(&weaving->rewriting);
  insertions_free(&method->insertions);
  return changed;
}

static void methods_weave_method(struct methods_weaving *weaving, const struct class_method *class_method,
                                 call_hooks_number *number, void *context)
{
  struct weave_match match = {.file = &weaving->file, .method = class_method};
  bool wanted = class_method->code && !(class_method->access & ACC_BRIDGE);
  int32_t given = wanted ? number(context, &match) : -1;
  if (given < 0) {
    rewrite_keep(&weaving->rewriting);
    return;
  }
  find_constants(weaving);
  struct method_seen method = {.weaving = weaving,
                               .method = class_method,
                               .number = constants_integer(&weaving->rewriting.constants, (uint32_t)given)};
  if (!change(&method))
    weaving->unchanged++;
}

struct buffer call_hooks_weave(const uint8_t *bytes, size_t size, call_hooks_number *number, void *context,
                               unsigned *unchanged)
{
  struct methods_weaving weaving = {0};
  *unchanged = 0;
  if (!class_read_sound(&weaving.file, bytes, size))
    return (struct buffer){0};
  rewrite_begin(&weaving.rewriting, &weaving.file);
  for (unsigned i = 0; i < weaving.file.method_count; i++)
    methods_weave_method(&weaving, &weaving.file.methods[i], number, context);
  struct buffer woven = rewrite_end(&weaving.rewriting);
  *unchanged = weaving.unchanged;
  class_file_free(&weaving.file);
  return woven;
}
