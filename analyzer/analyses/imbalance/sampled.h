/*
 * Estimates for constructs with omitted instances, from the recorded instances. The thread that forked a team leads its
 * instances, and counts the omitted ones.
 *
 * The others between two recorded instances are taken for the mean of the two (estimates/estimate.h). Where
 * work-sharing constructs are omitted with their region, the constructs of a recorded region form a group. Instances
 * between two groups have the mean of the two groups' means, because the instances of a region need not be alike.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_IMBALANCE_SAMPLED_H
#define HEDDLE_ANALYZER_ANALYSES_IMBALANCE_SAMPLED_H

#include "analyzer/analyses/imbalance/constructs.h"

/* The sums of a construct that are estimated where instances are not recorded. */

/* Whole ticks, or numbers. */
struct figures {
  uint64_t values[IMBALANCE_FIGURES];
};

/* What was added to a construct's sums since they were `before`. */
struct figures figures_since(const struct imbalance_construct *now, const struct imbalance_construct *before);

/* Adds what is not recorded to the sums. */
void figures_raise(struct imbalance_construct *construct);

struct sampled;

/* A construct, and the location that leads it. */
struct sampled_place {
  uint32_t region, leader;
};

/* Estimates go into `imbalance`. NULL: out of memory. */
struct sampled *sampled_create(struct imbalance *imbalance);
void sampled_destroy(struct sampled *sampled);

/* Omitted instances: by themselves, or with their region. */
struct sampled_gap {
  uint64_t alone, with_region;
};

/* So many instances were omitted. False: out of memory. */
bool sampled_omit(struct sampled *sampled, struct sampled_place place, struct sampled_gap instances);

/* The thread has led the next recorded instance. Returns how many before it were omitted. */
struct sampled_gap sampled_lead(struct sampled *sampled, struct sampled_place place);

/* That instance is added up; NULL: its figures are unknown. False: out of memory. */
bool sampled_add(struct sampled *sampled, struct sampled_place place, struct sampled_gap gap,
                 const struct figures *figures);

/* All is added up: the constructs' sums now cover all instances. False: out of memory. */
bool sampled_finish(struct sampled *sampled);

#endif
