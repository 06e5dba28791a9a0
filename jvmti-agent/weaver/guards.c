#include "jvmti-agent/weaver/guards.h"

#include "base/count_of.h"
#include "jvmti-agent/weaver/class_file.h"

#include <stddef.h>
#include <string.h>

#define UNSAFE "jdk/internal/misc/Unsafe"
#define JUMPS  24u

enum label { CALL_HOOK, RETURN, FIRST, SECOND, THIRD, FOURTH, LOOP_OMITTED_ENDS, ALONE, LABELS };

/* Code in the making. Variables behind the arguments: the table (long), a site in it (long), a number. */
struct guard_code_making {
  struct buffer *code;
  const struct guard_constants *of;
  unsigned site, table, entry, number; /* variables */
  unsigned jumps;
  struct {
    size_t at;
    enum label to;
  } jump[JUMPS];
  size_t label[LABELS];
};

static uint16_t reference(struct constants *constants, const char *owner, const char *name, const char *descriptor)
{
  uint16_t class = constants_class(constants, (struct span){owner, strlen(owner)}),
           of_name = constants_text(constants, name);
  return constants_method(constants, class, of_name, constants_text(constants, descriptor));
}

struct guard_constants guard_constants(struct constants *constants, uint16_t table)
{
  return (struct guard_constants){.constants = constants,
                                  .unsafe = reference(constants, UNSAFE, "getUnsafe", "()L" UNSAFE ";"),
                                  .get_byte = reference(constants, UNSAFE, "getByte", "(J)B"),
                                  .get_int = reference(constants, UNSAFE, "getInt", "(J)I"),
                                  .put_int = reference(constants, UNSAFE, "putInt", "(JI)V"),
                                  .get_long = reference(constants, UNSAFE, "getLong", "(J)J"),
                                  .get_long_of = reference(constants, UNSAFE, "getLong", "(Ljava/lang/Object;J)J"),
                                  .current_thread =
                                      reference(constants, "java/lang/Thread", "currentThread", "()Ljava/lang/Thread;"),
                                  .table = table};
}

static void op(struct buffer *code, enum opcode op, uint16_t constant)
{
  buffer_u1(code, op);
  buffer_u2(code, constant);
}

static void op_variable(struct buffer *code, enum opcode op, unsigned variable)
{
  buffer_u1(code, op);
  buffer_u1(code, variable);
}

static void push_long(struct buffer *code, const struct guard_constants *of, uint64_t number)
{
  op(code, OP_LDC2_W, constants_long(of->constants, number));
}

static void branch(struct guard_code_making *making, enum opcode how, enum label to)
{
  if (making->jumps == JUMPS) {
    making->code->failed = true;
    return;
  }
  making->jump[making->jumps].at = making->code->size;
  making->jump[making->jumps++].to = to;
  op(making->code, how, 0);
}

static void here(struct guard_code_making *making, enum label label)
{
  making->label[label] = making->code->size;
}

static void resolve(struct guard_code_making *making)
{
  for (unsigned i = 0; i < making->jumps && !making->code->failed; i++)
    buffer_set_u2(making->code, making->jump[i].at + 1,
                  (unsigned)(making->label[making->jump[i].to] - making->jump[i].at) & 0xffff);
}

/* Unsafe, and the address of a word of the thread. */
static void push_word(struct guard_code_making *making, size_t offset)
{
  op(making->code, OP_INVOKESTATIC, making->of->unsafe);
  op_variable(making->code, OP_LLOAD, making->table);
  if (offset > 0) {
    push_long(making->code, making->of, offset);
    buffer_u1(making->code, OP_LADD);
  }
}

static void get(struct guard_code_making *making, size_t offset)
{
  push_word(making, offset);
  op(making->code, OP_INVOKEVIRTUAL, making->of->get_int);
}

/* More: to the number that is there. */
static void put(struct guard_code_making *making, size_t offset, int number)
{
  push_word(making, offset);
  buffer_u1(making->code, (unsigned)(OP_ICONST_0 + number));
  op(making->code, OP_INVOKEVIRTUAL, making->of->put_int);
}

static void add_to(struct guard_code_making *making, size_t offset, enum opcode how)
{
  push_word(making, offset);
  get(making, offset);
  buffer_u1(making->code, OP_ICONST_1);
  buffer_u1(making->code, how);
  op(making->code, OP_INVOKEVIRTUAL, making->of->put_int);
}

#define WORD(name) offsetof(struct guard_thread, name)

/* The site whose number + 1 is in a variable becomes the entry. */
static void find_entry(struct guard_code_making *making, unsigned variable)
{
  struct buffer *code = making->code;
  op_variable(code, OP_LLOAD, making->table);
  op_variable(code, OP_ILOAD, variable);
  buffer_u1(code, OP_I2L);
  op(code, OP_LDC_W, constants_integer(making->of->constants, GUARD_SITE_SHIFT));
  buffer_u1(code, OP_LSHL);
  buffer_u1(code, OP_LADD);
  push_long(code, making->of, GUARD_SITES_AT - (1u << GUARD_SITE_SHIFT));
  buffer_u1(code, OP_LADD);
  op_variable(code, OP_LSTORE, making->entry);
}

/* A word of the entry grows or shrinks by 1. */
static void count(struct guard_code_making *making, size_t offset, enum opcode how)
{
  struct guard_code_making entry = *making; /* the same with the entry as the base */
  entry.table = making->entry;
  add_to(&entry, offset, how);
}

/* A word of the entry. */
static void get_of_entry(struct guard_code_making *making, size_t offset)
{
  struct guard_code_making entry = *making; /* the same with the entry as the base */
  entry.table = making->entry;
  get(&entry, offset);
}

/* The entry's `left`. */
static void get_left(struct guard_code_making *making)
{
  get_of_entry(making, offsetof(struct guard_site, left));
}

/* number = site + 1, if that is in the table. */
static void take_site(struct guard_code_making *making)
{
  struct buffer *code = making->code;
  op_variable(code, OP_ILOAD, making->site);
  op(code, OP_LDC_W, constants_integer(making->of->constants, GUARD_SITES));
  branch(making, OP_IF_ICMPGE, CALL_HOOK);
  op_variable(code, OP_ILOAD, making->site);
  buffer_u1(code, OP_ICONST_1);
  buffer_u1(code, OP_IADD);
  op_variable(code, OP_ISTORE, making->number);
}

static void put_number(struct guard_code_making *making, size_t offset)
{
  push_word(making, offset);
  op_variable(making->code, OP_ILOAD, making->number);
  op(making->code, OP_INVOKEVIRTUAL, making->of->put_int);
}

static void guard_barrier(struct guard_code_making *making, bool begins)
{
  get(making, WORD(quiet));
  branch(making, OP_IFNE, FIRST);
  get(making, WORD(after));
  branch(making, OP_IFEQ, SECOND);
  here(making, FIRST);
  put(making, WORD(open), 0);
  if (!begins)
    put(making, WORD(after), 0);
  branch(making, OP_GOTO, RETURN);
  here(making, SECOND);
}

/* The number in the hook's first argument is the size of the team. */
static void guard_region_begin(struct guard_code_making *making)
{
  struct buffer *code = making->code;
  get(making, WORD(call));
  op_variable(code, OP_ISTORE, making->number);
  get(making, WORD(quiet));
  branch(making, OP_IFEQ, FIRST);
  add_to(making, WORD(quiet), OP_IADD);
  op_variable(code, OP_ILOAD, making->number);
  branch(making, OP_IFLE, RETURN);
  find_entry(making, making->number);
  count(making, offsetof(struct guard_site, inside), OP_IADD);
  branch(making, OP_GOTO, RETURN);
  here(making, FIRST);
  op_variable(code, OP_LLOAD, 0);
  buffer_u1(code, OP_LCONST_1);
  buffer_u1(code, OP_LCMP);
  branch(making, OP_IFNE, CALL_HOOK);
  op_variable(code, OP_ILOAD, making->number);
  branch(making, OP_IFLE, CALL_HOOK);
  find_entry(making, making->number);
  get_left(making);
  branch(making, OP_IFLE, CALL_HOOK);
  count(making, offsetof(struct guard_site, left), OP_ISUB);
  put(making, WORD(quiet), 1);
  put(making, WORD(call), 0);
  branch(making, OP_GOTO, RETURN);
}

static void guard_region_end(struct guard_code_making *making)
{
  get(making, WORD(quiet));
  branch(making, OP_IFEQ, CALL_HOOK);
  add_to(making, WORD(quiet), OP_ISUB);
  put(making, WORD(open), 0);
  branch(making, OP_GOTO, RETURN);
}

static void guard_body_end(struct guard_code_making *making)
{
  get(making, WORD(quiet));
  op_variable(making->code, OP_ISTORE, making->number);
  op_variable(making->code, OP_ILOAD, making->number);
  branch(making, OP_IFEQ, ALONE);
  get(making, WORD(member));
  branch(making, OP_IFEQ, RETURN);
  op_variable(making->code, OP_ILOAD, making->number);
  buffer_u1(making->code, OP_ICONST_1);
  branch(making, OP_IF_ICMPNE, RETURN);
  put(making, WORD(quiet), 0);
  put(making, WORD(member), 0);
  put(making, WORD(open), 0);
  branch(making, OP_GOTO, RETURN);
}

/* True if the loop still gives out chunks: number != 0, and the last argument but the site says that it is not the
 * last. */
static void branch_if_open(struct guard_code_making *making, enum label to, enum label else_to)
{
  op_variable(making->code, OP_LLOAD, 0);
  buffer_u1(making->code, OP_LCONST_0);
  buffer_u1(making->code, OP_LCMP);
  branch(making, OP_IFEQ, else_to);
  op_variable(making->code, OP_ILOAD, making->site - 1);
  branch(making, OP_IFEQ, to);
  here(making, else_to);
}

static void guard_loop_omitted(struct guard_code_making *making)
{
  get(making, WORD(loop_omitted));
  branch(making, OP_IFEQ, SECOND);
  branch_if_open(making, RETURN, LOOP_OMITTED_ENDS);
  put(making, WORD(loop_omitted), 0);
  put(making, WORD(after), 1);
  branch(making, OP_GOTO, RETURN);
  here(making, SECOND);
}

static void guard_loop(struct guard_code_making *making)
{
  struct buffer *code = making->code;
  guard_loop_omitted(making);
  take_site(making);
  get(making, WORD(open));
  op_variable(code, OP_ILOAD, making->number);
  branch(making, OP_IF_ICMPNE, FIRST);
  branch_if_open(making, RETURN, THIRD);
  put(making, WORD(open), 0);
  branch(making, OP_GOTO, RETURN);
  here(making, FIRST);
  get(making, WORD(busy));
  branch(making, OP_IFNE, CALL_HOOK);
  find_entry(making, making->number);
  get(making, WORD(quiet));
  branch(making, OP_IFNE, FOURTH);
  get_left(making);
  branch(making, OP_IFLE, CALL_HOOK);
  count(making, offsetof(struct guard_site, left), OP_ISUB);
  put(making, WORD(after), 1);
}

/* The instance is counted: what of it is open still. Labels are anew. */
static void guard_loop_rest(struct guard_code_making *making)
{
  struct buffer *code = making->code;
  op_variable(code, OP_LLOAD, 0);
  buffer_u1(code, OP_LCONST_0);
  buffer_u1(code, OP_LCMP);
  size_t none = code->size;
  op(code, OP_IFEQ, 0);
  op_variable(code, OP_ILOAD, making->site - 1);
  size_t last = code->size;
  op(code, OP_IFNE, 0);
  put_number(making, WORD(open));
  branch(making, OP_GOTO, RETURN);
  if (code->failed)
    return;
  buffer_set_u2(code, none + 1, (unsigned)(code->size - none));
  buffer_set_u2(code, last + 1, (unsigned)(code->size - last));
  put(making, WORD(open), 0);
  branch(making, OP_GOTO, RETURN);
}

static void guard_loop_whole(struct guard_code_making *making)
{
  guard_loop(making);
  guard_loop_rest(making);
  here(making, FOURTH);
  count(making, offsetof(struct guard_site, inside), OP_IADD);
  guard_loop_rest(making);
}

/* Pushes a number other than 0 if the thread is in an omitted construct. */
static void get_omitted(struct guard_code_making *making)
{
  static const size_t words[] = {WORD(quiet), WORD(loop_omitted), WORD(open), WORD(after)};
  for (size_t i = 0; i < COUNT_OF(words); i++) {
    get(making, words[i]);
    if (i > 0)
      buffer_u1(making->code, OP_IOR);
  }
}

/* A nested acquisition of an omitted lock is omitted, too. */
static void guard_request(struct guard_code_making *making)
{
  take_site(making);
  put_number(making, WORD(asks));
  find_entry(making, making->number);
  get_omitted(making);
  get_of_entry(making, offsetof(struct guard_site, held));
  buffer_u1(making->code, OP_IOR);
  branch(making, OP_IFNE, FIRST);
  get_left(making);
  branch(making, OP_IFLE, CALL_HOOK);
  count(making, offsetof(struct guard_site, left), OP_ISUB);
  branch(making, OP_GOTO, SECOND);
  here(making, FIRST);
  count(making, offsetof(struct guard_site, inside), OP_IADD);
  here(making, SECOND);
  count(making, offsetof(struct guard_site, held), OP_IADD);
  branch(making, OP_GOTO, RETURN);
}

static void guard_locked(struct guard_code_making *making)
{
  put(making, WORD(asks), 0);
  take_site(making);
  find_entry(making, making->number);
  get_of_entry(making, offsetof(struct guard_site, held));
  branch(making, OP_IFNE, RETURN);
}

static void guard_unlocked(struct guard_code_making *making)
{
  take_site(making);
  find_entry(making, making->number);
  get_of_entry(making, offsetof(struct guard_site, held));
  branch(making, OP_IFEQ, FIRST);
  count(making, offsetof(struct guard_site, held), OP_ISUB);
  branch(making, OP_GOTO, RETURN);
}

static void guard_lock(struct guard_code_making *making, enum guard_moment moment)
{
  if (moment == GUARD_BEHIND)
    guard_request(making);
  else if (moment == GUARD_LOCKED)
    guard_locked(making);
  else
    guard_unlocked(making);
}

static void guard(struct guard_code_making *making, enum hook_guard which, enum guard_moment moment)
{
  bool begins = moment == GUARD_BEFORE;
  if (which == GUARD_QUIET || (which == GUARD_BODY && begins)) {
    get(making, WORD(quiet));
    branch(making, OP_IFNE, RETURN);
  } else if (which == GUARD_BARRIER) {
    guard_barrier(making, begins);
  } else if (which == GUARD_LOOP) {
    guard_loop_whole(making);
  } else if (which == GUARD_CALL) {
    take_site(making);
    put_number(making, WORD(call));
    branch(making, OP_GOTO, RETURN);
  } else if (which == GUARD_REGION && begins) {
    guard_region_begin(making);
  } else if (which == GUARD_REGION) {
    guard_region_end(making);
  } else if (which == GUARD_BODY) {
    guard_body_end(making);
  } else if (which == GUARD_LOCK) {
    guard_lock(making, moment);
  }
}

/* Hooks that are not needed if the thread is alone in its region. */
static bool needs_others(enum hook_guard which, bool begins)
{
  return which == GUARD_BODY || ((which == GUARD_BARRIER || which == GUARD_QUIET) && !begins);
}

/* The hook is called only while the site's switch is on; else on to `off`. */
static void guard_switch(struct guard_code_making *making, const struct hook_memory *memory, enum label off)
{
  struct buffer *code = making->code;
  op(code, OP_INVOKESTATIC, making->of->unsafe);
  push_long(code, making->of, (uintptr_t)memory->switches);
  op_variable(code, OP_ILOAD, making->site);
  buffer_u1(code, OP_I2L);
  buffer_u1(code, OP_LADD);
  op(code, OP_INVOKEVIRTUAL, making->of->get_byte);
  branch(making, OP_IFEQ, off);
}

/* The thread's table is there; else on to `none`. */
static void guard_table(struct guard_code_making *making, enum label none)
{
  op(making->code, OP_INVOKESTATIC, making->of->table);
  op_variable(making->code, OP_LSTORE, making->table);
  op_variable(making->code, OP_LLOAD, making->table);
  buffer_u1(making->code, OP_LCONST_0);
  buffer_u1(making->code, OP_LCMP);
  branch(making, OP_IFEQ, none);
}

/* True if the switch is checked first. The release of a lock that counts as held is handled in any case. */
static bool asks_switch_first(enum hook_guard which, enum guard_moment moment)
{
  return which != GUARD_BODY && which != GUARD_CALL && (which != GUARD_REGION || moment == GUARD_BEFORE) &&
         (which != GUARD_LOCK || moment != GUARD_UNLOCKED);
}

void guard_code(struct buffer *code, const struct guard_constants *of, enum hook_guard which, enum guard_moment moment,
                const struct signature *signature, uint16_t hook, const struct hook_memory *memory)
{
  bool begins = moment == GUARD_BEFORE, gives_up = which == GUARD_LOCK && moment == GUARD_UNLOCKED;
  struct guard_code_making making = {.code = code,
                                     .of = of,
                                     .site = signature->arguments[signature->count - 1].variable,
                                     .table = signature->words,
                                     .entry = signature->words + 2,
                                     .number = signature->words + 4};
  if (asks_switch_first(which, moment))
    guard_switch(&making, memory, which == GUARD_REGION ? CALL_HOOK : RETURN);
  bool others = needs_others(which, begins);
  if (which != GUARD_SWITCH && memory->slots && (memory->omits || which == GUARD_CALL || others)) {
    guard_table(&making, gives_up ? FIRST : CALL_HOOK);
    if (memory->omits || which == GUARD_CALL)
      guard(&making, which, moment);
    if (others) {
      here(&making, ALONE);
      get(&making, WORD(alone));
      branch(&making, OP_IFNE, RETURN);
    }
  }
  if (gives_up) {
    here(&making, FIRST);
    guard_switch(&making, memory, RETURN);
  }
  here(&making, CALL_HOOK);
  for (unsigned i = 0; i < signature->count; i++)
    signature_load(code, &signature->arguments[i]);
  op(code, OP_INVOKESTATIC, hook);
  here(&making, RETURN);
  buffer_u1(code, OP_RETURN);
  resolve(&making);
}

void guard_code_of_table(struct buffer *code, const struct guard_constants *of, const struct hook_memory *memory)
{
  op(code, OP_INVOKESTATIC, of->unsafe);
  op(code, OP_INVOKESTATIC, of->current_thread);
  push_long(code, of, (uint64_t)memory->tid_offset);
  op(code, OP_INVOKEVIRTUAL, of->get_long_of);
  op_variable(code, OP_LSTORE, 0);
  push_long(code, of, (uintptr_t)memory->slots);
  op_variable(code, OP_LLOAD, 0);
  push_long(code, of, GUARD_SLOTS - 1);
  buffer_u1(code, OP_LAND);
  buffer_u1(code, OP_ICONST_4); /* 16 bytes a slot */
  buffer_u1(code, OP_LSHL);
  buffer_u1(code, OP_LADD);
  op_variable(code, OP_LSTORE, 2);
  op(code, OP_INVOKESTATIC, of->unsafe);
  op_variable(code, OP_LLOAD, 2);
  op(code, OP_INVOKEVIRTUAL, of->get_long);
  op_variable(code, OP_LLOAD, 0);
  buffer_u1(code, OP_LCMP);
  op(code, OP_IFEQ, 5);
  buffer_u1(code, OP_LCONST_0);
  buffer_u1(code, OP_LRETURN);
  op(code, OP_INVOKESTATIC, of->unsafe);
  op_variable(code, OP_LLOAD, 2);
  push_long(code, of, 8);
  buffer_u1(code, OP_LADD);
  op(code, OP_INVOKEVIRTUAL, of->get_long);
  buffer_u1(code, OP_LRETURN);
}
