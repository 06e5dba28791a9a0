/* Guards of pools' tasks: where they are forked, where they begin and end, and where others wait for them. */
#include "jvmti-agent/weaver/task_guards.h"

#define FORKS_SHIFT 5u /* bytes of a struct guard_fork, as a power of two */

_Static_assert(sizeof(struct guard_fork) == 1u << FORKS_SHIFT && sizeof(struct guard_thread) <= GUARD_FORKS_AT &&
                   GUARD_FORKS_AT + GUARD_FORKS * sizeof(struct guard_fork) <= GUARD_SITES_AT,
               "woven code knows where a class of tasks is");

/* The hook's object has a class: its entry, and its identity hash as the number. */
static void find_fork(struct guard_code_making *making)
{
  struct buffer *code = making->code;
  buffer_u1(code, OP_ALOAD_0);
  guard_op(code, OP_INVOKEVIRTUAL, making->of->get_class);
  guard_op(code, OP_INVOKESTATIC, making->of->identity_hash);
  guard_op_variable(code, OP_ISTORE, making->number);
  guard_op_variable(code, OP_LLOAD, making->table);
  guard_op_variable(code, OP_ILOAD, making->number);
  buffer_u1(code, OP_I2L);
  guard_push_long(code, making->of, GUARD_FORKS - 1);
  buffer_u1(code, OP_LAND);
  guard_op(code, OP_LDC_W, constants_integer(making->of->constants, FORKS_SHIFT));
  buffer_u1(code, OP_LSHL);
  buffer_u1(code, OP_LADD);
  guard_push_long(code, making->of, GUARD_FORKS_AT);
  buffer_u1(code, OP_LADD);
  guard_op_variable(code, OP_LSTORE, making->entry);
}

static void guard_fork(struct guard_code_making *making)
{
  find_fork(making);
  guard_get_of_entry(making, offsetof(struct guard_fork, class));
  guard_op_variable(making->code, OP_ILOAD, making->number);
  guard_branch(making, OP_IF_ICMPNE, CALL_HOOK);
  guard_get_of_entry(making, offsetof(struct guard_fork, left));
  guard_branch(making, OP_IFLE, CALL_HOOK);
  guard_count(making, offsetof(struct guard_fork, left), OP_ISUB);
  guard_branch(making, OP_GOTO, RETURN);
}

/* The pool runs a task: its compute() comes next. */
static void guard_exec(struct guard_code_making *making)
{
  guard_get(making, WORD(runs_own));
  guard_branch(making, OP_IFNE, FIRST);
  guard_put(making, WORD(pooled), 1);
  guard_branch(making, OP_GOTO, RETURN);
  guard_here(making, FIRST);
  guard_put(making, WORD(runs_own), 0);
  guard_put(making, WORD(pooled), 0);
  guard_branch(making, OP_GOTO, RETURN);
}

/* On to `to` if somebody has asked for the hash of the hook's object: then C may know the task. */
static void branch_if_hashed(struct guard_code_making *making, uint64_t bits, enum label to)
{
  struct buffer *code = making->code;
  guard_op(code, OP_INVOKESTATIC, making->of->unsafe);
  buffer_u1(code, OP_ALOAD_0);
  buffer_u1(code, OP_LCONST_0);
  guard_op(code, OP_INVOKEVIRTUAL, making->of->get_long_of);
  guard_push_long(code, making->of, bits);
  buffer_u1(code, OP_LAND);
  buffer_u1(code, OP_LCONST_0);
  buffer_u1(code, OP_LCMP);
  guard_branch(making, OP_IFNE, to);
}

/* While hooks are off, tasks in omitted ones are still followed, without counting them. */
static void guard_task_begin(struct guard_code_making *making, const struct hook_memory *memory)
{
  guard_switch(making, memory, FOURTH);
  branch_if_hashed(making, memory->hash_bits, CALL_HOOK);
  guard_get(making, WORD(pooled));
  guard_branch(making, OP_IFNE, FIRST);
  guard_take_site(making);
  guard_find_entry(making, making->number);
  guard_get_left(making);
  guard_branch(making, OP_IFLE, CALL_HOOK);
  guard_count(making, offsetof(struct guard_site, left), OP_ISUB);
  guard_here(making, FIRST);
  guard_get(making, WORD(timed));
  guard_branch(making, OP_IFNE, SECOND);
  guard_put(making, WORD(pooled), 0);
  guard_here(making, THIRD);
  guard_add_to(making, WORD(tasks), OP_IADD);
  guard_branch(making, OP_GOTO, RETURN);
  guard_here(making, FOURTH);
  guard_get(making, WORD(tasks));
  guard_branch(making, OP_IFNE, THIRD);
  guard_branch(making, OP_GOTO, CALL_HOOK);
  guard_here(making, SECOND);
  guard_put(making, WORD(counted), 1);
}

static void guard_task_end(struct guard_code_making *making)
{
  guard_get(making, WORD(tasks));
  guard_branch(making, OP_IFEQ, CALL_HOOK);
  guard_add_to(making, WORD(tasks), OP_ISUB);
  guard_get(making, WORD(tasks));
  guard_branch(making, OP_IFNE, RETURN);
  guard_get(making, WORD(ends));
  guard_branch(making, OP_IFEQ, RETURN);
}

static void guard_wait_begin(struct guard_code_making *making, bool runs_own)
{
  if (runs_own)
    guard_put(making, WORD(runs_own), 1);
  guard_get(making, WORD(tasks));
  guard_branch(making, OP_IFNE, RETURN);
  guard_get(making, WORD(waits));
  guard_branch(making, OP_IFNE, FIRST);
  guard_take_site(making);
  guard_find_entry(making, making->number);
  guard_get_left(making);
  guard_branch(making, OP_IFLE, CALL_HOOK);
  guard_count(making, offsetof(struct guard_site, left), OP_ISUB);
  guard_here(making, FIRST);
  guard_add_to(making, WORD(waits), OP_IADD);
  guard_branch(making, OP_GOTO, RETURN);
}

static void guard_wait_end(struct guard_code_making *making, bool runs_own)
{
  if (runs_own)
    guard_put(making, WORD(runs_own), 0);
  guard_get(making, WORD(tasks));
  guard_branch(making, OP_IFNE, RETURN);
  guard_get(making, WORD(waits));
  guard_branch(making, OP_IFEQ, CALL_HOOK);
  guard_add_to(making, WORD(waits), OP_ISUB);
  guard_branch(making, OP_GOTO, RETURN);
}

void task_guard(struct guard_code_making *making, enum hook_guard which, bool begins, const struct hook_memory *memory)
{
  if (which == GUARD_FORK)
    guard_fork(making);
  else if (which == GUARD_EXEC)
    guard_exec(making);
  else if (which == GUARD_TASK || which == GUARD_TASK_BELOW)
    begins ? guard_task_begin(making, memory) : guard_task_end(making);
  else if (which == GUARD_WAIT || which == GUARD_INVOKE)
    begins ? guard_wait_begin(making, which == GUARD_INVOKE) : guard_wait_end(making, which == GUARD_INVOKE);
}
