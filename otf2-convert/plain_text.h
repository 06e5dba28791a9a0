/*
 * Text from outside (file names, arguments, thread names) as valid UTF-8 without control characters; other bytes become
 * \xHH.
 */
#ifndef HEDDLE_OTF2_CONVERT_PLAIN_TEXT_H
#define HEDDLE_OTF2_CONVERT_PLAIN_TEXT_H

#include <stddef.h>

/* Writes at most size bytes, the zero included, and cuts off the rest at a character. Any thread. */
void plain_text(const char *from, char *to, size_t size);

#endif
