/* Warnings about a recording, after the conversion. */
#ifndef HEDDLE_ANALYZER_RECORD_RECORD_WARN_H
#define HEDDLE_ANALYZER_RECORD_RECORD_WARN_H

/* Warns on stderr of processes where recording never started, and of threads that it slowed down too much. */
void record_warn(const char *command, const char *path);

#endif
