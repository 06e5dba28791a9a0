/*
 * Windows and chunks as files: the only place where the recorder meets the file system. No descriptor is kept: a
 * program may close what it does not know, or have none to spare. Safe in any thread; no allocation.
 */
#ifndef HEDDLE_COMMON_CHUNK_H
#define HEDDLE_COMMON_CHUNK_H

#include "common/raw_trace.h"

#include <stddef.h>

/*
 * Makes `directory`/slot-<slot>.window and maps it, all of it allocated on disk and populated, owned by nobody. It
 * stays mapped until the process ends. NULL: *error has the errno value.
 */
struct raw_header *chunk_map_window(const char *directory, unsigned slot, uint32_t size, uint32_t ring_slots,
                                    int *error);

/*
 * Writes a window's header and `used` bytes of records to `directory`/thread-<thread>.log, at offset `end` or in its
 * place in the ring. Returns 0, or an errno value: then the log is as it was, or, in a ring, the overwritten chunk is
 * gone.
 */
int chunk_write(const char *directory, uint32_t thread, uint64_t end, const struct raw_header *window);

/* What a chunk of n words, begun at some time, takes along when it is lost. */
struct chunk_loss {
  uint64_t events; /* those that its own GAP records counted included, the recorder's own records not */
  uint64_t since;  /* ticks */
};
struct chunk_loss chunk_loss(const uint64_t *words, size_t n, uint64_t begun);

#endif
