/* Program of a sequence: its components, their possible values, and the parameters of the run. */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_PROGRAM_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define PES_NONE UINT32_MAX /* no state, no value */

struct pes_value {
  int64_t id; /* as in CSL text */
  char *name; /* "Think" */
  char *code; /* "T": short, for names of program states; may be empty */
};

/* The values that a component may have; components of one kind share a set. */
struct pes_set {
  struct pes_value *values; /* ids ascend */
  uint32_t count;
};

struct pes_component {
  char *name;
  uint32_t set;
};

struct pes_parameter {
  char *name, *value;
};

struct pes_program {
  char *name;
  uint64_t ticks_per_second; /* 0: unknown; then the unit of times is unknown, too */
  struct pes_component *components;
  struct pes_set *sets;
  struct pes_parameter *parameters; /* sorted by name */
  uint32_t component_count, set_count, parameter_count;
  bool has_open_codes; /* at least one code does not delimit itself */
};

/* True if the code delimits itself: one capital letter and digits, a text in parentheses, or nothing. */
bool pes_code_delimits_itself(const char *code);

/* Makes a program without components and parameters. NULL: out of memory. */
struct pes_program *pes_program_create(const char *name, uint64_t ticks_per_second);
void pes_program_free(struct pes_program *program);
struct pes_program *pes_program_copy(const struct pes_program *program);

/* These copy their texts and return the index of the addition; PES_NONE: out of memory. */
uint32_t pes_program_add_set(struct pes_program *program);
uint32_t pes_program_add_value(struct pes_program *program, uint32_t set, int64_t id, const char *name,
                               const char *code);
uint32_t pes_program_add_component(struct pes_program *program, const char *name, uint32_t set);

/*
 * Reorders components: from[i] is the previous index of component i. Sets follow the order of the components that use
 * them; each is used. False: out of memory; nothing has changed.
 */
bool pes_program_arrange(struct pes_program *program, const uint32_t *from);

/* Adds or replaces a parameter. False: out of memory. */
bool pes_program_set_parameter(struct pes_program *program, const char *name, const char *value);
/* Returns a parameter; NULL: there is none of this name. */
const char *pes_program_parameter(const struct pes_program *program, const char *name);

/* Returns the index of the value with this id, or PES_NONE. */
uint32_t pes_set_find(const struct pes_set *set, int64_t id);

/* True if both have the same components with the same values, by name. Parameters may differ. */
bool pes_program_same_shape(const struct pes_program *left, const struct pes_program *right);

#endif
