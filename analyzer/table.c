#include "analyzer/table.h"

#include "base/count_of.h"

const struct command *const command_table[] = {
#define X(name) &command_##name,
    HEDDLE_COMMANDS(X)
#undef X
};

const size_t command_table_size = COUNT_OF(command_table);
