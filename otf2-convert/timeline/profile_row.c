#include "otf2-convert/timeline/profile_row.h"

#include "base/count_of.h"
#include "otf2-convert/timeline/ompt_numbers.h"

static enum construct construct_of_kind(const struct definitions *definitions, uint32_t process, unsigned kind,
                                        uint64_t object)
{
  static const enum construct constructs[] = {
      [RAW_BLOCK_ENTER] = C_MONITOR_ENTER, [RAW_BLOCK_WAIT] = C_OBJECT_WAIT,      [RAW_BLOCK_SLEEP] = C_SLEEP,
      [RAW_BLOCK_JOIN] = C_JOIN,           [RAW_BLOCK_READ] = C_SOCKET_READ,      [RAW_BLOCK_WRITE] = C_SOCKET_WRITE,
      [RAW_BLOCK_ACCEPT] = C_ACCEPT,       [RAW_BLOCK_CONNECT] = C_CONNECT,       [RAW_BLOCK_SELECT] = C_SELECT,
      [RAW_BLOCK_FILE_READ] = C_FILE_READ, [RAW_BLOCK_FILE_WRITE] = C_FILE_WRITE, [RAW_BLOCK_LOOKUP] = C_LOOKUP};
  return kind != RAW_BLOCK_PARK && kind < COUNT_OF(constructs)
             ? constructs[kind]
             : definitions_class(definitions, process, object >> 32).waiting;
}

enum construct construct_of_block(const struct definitions *definitions, uint32_t process, unsigned kind, uint64_t code,
                                  uint64_t object)
{
  enum construct construct = construct_of_kind(definitions, process, kind, object);
  bool may_idle = construct == C_PARK || construct == C_OBJECT_WAIT;
  return may_idle && definitions_idles(definitions, process, code) ? C_IDLE : construct;
}

enum fixed_string profile_row_means(const struct definitions *definitions, uint32_t process, uint64_t head,
                                    enum construct *construct)
{
  unsigned detail = raw_detail_of(head), number = detail & 15;
  *construct = CONSTRUCT_COUNT;
  switch ((enum raw_row)(detail >> 4)) {
  case RAW_ROW_REGION:
    *construct = (number & RAW_PARALLEL_LEAGUE) != 0 ? C_TEAMS : C_PARALLEL;
    return STRING_ROW_CONSTRUCT;
  case RAW_ROW_MEMBER:
    *construct = C_PARALLEL;
    return STRING_ROW_MEMBER;
  case RAW_ROW_WORK:
    *construct = number == WORK_SINGLE_EXECUTOR ? C_SINGLE_SBLOCK : construct_of_work(number);
    return STRING_ROW_CONSTRUCT;
  case RAW_ROW_SYNC:
    *construct = construct_of_sync(number);
    return STRING_ROW_CONSTRUCT;
  case RAW_ROW_SYNC_WAIT:
    *construct = construct_of_sync_wait(number);
    return STRING_ROW_CONSTRUCT;
  case RAW_ROW_ACQUIRE:
  case RAW_ROW_HOLD:
    *construct = construct_of_mutex(number);
    return (enum raw_row)(detail >> 4) == RAW_ROW_HOLD ? STRING_ROW_HOLD : STRING_ROW_ACQUIRE;
  case RAW_ROW_TASK:
    *construct = C_TASK;
    return STRING_ROW_CONSTRUCT;
  case RAW_ROW_MASKED:
    *construct = C_MASKED;
    return STRING_ROW_CONSTRUCT;
  case RAW_ROW_REDUCTION:
    *construct = C_REDUCTION;
    return STRING_ROW_CONSTRUCT;
  case RAW_ROW_USER:
    *construct = C_USER_REGION;
    return STRING_ROW_CONSTRUCT;
  case RAW_ROW_BLOCK:
    if (number < RAW_BLOCK_ENTER || number > RAW_BLOCK_LAST)
      return STRING_ROW_OTHER;
    *construct =
        construct_of_block(definitions, process, number, raw_value_of(head), 0); /* a park's object is not known */
    return STRING_ROW_CONSTRUCT;
  case RAW_ROW_OUTSIDE:
    return STRING_ROW_OUTSIDE;
  case RAW_ROW_UNMEASURED:
    return STRING_ROW_UNMEASURED;
  case RAW_ROW_STALL:
    return STRING_ROW_TOOL;
  default:
    return STRING_ROW_OTHER;
  }
}
