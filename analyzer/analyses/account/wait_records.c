#include "analyzer/analyses/account/wait_records.h"

/* Records of a thread come in the order of the waits' ends: differences of neighbours are small, and never negative in
 * ends. */
size_t wait_records_pack(uint8_t *to, const struct wait_record *records, uint32_t count)
{
  const uint8_t *begin = to;
  struct wait_record last = {0};
  for (uint32_t i = 0; i < count; i++) {
    const struct wait_record *record = &records[i];
    to = packed_put(to, record->ordinal - last.ordinal);
    to = packed_put(to, record->end - last.end);
    to = packed_put(to, record->end - record->release);
    to = packed_put(to, record->detail);
    to = packed_put(to, (uint32_t)(record->waker + 1)); /* TRACE_NONE is short */
    *to++ = record->flags;
    last = *record;
  }
  return (size_t)(to - begin);
}

void wait_records_unpack(const uint8_t *from, struct wait_record *records, uint32_t count)
{
  struct wait_record last = {0};
  for (uint32_t i = 0; i < count; i++) {
    uint64_t ordinal, end, woken, waker;
    from = packed_get(from, &ordinal);
    from = packed_get(from, &end);
    from = packed_get(from, &woken);
    from = packed_get(from, &last.detail);
    from = packed_get(from, &waker);
    last.ordinal += ordinal;
    last.end += end;
    last.release = last.end - woken;
    last.waker = (uint32_t)waker - 1;
    last.flags = *from++;
    records[i] = last;
  }
}
