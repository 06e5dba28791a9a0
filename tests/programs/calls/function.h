/* A function that the compiler neither puts into its callers nor makes a second one of, for some arguments. */
#ifndef HEDDLE_TESTS_PROGRAMS_CALLS_FUNCTION_H
#define HEDDLE_TESTS_PROGRAMS_CALLS_FUNCTION_H

#if defined(__clang__)
#define FUNCTION __attribute__((noinline))
#else
#define FUNCTION __attribute__((noinline, noclone))
#endif

#endif
