/* Files for the tests of analyzer/record/launch: a directory of their own, programs and libraries built in it. */
#ifndef HEDDLE_TESTS_ANALYZER_LAUNCH_FILES_H
#define HEDDLE_TESTS_ANALYZER_LAUNCH_FILES_H

#include <stddef.h>

/* cmocka's setup and teardown: the working directory becomes a new directory, which is removed in the end. */
int enter_directory(void **state);
int leave_directory(void **state);

/* The directory, absolute. */
const char *at_directory(void);

/* Runs a line by the shell, with $CC for the compiler; the test fails if it does. */
__attribute__((format(printf, 1, 2))) void sh(const char *format, ...);

/* Writes a file with these permissions. */
void write_file(const char *path, const void *bytes, size_t size, unsigned mode);

/* All of a file, to be freed. */
char *read_file(const char *path, size_t *size);

#endif
