/* For tests of findings: the answer of the analyzer to a hand-made archive, and what is asserted of it. */
#ifndef HEDDLE_TESTS_ANALYZER_ANSWER_H
#define HEDDLE_TESTS_ANALYZER_ANSWER_H

#include "tests/unit/analyzer/fixture.h"

#include "analyzer/findings/all_analyses.h"

struct answer {
  struct fixture *fixture;
  const char *directory; /* of the archive */
  struct trace *trace;
  struct pool *pool;
  struct run_analyses all;
};

/* Finishes the archive and analyzes it, with the subjects' own figures (no account); dismiss() frees everything. Fails
 * the test on an error. */
struct answer ask(struct fixture *fixture);
void dismiss(struct answer *a);

/* Analyzes the archive again, from tick `from` to tick `to`. */
void ask_part(struct answer *a, uint64_t from, uint64_t to);

/* Analyzes the archive again, without one more thread. */
void ask_without(struct answer *a, uint32_t location);

/* The first finding. Fails the test if there is none. */
const struct finding *first_of(const struct answer *a);

/* Whether any finding is of this kind. */
bool has_kind(const struct answer *a, enum finding_kind kind);

/* Asserts what finding number `at` is about, and its ticks and percentage of the run. */
void expect_finding(const struct answer *a, size_t at, enum finding_kind kind, uint32_t region, double ticks);

/* Asserts that the text contains the part. */
void assert_says(const char *text, const char *part);

#endif
