/*
 * Replaces the addresses of code in a record where several modules were at one place in turn (module_map.h).
 */
#ifndef HEDDLE_OTF2_CONVERT_PLAN_CODE_EXCHANGE_H
#define HEDDLE_OTF2_CONVERT_PLAN_CODE_EXCHANGE_H

#include "otf2-convert/plan/module_map.h"

#define CODE_EXCHANGE_WORDS 50u /* of the longest record that has a code */

/* The record, or a copy of it in `copy`, with codes that have one meaning each. */
const uint64_t *code_exchange_always(const struct module_map *map, const uint64_t *record,
                                     uint64_t copy[CODE_EXCHANGE_WORDS]);

/* The same, quickly if there is nothing to replace. */
static inline const uint64_t *code_exchange(const struct module_map *map, const uint64_t *record,
                                            uint64_t copy[CODE_EXCHANGE_WORDS])
{
  return __builtin_expect(map->timed, 0) ? code_exchange_always(map, record, copy) : record;
}

#endif
