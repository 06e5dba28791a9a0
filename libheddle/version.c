/* The library's own part: its version, so that one can tell which Heddle a core dump or a process has loaded. */
extern const char heddle_version[];
__attribute__((visibility("default"))) const char heddle_version[] = "Heddle " HEDDLE_VERSION;
