/* Options of the Java agent on the command line: --java of `heddle record` and `heddle attach`. */
#ifndef HEDDLE_ANALYZER_RECORD_JAVA_OPTIONS_CHECK_H
#define HEDDLE_ANALYZER_RECORD_JAVA_OPTIONS_CHECK_H

#include <stdbool.h>

/* -1: all are good; else the exit status, and a line says which one is wrong. */
int java_options_check(const char *command, const char *text);

/* Whether hold= chooses classes. text: NULL is none. */
bool java_options_have_hold(const char *text);

#endif
