/*
 * Table of the distinct program states of a sequence, numbered from 0. Basic states are vectors; aggregates stand for
 * runs of other states, which may be aggregates themselves. A table only grows and never reuses a number, so the stages
 * of a chain of transforms share one.
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
  char *name;                 /* name of an aggregate; NULL: basic states are named by their vector */
  uint32_t before, after;     /* FILTER: the states around; PES_NONE: none, it begins or ends the sequence */
  const struct pes_run *runs; /* aggregates */
  uint32_t run_count;
  uint64_t other_runs; /* count of sequences that `runs` lacks: beyond PES_RUNS_MAX, or too long */
};

enum { PES_RUNS_MAX = 1000, PES_RUN_LENGTH_MAX = 1000 }; /* of one aggregate; further runs are only counted */

struct pes_states;

/* Makes a table for vectors of `component_count` components. NULL: out of memory. */
struct pes_states *pes_states_create(uint32_t component_count);
void pes_states_free(struct pes_states *states);

uint32_t pes_states_count(const struct pes_states *states);
uint32_t pes_states_components(const struct pes_states *states);

/* Returns a state, valid until the next state is added; its pointers are valid as long as the table. */
const struct pes_state *pes_state(const struct pes_states *states, uint32_t state);

/*
 * Returns the number of the state with this vector, which is added if it is new. PES_NONE: out of memory, or 2^32-1
 * states.
 */
uint32_t pes_states_intern(struct pes_states *states, const uint32_t *vector);

/*
 * Returns a table of the same basic states with vectors of `component_count` components. Component i was component
 * from[i], or is 0 if there was no component from[i]. The states stay distinct and keep their numbers. `from` NULL:
 * components keep their places. NULL: out of memory.
 */
struct pes_states *pes_states_arranged(const struct pes_states *states, uint32_t component_count, const uint32_t *from);

/*
 * Add an aggregate and return its number. `name` NULL: the next free one of T1, T2, ... for filters, of P1, P2, ... for
 * patterns. PES_NONE: as above.
 */
uint32_t pes_states_add_filter(struct pes_states *states, const char *name, uint32_t before, uint32_t after);
uint32_t pes_states_add_pattern(struct pes_states *states, const char *name);

/* Adds `count` occurrences of a sequence to the sequences that the aggregate stands for. False: out of memory. */
bool pes_states_add_run(struct pes_states *states, uint32_t state, const uint32_t *run, uint32_t length,
                        uint64_t count);
/* Adds occurrences of sequences that are only counted. */
void pes_states_add_other_runs(struct pes_states *states, uint32_t state, uint64_t count);
/* Removes the sequences of an aggregate before they are counted anew. */
void pes_states_clear_runs(struct pes_states *states, uint32_t state);

/*
 * Returns the name of a program state: the codes of its components; "-" if all are empty. Commas separate the codes,
 * unless each code of the program delimits itself ("A2T"). The caller frees it. NULL: out of memory.
 */
char *pes_state_name(const struct pes_program *program, const struct pes_states *states, uint32_t state);

/*
 * Returns the state with this name, or #NUMBER. PES_NONE: none or several states have the name; `count` gets their
 * number.
 */
uint32_t pes_states_find(const struct pes_program *program, const struct pes_states *states, const char *name,
                         uint32_t *count);

#endif
