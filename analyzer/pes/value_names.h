/* Private to pes/: what values are called. The caller frees the names. NULL: no memory. */
#ifndef HEDDLE_ANALYZER_PES_VALUE_NAMES_H
#define HEDDLE_ANALYZER_PES_VALUE_NAMES_H

#include "analyzer/pes/lane.h"

/* What a thread does, long and short: a state's code is one capital letter. */
char *value_name(const struct trace *trace, enum pes_component_kind kind, uint64_t key);
char *value_code(const struct trace *trace, enum pes_component_kind kind, uint64_t key);

#endif
