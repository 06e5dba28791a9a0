#include "jvmti-agent/weaver/monitor_hooks.h"

#include "jvmti-agent/weaver/class_file.h"
#include "jvmti-agent/weaver/hooks.h"
#include "jvmti-agent/weaver/lock_code.h"
#include "jvmti-agent/weaver/rewrite.h"

#define MONITORS_FRAMES_SINCE 50 /* class file version */
#define CLASS_CONSTANTS_SINCE 49 /* ... from which on an instruction can load a class */

/* A class being woven. */
struct monitors_weaving {
  struct class_file file;
  struct rewriting rewriting;
  monitor_hooks_site *site;
  void *context;
  uint16_t acquired, released;
  unsigned unchanged;
};

/* A method being woven. */
struct monitors_method {
  struct monitors_weaving *weaving;
  const struct class_method *method;
  const uint8_t *code;
  struct insertions insertions;
  uint32_t before; /* the instruction before the current one */
  bool odd;        /* it is not of the shape that is known */
};

static void find_hooks(struct monitors_weaving *weaving)
{
  struct constants *constants = &weaving->rewriting.constants;
  if (weaving->acquired)
    return;
  weaving->acquired = hook_class_method(constants, "acquired", HOOK_DESCRIPTOR_OF_ACQUIRED);
  weaving->released = hook_class_method(constants, "released", HOOK_DESCRIPTOR_OF_RELEASED);
}

static void add_op(struct buffer *code, unsigned op, uint16_t constant)
{
  buffer_u1(code, op);
  buffer_u2(code, constant);
}

static void add_acquired(struct monitors_method *method, struct buffer *code, int32_t site)
{
  add_op(code, OP_LDC_W, constants_integer(&method->weaving->rewriting.constants, (uint32_t)site));
  add_op(code, OP_INVOKESTATIC, method->weaving->acquired);
}

/* Calls test for each range with a handler that releases a monitor; true: test is true for one of them. */
static bool any_range(const struct monitors_method *method, uint32_t pc,
                      bool test(const struct synchronized_range *, uint32_t))
{
  const struct class_file *file = &method->weaving->file;
  struct synchronized_range range;
  for (unsigned i = 0; i < synchronized_entries(file, method->method); i++)
    if (synchronized_range(file, method->method, i, &range) && test(&range, pc))
      return true;
  return false;
}

static bool begins_at(const struct synchronized_range *range, uint32_t pc)
{
  return range->from == pc && range->to > pc;
}

static bool covers(const struct synchronized_range *range, uint32_t pc)
{
  return range->from <= pc && pc < range->to;
}

static bool is_exit_of(const struct synchronized_range *range, uint32_t pc)
{
  return range->exit == pc;
}

/* dup; monitorenter; then the object and the site for the hook. */
static void take_enter(struct monitors_method *method, uint32_t pc)
{
  struct weave_match match = {.file = &method->weaving->file, .method = method->method, .pc = pc, .next = pc + 1};
  if (!any_range(method, pc + 1, begins_at)) {
    method->odd = true;
    return;
  }
  int32_t site = method->weaving->site(method->weaving->context, &match);
  if (site < 0) {
    method->odd = true;
    return;
  }
  buffer_u1(insertions_begin(&method->insertions, pc, INSERT_BEFORE), OP_DUP);
  add_acquired(method, insertions_begin(&method->insertions, pc + 1, INSERT_BEHIND), site);
}

static void take_exit(struct monitors_method *method, uint32_t pc)
{
  unsigned variable;
  uint32_t load = synchronized_load(&method->weaving->file, method->method, method->before, &variable);
  if (load == 0 || method->before + load != pc) {
    method->odd = true;
  } else if (any_range(method, pc, is_exit_of)) {
    struct buffer *code = insertions_begin(&method->insertions, pc + 1, INSERT_BEHIND);
    buffer_add(code, method->code + method->before, load);
    add_op(code, OP_INVOKESTATIC, method->weaving->released);
  } else if (any_range(method, pc, covers)) {
    struct buffer *code = insertions_begin(&method->insertions, pc, INSERT_BEFORE);
    buffer_u1(code, OP_DUP);
    add_op(code, OP_INVOKESTATIC, method->weaving->released);
  } else {
    method->odd = true;
  }
}

/* Loads the object with which a synchronized method synchronizes. */
static void add_own_object(struct monitors_method *method, struct buffer *code)
{
  if (method->method->access & ACC_STATIC)
    add_op(code, OP_LDC_W, method->weaving->file.this_class);
  else
    buffer_u1(code, OP_ALOAD_0);
}

static void monitors_take_begin(struct monitors_method *method)
{
  struct weave_match match = {.file = &method->weaving->file, .method = method->method};
  int32_t site = method->weaving->site(method->weaving->context, &match);
  bool has_own = method->method->access & ACC_STATIC ? method->weaving->file.major >= CLASS_CONSTANTS_SINCE
                                                     : class_keeps_this(match.file, match.method);
  if (site < 0 || !has_own) {
    method->odd = true;
    return;
  }
  struct buffer *code = insertions_begin(&method->insertions, 0, INSERT_WITH);
  add_own_object(method, code);
  add_acquired(method, code, site);
}

static void take_return(struct monitors_method *method, uint32_t pc)
{
  struct buffer *code = insertions_begin(&method->insertions, pc, INSERT_BEFORE);
  add_own_object(method, code);
  add_op(code, OP_INVOKESTATIC, method->weaving->released);
}

static void monitors_take_instruction(struct monitors_method *method, uint32_t pc, bool synchronized)
{
  uint8_t op = method->code[pc];
  if (op == OP_MONITORENTER)
    take_enter(method, pc);
  else if (op == OP_MONITOREXIT)
    take_exit(method, pc);
  else if (synchronized && op >= OP_IRETURN && op <= OP_RETURN)
    take_return(method, pc);
}

static struct last_handler monitors_last_handler(struct monitors_method *method)
{
  struct monitors_weaving *weaving = method->weaving;
  uint8_t bytes[HANDLER_MAX];
  struct buffer code = {.bytes = bytes, .room = sizeof bytes};
  add_own_object(method, &code);
  add_op(&code, OP_INVOKESTATIC, weaving->released);
  buffer_u1(&code, OP_ATHROW);
  struct last_handler handler = {.size = (uint8_t)code.size};
  memcpy(handler.bytes, bytes, code.size);
  if (weaving->file.major < MONITORS_FRAMES_SINCE)
    return handler;
  handler.stack_map = constants_text(&weaving->rewriting.constants, "StackMapTable");
  handler.throwable = constants_class(&weaving->rewriting.constants, (struct span){"java/lang/Throwable", 19});
  handler.this_class = method->method->access & ACC_STATIC ? 0 : weaving->file.this_class;
  return handler;
}

/* True if a method has monitors at all. False also where its instructions can't be read. */
static bool has_monitors(const struct class_file *file, const struct class_method *method)
{
  uint32_t pc = 0, length;
  bool found = method->code && (method->access & ACC_SYNCHRONIZED);
  while ((length = class_instruction(file, method, pc)) > 0) {
    found |= file->bytes[method->code + pc] == OP_MONITORENTER;
    pc += length;
  }
  return found && pc == method->code_size;
}

/* Looks at each instruction, and puts in what is to be. */
static void take_all(struct monitors_method *method)
{
  struct monitors_weaving *weaving = method->weaving;
  bool synchronized = method->method->access & ACC_SYNCHRONIZED;
  uint32_t length;
  find_hooks(weaving);
  if (synchronized)
    monitors_take_begin(method);
  for (uint32_t pc = 0; !method->odd && (length = class_instruction(&weaving->file, method->method, pc)) > 0;
       pc += length) {
    monitors_take_instruction(method, pc, synchronized);
    method->before = pc;
  }
  method->odd |= !insertions_end(&method->insertions);
}

static void monitors_weave_method(struct monitors_weaving *weaving, const struct class_method *class_method)
{
  if (!has_monitors(&weaving->file, class_method)) {
    rewrite_keep(&weaving->rewriting);
    return;
  }
  struct monitors_method method = {
      .weaving = weaving, .method = class_method, .code = weaving->file.bytes + class_method->code};
  take_all(&method);
  struct relocation relocation = {
      .file = &weaving->file, .method = class_method, .insertions = &method.insertions, .more_stack = 1};
  if ((class_method->access & ACC_SYNCHRONIZED) && !method.odd)
    relocation.handler = monitors_last_handler(&method);
  if (method.odd) {
    rewrite_keep(&weaving->rewriting);
    weaving->unchanged++;
  } else if (!rewrite_change(&weaving->rewriting, &relocation)) {
    weaving->unchanged++;
  }
  insertions_free(&method.insertions);
}

struct buffer monitor_hooks_weave(const uint8_t *bytes, size_t size, monitor_hooks_site *site, void *context,
                                  unsigned *unchanged)
{
  struct monitors_weaving weaving = {.site = site, .context = context};
  *unchanged = 0;
  if (!class_read_sound(&weaving.file, bytes, size))
    return (struct buffer){0};
  rewrite_begin(&weaving.rewriting, &weaving.file);
  for (unsigned i = 0; i < weaving.file.method_count; i++)
    monitors_weave_method(&weaving, &weaving.file.methods[i]);
  struct buffer woven = rewrite_end(&weaving.rewriting);
  *unchanged = weaving.unchanged;
  class_file_free(&weaving.file);
  return woven;
}
