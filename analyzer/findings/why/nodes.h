/* Nodes of the tree of hypotheses. Other folders include why.h, which includes this. */
#ifndef HEDDLE_ANALYZER_FINDINGS_WHY_NODES_H
#define HEDDLE_ANALYZER_FINDINGS_WHY_NODES_H

#include "analyzer/findings/findings.h"
#include "base/vector.h"

enum why_verdict { WHY_TRUE, WHY_LIKELY, WHY_FALSE, WHY_UNKNOWN };

enum why_aspect { WHY_ROOT, WHY_KIND, WHY_WHERE, WHY_WHO, WHY_REASON, WHY_WHEN, WHY_REST };

struct why_node {
  enum why_aspect aspect;
  unsigned depth;           /* the root has 0; children follow their parent */
  const char *key;          /* name of the hypothesis, for programs: "synchronization" */
  enum why_verdict verdict; /* verdict of ROOT, KIND, WHERE and REASON */
  bool measured;            /* there is a figure: */
  bool guess;               /* WHERE: it may as well be of another kind */
  double percent;           /* of the account; without account, ROOT: of all threads' time; else of the run */
  double low, high;         /* its 95 % interval; both are `percent` if all is recorded; infinite: unknown */
  const struct finding
      *finding; /* finding of WHERE, and of the nodes below it; NULL: none, as of REST, a kind's other places */
  const struct trace *trace; /* ... which has the finding's region and thread */
  char *text;                /* the hypothesis, the place, or what is known */
};

struct why {
  VECTOR(struct why_node) nodes; /* the root first; kinds by verdict, then by figure */
  double threshold;              /* percent */
};

#endif
