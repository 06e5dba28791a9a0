/* A program's main function where the limit of the stack (ulimit -s) is too low for it. */
#ifndef HEDDLE_BASE_LARGE_STACK_H
#define HEDDLE_BASE_LARGE_STACK_H

/*
 * Calls function(count, arguments), and returns its value: with a low limit on a stack of its own, and threads that
 * begin later get such stacks, too. The limit stays as it is, for programs that are started. -1: there is no memory for
 * a stack, and the function was not called.
 */
int large_stack_run(int (*function)(int count, char **arguments), int count, char **arguments);

#endif
