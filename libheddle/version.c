/* The library's own part: its version, which shows the Heddle that a core dump or a process has loaded. */
extern const char heddle_version[];
__attribute__((visibility("default"))) const char heddle_version[] = "Heddle " HEDDLE_VERSION;
