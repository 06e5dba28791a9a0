/*
 * Messages of the converter: one line each on stderr; control characters and invalid UTF-8 become \xHH. Any thread.
 * Functions return errors (base/error.h); main prints them here.
 */
#ifndef HEDDLE_OTF2_CONVERT_MESSAGES_H
#define HEDDLE_OTF2_CONVERT_MESSAGES_H

#include <stdbool.h>

void message_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints a message that is no error; not after message_set_quiet(true). */
void message_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void message_set_quiet(bool quiet);
bool message_is_quiet(void);

#endif
