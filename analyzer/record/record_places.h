/*
 * Places that the user names: the places of `record --keep`, and the functions of `record --calls`. The recorder knows
 * addresses alone. The converter finds the code of source lines, files and functions before the program starts. It
 * searches the program and the libraries that it is linked with.
 */
#ifndef HEDDLE_ANALYZER_RECORD_RECORD_PLACES_H
#define HEDDLE_ANALYZER_RECORD_RECORD_PLACES_H

#include "analyzer/command/command.h"
#include "analyzer/record/launch/environment.h"
#include "analyzer/record/launch/kernel_samples.h"
#include "analyzer/record/launch/program_libraries.h"
#include "base/vector.h"

#include <stdbool.h>

struct kept_place {
  char *text;   /* as the user wrote it */
  char *ranges; /* as HEDDLE_KEEP has them; NULL: no code was found */
};

typedef VECTOR(struct kept_place) kept_places; /* {0} has none */

/* Adds the places of a list with semicolons between them. False: out of memory. */
bool record_keep_add(kept_places *places, const char *list);
void record_keep_free(kept_places *places);

/* A search for code: the option of the user, for messages, and the option of the converter. */
struct place_search {
  const char *option, *of_converter;
};
/* Finds the code of all places. False: an error, after a message. */
bool record_keep_find(kept_places *places, const struct program_libraries *libraries);
/* The same for places of another option. */
bool record_places_find(kept_places *places, const struct program_libraries *libraries,
                        const struct place_search *search);
/* Sets HEDDLE_KEEP, if there are places. */
void record_keep_set(const kept_places *places, struct environment *environment);

/* Names the source lines on stderr that have no code. program: as the user wrote it. */
void record_keep_warn_before(const kept_places *places, const char *program);
/* After the conversion into a directory: names the places that have code and were not recorded. */
void record_keep_warn_after(const kept_places *places, const char *path, const char *program);

/*
 * Options of `heddle record --calls`: exact call graphs of programs that were compiled with -finstrument-functions or
 * -pg -mfentry, and the functions to record.
 */
struct record_calls {
  bool on, has_depth;
  kept_places only; /* none: all functions are recorded */
};

/* Takes the value of --calls: names and @FILEs with commas between them, perhaps after the form,
 * trace or tree; NULL: none. As struct command_option.take. */
int record_calls_take(const struct option_given *given, struct record_calls *calls, struct environment *environment);
/* Takes the value of --calls-depth. */
int record_calls_take_depth(const struct option_given *given, struct record_calls *calls,
                            struct environment *environment);
/* True if the options agree. Prints a message otherwise. other: an option that excludes calls; NULL: none. */
bool record_calls_check(const struct record_calls *calls, const char *other);

/* True if stacks of such a program can be sampled, too; then sets the layer's variable. Prints a message otherwise.
 * look NULL: unknown. */
bool record_calls_allow_sample(const struct record_calls *calls, const struct kernel_sampling *sampling,
                               const struct program_libraries *libraries, struct environment *environment);

/* Finds the functions, and sets the variables. False: an error, after a message. */
bool record_calls_find(struct record_calls *calls, const struct program_libraries *libraries,
                       struct environment *environment);
void record_calls_free(struct record_calls *calls);

/* Warns on stderr of names without a function, and of a program without hooks. True: no call can be recorded. */
bool record_calls_warn(const struct record_calls *calls, const struct program_libraries *libraries,
                       const char *program);

#endif
