#include "jvmti-agent/weaver/guards.h"

#include "base/count_of.h"
#include "jvmti-agent/weaver/guard_code.h"
#include "jvmti-agent/weaver/task_guards.h"

#include <stddef.h>

static void guard_barrier(struct guard_code_making *making, bool begins)
{
  guard_get(making, WORD(quiet));
  guard_branch(making, OP_IFNE, FIRST);
  guard_get(making, WORD(after));
  guard_branch(making, OP_IFEQ, SECOND);
  guard_here(making, FIRST);
  guard_put(making, WORD(open), 0);
  if (!begins)
    guard_put(making, WORD(after), 0);
  guard_branch(making, OP_GOTO, RETURN);
  guard_here(making, SECOND);
}

/* The number in the hook's first argument is the size of the team. */
static void guard_region_begin(struct guard_code_making *making)
{
  struct buffer *code = making->code;
  guard_get(making, WORD(call));
  guard_op_variable(code, OP_ISTORE, making->number);
  guard_get(making, WORD(quiet));
  guard_branch(making, OP_IFEQ, FIRST);
  guard_add_to(making, WORD(quiet), OP_IADD);
  guard_op_variable(code, OP_ILOAD, making->number);
  guard_branch(making, OP_IFLE, RETURN);
  guard_find_entry(making, making->number);
  guard_count(making, offsetof(struct guard_site, inside), OP_IADD);
  guard_branch(making, OP_GOTO, RETURN);
  guard_here(making, FIRST);
  guard_op_variable(code, OP_LLOAD, 0);
  buffer_u1(code, OP_LCONST_1);
  buffer_u1(code, OP_LCMP);
  guard_branch(making, OP_IFNE, CALL_HOOK);
  guard_op_variable(code, OP_ILOAD, making->number);
  guard_branch(making, OP_IFLE, CALL_HOOK);
  guard_find_entry(making, making->number);
  guard_get_left(making);
  guard_branch(making, OP_IFLE, CALL_HOOK);
  guard_count(making, offsetof(struct guard_site, left), OP_ISUB);
  guard_put(making, WORD(quiet), 1);
  guard_put(making, WORD(call), 0);
  guard_branch(making, OP_GOTO, RETURN);
}

static void guard_region_end(struct guard_code_making *making)
{
  guard_get(making, WORD(quiet));
  guard_branch(making, OP_IFEQ, CALL_HOOK);
  guard_add_to(making, WORD(quiet), OP_ISUB);
  guard_put(making, WORD(open), 0);
  guard_branch(making, OP_GOTO, RETURN);
}

static void guard_body_end(struct guard_code_making *making)
{
  guard_get(making, WORD(quiet));
  guard_op_variable(making->code, OP_ISTORE, making->number);
  guard_op_variable(making->code, OP_ILOAD, making->number);
  guard_branch(making, OP_IFEQ, ALONE);
  guard_get(making, WORD(member));
  guard_branch(making, OP_IFEQ, RETURN);
  guard_op_variable(making->code, OP_ILOAD, making->number);
  buffer_u1(making->code, OP_ICONST_1);
  guard_branch(making, OP_IF_ICMPNE, RETURN);
  guard_put(making, WORD(quiet), 0);
  guard_put(making, WORD(member), 0);
  guard_put(making, WORD(open), 0);
  guard_branch(making, OP_GOTO, RETURN);
}

/* True if the loop still gives out chunks: number != 0, and the last argument but the site says that it is not the
 * last. */
static void branch_if_open(struct guard_code_making *making, enum label to, enum label else_to)
{
  guard_op_variable(making->code, OP_LLOAD, 0);
  buffer_u1(making->code, OP_LCONST_0);
  buffer_u1(making->code, OP_LCMP);
  guard_branch(making, OP_IFEQ, else_to);
  guard_op_variable(making->code, OP_ILOAD, making->site - 1);
  guard_branch(making, OP_IFEQ, to);
  guard_here(making, else_to);
}

static void guard_loop_omitted(struct guard_code_making *making)
{
  guard_get(making, WORD(loop_omitted));
  guard_branch(making, OP_IFEQ, SECOND);
  branch_if_open(making, RETURN, LOOP_OMITTED_ENDS);
  guard_put(making, WORD(loop_omitted), 0);
  guard_put(making, WORD(after), 1);
  guard_branch(making, OP_GOTO, RETURN);
  guard_here(making, SECOND);
}

static void guard_loop(struct guard_code_making *making)
{
  struct buffer *code = making->code;
  guard_loop_omitted(making);
  guard_take_site(making);
  guard_get(making, WORD(open));
  guard_op_variable(code, OP_ILOAD, making->number);
  guard_branch(making, OP_IF_ICMPNE, FIRST);
  branch_if_open(making, RETURN, THIRD);
  guard_put(making, WORD(open), 0);
  guard_branch(making, OP_GOTO, RETURN);
  guard_here(making, FIRST);
  guard_get(making, WORD(busy));
  guard_branch(making, OP_IFNE, CALL_HOOK);
  guard_find_entry(making, making->number);
  guard_get(making, WORD(quiet));
  guard_branch(making, OP_IFNE, FOURTH);
  guard_get_left(making);
  guard_branch(making, OP_IFLE, CALL_HOOK);
  guard_count(making, offsetof(struct guard_site, left), OP_ISUB);
  guard_put(making, WORD(after), 1);
}

/* The instance is counted: what of it is open still. Labels are anew. */
static void guard_loop_rest(struct guard_code_making *making)
{
  struct buffer *code = making->code;
  guard_op_variable(code, OP_LLOAD, 0);
  buffer_u1(code, OP_LCONST_0);
  buffer_u1(code, OP_LCMP);
  size_t none = code->size;
  guard_op(code, OP_IFEQ, 0);
  guard_op_variable(code, OP_ILOAD, making->site - 1);
  size_t last = code->size;
  guard_op(code, OP_IFNE, 0);
  guard_put_number(making, WORD(open));
  guard_branch(making, OP_GOTO, RETURN);
  if (code->failed)
    return;
  buffer_set_u2(code, none + 1, (unsigned)(code->size - none));
  buffer_set_u2(code, last + 1, (unsigned)(code->size - last));
  guard_put(making, WORD(open), 0);
  guard_branch(making, OP_GOTO, RETURN);
}

static void guard_loop_whole(struct guard_code_making *making)
{
  guard_loop(making);
  guard_loop_rest(making);
  guard_here(making, FOURTH);
  guard_count(making, offsetof(struct guard_site, inside), OP_IADD);
  guard_loop_rest(making);
}

/* Pushes a number other than 0 if the thread is in an omitted construct. */
static void get_omitted(struct guard_code_making *making)
{
  static const size_t words[] = {WORD(quiet), WORD(loop_omitted), WORD(open), WORD(after)};
  for (size_t i = 0; i < COUNT_OF(words); i++) {
    guard_get(making, words[i]);
    if (i > 0)
      buffer_u1(making->code, OP_IOR);
  }
}

/* A nested acquisition of an omitted lock is omitted, too. */
static void guard_request(struct guard_code_making *making)
{
  guard_take_site(making);
  guard_put_number(making, WORD(asks));
  guard_find_entry(making, making->number);
  get_omitted(making);
  guard_get_of_entry(making, offsetof(struct guard_site, held));
  buffer_u1(making->code, OP_IOR);
  guard_branch(making, OP_IFNE, FIRST);
  guard_get_left(making);
  guard_branch(making, OP_IFLE, CALL_HOOK);
  guard_count(making, offsetof(struct guard_site, left), OP_ISUB);
  guard_branch(making, OP_GOTO, SECOND);
  guard_here(making, FIRST);
  guard_count(making, offsetof(struct guard_site, inside), OP_IADD);
  guard_here(making, SECOND);
  guard_count(making, offsetof(struct guard_site, held), OP_IADD);
  guard_branch(making, OP_GOTO, RETURN);
}

static void guard_locked(struct guard_code_making *making)
{
  guard_put(making, WORD(asks), 0);
  guard_take_site(making);
  guard_find_entry(making, making->number);
  guard_get_of_entry(making, offsetof(struct guard_site, held));
  guard_branch(making, OP_IFNE, RETURN);
}

static void guard_unlocked(struct guard_code_making *making)
{
  guard_take_site(making);
  guard_find_entry(making, making->number);
  guard_get_of_entry(making, offsetof(struct guard_site, held));
  guard_branch(making, OP_IFEQ, FIRST);
  guard_count(making, offsetof(struct guard_site, held), OP_ISUB);
  guard_branch(making, OP_GOTO, RETURN);
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
    guard_get(making, WORD(quiet));
    guard_branch(making, OP_IFNE, RETURN);
  } else if (which == GUARD_BARRIER) {
    guard_barrier(making, begins);
  } else if (which == GUARD_LOOP) {
    guard_loop_whole(making);
  } else if (which == GUARD_CALL) {
    guard_take_site(making);
    guard_put_number(making, WORD(call));
    guard_branch(making, OP_GOTO, RETURN);
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

static bool is_of_tasks(enum hook_guard which)
{
  return which >= GUARD_FORK && which <= GUARD_INVOKE;
}

/* Hooks that are not needed if the thread is alone in its region. */
static bool needs_others(enum hook_guard which, bool begins)
{
  return which == GUARD_BODY || ((which == GUARD_BARRIER || which == GUARD_QUIET) && !begins);
}

/* The thread's table is there; else on to `none`. */
static void guard_table(struct guard_code_making *making, enum label none)
{
  guard_op(making->code, OP_INVOKESTATIC, making->of->table);
  guard_op_variable(making->code, OP_LSTORE, making->table);
  guard_op_variable(making->code, OP_LLOAD, making->table);
  buffer_u1(making->code, OP_LCONST_0);
  buffer_u1(making->code, OP_LCMP);
  guard_branch(making, OP_IFEQ, none);
}

/* True if the switch is checked first. The release of a lock that counts as held is handled in any case. */
static bool asks_switch_first(enum hook_guard which, enum guard_moment moment)
{
  if (is_of_tasks(which))
    return which == GUARD_FORK || which == GUARD_TASK_BELOW;
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
  if (is_of_tasks(which)) {
    bool omits = memory->slots && memory->omits && memory->hash_bits != 0;
    if (omits) {
      guard_table(&making, which == GUARD_EXEC ? RETURN : CALL_HOOK);
      task_guard(&making, which, begins, memory);
    } else if (which == GUARD_EXEC) {
      guard_branch(&making, OP_GOTO, RETURN);
    }
  } else if (which != GUARD_SWITCH && memory->slots && (memory->omits || which == GUARD_CALL || others)) {
    guard_table(&making, gives_up ? FIRST : CALL_HOOK);
    if (memory->omits || which == GUARD_CALL)
      guard(&making, which, moment);
    if (others) {
      guard_here(&making, ALONE);
      guard_get(&making, WORD(alone));
      guard_branch(&making, OP_IFNE, RETURN);
    }
  }
  if (gives_up) {
    guard_here(&making, FIRST);
    guard_switch(&making, memory, RETURN);
  }
  guard_here(&making, CALL_HOOK);
  for (unsigned i = 0; i < signature->count; i++)
    signature_load(code, &signature->arguments[i]);
  guard_op(code, OP_INVOKESTATIC, hook);
  guard_here(&making, RETURN);
  buffer_u1(code, OP_RETURN);
  guard_resolve(&making);
}

void guard_code_of_table(struct buffer *code, const struct guard_constants *of, const struct hook_memory *memory)
{
  guard_op(code, OP_INVOKESTATIC, of->unsafe);
  guard_op(code, OP_INVOKESTATIC, of->current_thread);
  guard_push_long(code, of, (uint64_t)memory->tid_offset);
  guard_op(code, OP_INVOKEVIRTUAL, of->get_long_of);
  guard_op_variable(code, OP_LSTORE, 0);
  guard_push_long(code, of, (uintptr_t)memory->slots);
  guard_op_variable(code, OP_LLOAD, 0);
  guard_push_long(code, of, GUARD_SLOTS - 1);
  buffer_u1(code, OP_LAND);
  buffer_u1(code, OP_ICONST_4); /* 16 bytes a slot */
  buffer_u1(code, OP_LSHL);
  buffer_u1(code, OP_LADD);
  guard_op_variable(code, OP_LSTORE, 2);
  guard_op(code, OP_INVOKESTATIC, of->unsafe);
  guard_op_variable(code, OP_LLOAD, 2);
  guard_op(code, OP_INVOKEVIRTUAL, of->get_long);
  guard_op_variable(code, OP_LLOAD, 0);
  buffer_u1(code, OP_LCMP);
  guard_op(code, OP_IFEQ, 5);
  buffer_u1(code, OP_LCONST_0);
  buffer_u1(code, OP_LRETURN);
  guard_op(code, OP_INVOKESTATIC, of->unsafe);
  guard_op_variable(code, OP_LLOAD, 2);
  guard_push_long(code, of, 8);
  buffer_u1(code, OP_LADD);
  guard_op(code, OP_INVOKEVIRTUAL, of->get_long);
  buffer_u1(code, OP_LRETURN);
}
