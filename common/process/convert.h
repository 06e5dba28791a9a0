/*
 * Starting the converter when a process that nobody watches over ends.
 */
#ifndef HEDDLE_COMMON_PROCESS_CONVERT_H
#define HEDDLE_COMMON_PROCESS_CONVERT_H

/*
 * Runs heddle-convert on a trace directory and waits for it. converter: its path, or "" for the one installed beside
 * this library. It does nothing while another process of the trace is alive. Failure costs one line on stderr. Called
 * once, as the process exits.
 */
void convert_start(const char *trace, const char *converter);

#endif
