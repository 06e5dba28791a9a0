/* Where the other parts of Heddle are. Build tree and installation have the same layout, so the way is the same. */
#ifndef HEDDLE_ANALYZER_LAUNCH_SIBLINGS_H
#define HEDDLE_ANALYZER_LAUNCH_SIBLINGS_H

/* Paths from the directory of the program `heddle`. */
#define SIBLING_CONVERT   "heddle-convert"
#define SIBLING_OMPT_TOOL HEDDLE_LIBRARY_DIR "/libheddle-ompt.so" /* HEDDLE_LIBRARY_DIR comes from CMake */
#define SIBLING_GOMP      HEDDLE_LIBRARY_DIR "/libheddle-gomp.so"
#define SIBLING_AGENT     HEDDLE_LIBRARY_DIR "/libheddle-jvmti.so"

/* The absolute path of a sibling; the caller frees it. NULL: not known, or no memory. It need not exist. */
char *sibling_path(const char *from_bin);

#endif
