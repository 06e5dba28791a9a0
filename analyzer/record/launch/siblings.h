/* Paths of the other parts of Heddle. Build tree and installation have the same layout. */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_SIBLINGS_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_SIBLINGS_H

/* Paths from the directory of the program `heddle`. */
#define SIBLING_CONVERT   "heddle-convert"
#define SIBLING_OMPT_TOOL HEDDLE_LIBRARY_DIR "/libheddle-ompt.so" /* HEDDLE_LIBRARY_DIR comes from CMake */
#define SIBLING_GOMP      HEDDLE_LIBRARY_DIR "/libheddle-gomp.so"
#define SIBLING_PTHREAD   HEDDLE_LIBRARY_DIR "/libheddle-pthread.so"
#define SIBLING_CALLS     HEDDLE_LIBRARY_DIR "/libheddle-calls.so"
#define SIBLING_AGENT     HEDDLE_LIBRARY_DIR "/libheddle-jvmti.so"

/* The absolute path of a sibling, which may not exist. The caller frees it. NULL: unknown, or no memory. */
char *sibling_path(const char *from_bin);

#endif
