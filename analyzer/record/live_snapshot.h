/* An archive of what a running process, and the other processes of its trace, have recorded so far. */
#ifndef HEDDLE_ANALYZER_RECORD_LIVE_SNAPSHOT_H
#define HEDDLE_ANALYZER_RECORD_LIVE_SNAPSHOT_H

#include "analyzer/record/launch/live_process.h"

/* Makes it in a directory that exists. The raw trace stays, and so does the recording. False: after a message. */
bool live_snapshot(const char *command, const struct live_process *process, char *directory);

#endif
