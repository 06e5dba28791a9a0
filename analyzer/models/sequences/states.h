/*
 * The distinct program states of a sequence, numbered from 0. Three kinds: basic ones are vectors; aggregates stand for
 * runs of other states, which may be aggregates themselves. A table only grows, and a number is never used again, so
 * the stages of a chain of transforms share one.
 */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_STATES_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_STATES_H

#include "analyzer/models/sequences/program.h"

enum pes_kind {
  PES_BASIC,
  PES_FILTER, /* a run of rare states between two others */
  PES_PATTERN /* a sequence that recurs */
};

/* One of the sequences that an aggregate stands for. */
struct pes_run {
  uint32_t *states;
  uint32_t length;
  uint64_t count; /* how often */
};

struct pes_state {
  enum pes_kind kind;
  const uint32_t *vector;     /* BASIC: the index of each component's value in its set */
  char *name;                 /* given to aggregates; NULL: basic ones are named by their vector */
  uint32_t before, after;     /* FILTER: the states around; PES_NONE: none, it begins or ends the sequence */
  const struct pes_run *runs; /* aggregates */
  uint32_t run_count;
  uint64_t other_runs; /* how often it stood for sequences that `runs` lacks: beyond PES_RUNS_MAX, or too long */
};

enum { PES_RUNS_MAX = 1000, PES_RUN_LENGTH_MAX = 1000 }; /* of one aggregate; further runs are only counted */

struct pes_states;

/* For vectors of so many components. NULL: no memory. */
struct pes_states *pes_states_create(uint32_t component_count);
void pes_states_free(struct pes_states *states);

uint32_t pes_states_count(const struct pes_states *states);
uint32_t pes_states_components(const struct pes_states *states);

/* Valid until the next state is added; what it points to, as long as the table. */
const struct pes_state *pes_state(const struct pes_states *states, uint32_t state);

/* The number of the state with that vector, a new one if it is new. PES_NONE: no memory, or 2^32-1 states. */
uint32_t pes_states_intern(struct pes_states *states, const uint32_t *vector);

/*
 * A table of the same states, all basic, by vectors of so many components: the i-th is what from[i] was, or 0 if there
 * was none of that number. They stay distinct, so numbers stay the same. `from` NULL: each stays in its place. NULL: no
 * memory.
 */
struct pes_states *pes_states_arranged(const struct pes_states *states, uint32_t component_count, const uint32_t *from);

/* A new aggregate. `name` NULL: T1, T2, ... for filters, P1, P2, ... for patterns, the next that is free. PES_NONE as
 * above. */
uint32_t pes_states_add_filter(struct pes_states *states, const char *name, uint32_t before, uint32_t after);
uint32_t pes_states_add_pattern(struct pes_states *states, const char *name);

/* The aggregate stood `count` more times for that sequence. False: no memory. */
bool pes_states_add_run(struct pes_states *states, uint32_t state, const uint32_t *run, uint32_t length,
                        uint64_t count);
/* ... for sequences that are only counted. */
void pes_states_add_other_runs(struct pes_states *states, uint32_t state, uint64_t count);
/* Forgets the sequences of an aggregate, before they are counted anew. */
void pes_states_clear_runs(struct pes_states *states, uint32_t state);

/*
 * The name of a program state: the codes of its components, separated by commas, or by nothing where each code of the
 * program delimits itself ("A2T"); "-" where all are empty. The caller frees it. NULL: no memory.
 */
char *pes_state_name(const struct pes_program *program, const struct pes_states *states, uint32_t state);

/*
 * The state with that name, or #NUMBER. PES_NONE: none or several states have the name; `count` says how many.
 */
uint32_t pes_states_find(const struct pes_program *program, const struct pes_states *states, const char *name,
                         uint32_t *count);

#endif
