/* Start of the converter at the end of a process that `heddle record` does not watch. */
#ifndef HEDDLE_COMMON_PROCESS_CONVERT_H
#define HEDDLE_COMMON_PROCESS_CONVERT_H

/*
 * Runs heddle-convert on a trace directory and waits for it. converter: its path, or "" for the one installed beside
 * this library. The converter does nothing while another process of the trace is alive. A failure is reported in one
 * line on stderr. Called once, as the process exits.
 */
void convert_start(const char *trace, const char *converter);

#endif
