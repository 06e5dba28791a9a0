/* Bytes that grow, and the big-endian numbers of class files in them. After a failure (no memory) it stays failed. */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_BUFFER_H
#define HEDDLE_JVMTI_AGENT_WEAVER_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer {
  uint8_t *bytes; /* free() it */
  size_t size, room;
  bool failed;
};

void buffer_add(struct buffer *buffer, const void *bytes, size_t n);
void buffer_u1(struct buffer *buffer, unsigned number);
void buffer_u2(struct buffer *buffer, unsigned number);
void buffer_u4(struct buffer *buffer, uint32_t number);
/* Writes over what is at `at`, which is inside. */
void buffer_set_u2(struct buffer *buffer, size_t at, unsigned number);
void buffer_set_u4(struct buffer *buffer, size_t at, uint32_t number);

#endif
