#include "common/recorder/own_record.h"

void own_record_put(struct recorder *self, unsigned n, uint64_t head, const uint64_t *words)
{
  uint64_t *at = self->cursor, *end = (uint64_t *)((char *)self->window + self->window->window_size);
  if (at + n >= end) { /* never; but a word beyond the window would be the program's */
    self->window->not_measured++;
    return;
  }
  for (unsigned i = 1; i < n; i++)
    at[i] = words[i - 1];
  at[n] = 0;
  __atomic_store_n(at, head, __ATOMIC_RELEASE);
  self->cursor = at + n;
}

void own_record_stall(struct recorder *self, uint64_t begin, uint64_t end)
{
  own_record_put(self, OWN_STALL_WORDS, raw_head(RAW_STALL, 0, 0), (uint64_t[]){end, begin});
}
