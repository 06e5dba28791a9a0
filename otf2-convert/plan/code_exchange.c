#include "otf2-convert/plan/code_exchange.h"

#include "common/raw/raw_record.h"
#include "common/raw/raw_trace.h"

#include <string.h>

/* Which word of a record has a code: 0 its value; CODE_EXCHANGE_WORDS: none. */
static unsigned word_with_code(unsigned kind)
{
  switch (kind) {
  case RAW_PARALLEL_BEGIN:
  case RAW_WORK_BEGIN:
  case RAW_SECTION:
  case RAW_SYNC_BEGIN:
  case RAW_REDUCTION_BEGIN:
  case RAW_MASKED_BEGIN:
  case RAW_TASK_CREATE:
  case RAW_CANCEL:
  case RAW_FLUSH:
  case RAW_ERROR:
  case RAW_BARRIER_BEGIN:
  case RAW_SKIPPED:
  case RAW_COUNTED:
  case RAW_PROFILE_ROW:
  case RAW_PROFILE_TEAM_ROW:
  case RAW_PROFILE_METRIC:
  case RAW_PTHREAD_WAIT:
  case RAW_PTHREAD_WAKE:
  case RAW_PTHREAD_OBJECT:
  case RAW_PTHREAD_COUNT:
  case RAW_PTHREAD_HELD:
  case RAW_PTHREAD_CREATE:
  case RAW_PTHREAD_START:
  case RAW_CALL_ENTER:
  case RAW_CALL_LEAVE:
    return 0;
  case RAW_MUTEX_ACQUIRE:
  case RAW_LOCK_INIT:
    return 2;
  default:
    return CODE_EXCHANGE_WORDS;
  }
}

const uint64_t *code_exchange_always(const struct module_map *map, const uint64_t *record,
                                     uint64_t copy[CODE_EXCHANGE_WORDS])
{
  unsigned kind = raw_kind_of(record[0]), word = word_with_code(kind), words = raw_record_words(record[0]);
  unsigned detail = raw_detail_of(record[0]);
  bool is_name = (kind == RAW_COUNTED && detail >= RAW_USER_ENTER) ||
                 (kind == RAW_PROFILE_METRIC && (detail >> 4 == RAW_METRIC_EVENT || detail >> 4 == RAW_METRIC_VALUE));
  if (word == CODE_EXCHANGE_WORDS || words > CODE_EXCHANGE_WORDS || is_name)
    return record;
  uint64_t code = record[word] & RAW_VALUE_MASK;
  if (code == 0 || (code & RAW_CODE_PLACE) != 0)
    return record;
  uint64_t exchanged = module_map_code(map, record[1], code);
  /* One record has several skipped instances: all must be of one library. */
  if (kind == RAW_SKIPPED && module_map_code(map, record[2], code) != exchanged)
    exchanged = map->unknown;
  memcpy(copy, record, words * sizeof *copy);
  copy[word] = (record[word] & ~RAW_VALUE_MASK) | (exchanged & RAW_VALUE_MASK);
  return copy;
}
