/*
 * A subject of unit tests: one file test_<subject>.c, which defines UNIT_TEST(subject) as its main function. run.c has
 * the subjects of a folder in one program. Includes cmocka.h and the four headers that it needs.
 */
#ifndef HEDDLE_UNIT_H
#define HEDDLE_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>

/* Returns the number of tests that failed. argv[0] is the subject; what follows are the arguments of its ctest entry.
 */
#define UNIT_TEST(subject)                                                                                             \
  int unit_##subject(int argc, char **argv);                                                                           \
  int unit_##subject(int argc __attribute__((unused)), char **argv __attribute__((unused)))

#endif
