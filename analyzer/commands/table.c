#include "analyzer/commands/table.h"

const struct command *const command_table[] = {
#define X(name) &command_##name,
    HEDDLE_COMMANDS(X)
#undef X
};

const size_t command_table_size = sizeof command_table / sizeof *command_table;
