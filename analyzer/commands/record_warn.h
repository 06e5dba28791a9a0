/* What there is to say of a recording once its archive is made. */
#ifndef HEDDLE_ANALYZER_COMMANDS_RECORD_WARN_H
#define HEDDLE_ANALYZER_COMMANDS_RECORD_WARN_H

/* Says on stderr where recording was never started, and where it cost too much; nothing where all is well. */
void record_warn(const char *command, const char *path);

#endif
