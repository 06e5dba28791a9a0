/*
 * Windows and chunks as files of the process directory (process_dir.h). Safe in any thread; no allocation.
 */
#ifndef HEDDLE_COMMON_RECORDER_CHUNK_H
#define HEDDLE_COMMON_RECORDER_CHUNK_H

#include "common/raw/raw_record.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Maps the slot's place in the file `windows`, all of it allocated on disk, owned by nobody, and zero. It stays mapped
 * until the process ends; children don't have it. The first CHUNK_POPULATED bytes are populated. Where the file has no
 * room, the window is in memory alone (*in_file false, *error says why). Then the thread that ends the recording writes
 * it. NULL: *error has the errno value.
 */
#define CHUNK_POPULATED 8192u
struct raw_header *chunk_map_window(unsigned slot, uint32_t size, uint32_t ring_slots, bool *in_file, int *error);

/* Populates the rest, which a short-lived thread never needs. from: behind the last record; it becomes zero. */
void chunk_populate(struct raw_header *window, uint64_t *from);

/* Memory for RAW_ENTRIES entries of a recorder; children don't have it. NULL: there is none. */
struct raw_entry *chunk_map_entries(void);

/*
 * Writes a window's header and `used` bytes of records to the thread's log. They get a place of their own or, in a
 * ring, the place of the oldest chunk. Returns 0, or an errno value: then there is no such chunk. A ring's older one is
 * there still where that is EFBIG.
 */
int chunk_write(uint32_t thread, const struct raw_header *window);

/* The bytes of whole records that a window has, also while its thread writes into it. */
uint64_t chunk_used(const struct raw_header *window);

/* What a chunk of n words, begun at some time, takes along when it is lost. */
struct chunk_loss {
  uint64_t events; /* with the records that its own GAP records counted, without the recorder's own records */
  uint64_t since;  /* ticks */
};
struct chunk_loss chunk_loss(const uint64_t *words, size_t n, uint64_t begun);

#endif
