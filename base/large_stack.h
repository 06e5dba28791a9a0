/* Large stack for a main function, if the limit (ulimit -s) is too low. */
#ifndef HEDDLE_BASE_LARGE_STACK_H
#define HEDDLE_BASE_LARGE_STACK_H

/*
 * Calls function(count, arguments) and returns its value. If the limit is low, the call runs on a stack of its own, and
 * later threads get stacks of that size. The limit itself stays, for programs that are started. -1: no memory for a
 * stack; the function was not called.
 */
int large_stack_run(int (*function)(int count, char **arguments), int count, char **arguments);

#endif
