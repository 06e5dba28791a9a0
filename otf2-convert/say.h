/*
 * The converter's messages: one line each on stderr, control characters and broken UTF-8 as \xHH. Any thread. Errors
 * come through base/error.h, and main prints them here.
 */
#ifndef HEDDLE_OTF2_CONVERT_SAY_H
#define HEDDLE_OTF2_CONVERT_SAY_H

#include <stdbool.h>

void say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A message that is not an error; silent after say_quiet(true). */
void say_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say_quiet(bool quiet);
bool say_is_quiet(void);

#endif
