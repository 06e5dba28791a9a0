/* Settings of the OTF2 library. */
#ifndef HEDDLE_ANALYZER_TRACE_OTF2_LIBRARY_H
#define HEDDLE_ANALYZER_TRACE_OTF2_LIBRARY_H

/*
 * Keeps the OTF2 library from printing lines of its own, in the whole process: callers report its errors through struct
 * error.
 */
void otf2_library_quiet(void);

#endif
