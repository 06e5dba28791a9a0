/* Conversion of all timelines: their common tables, and a worker's resources. */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_CONVERSION_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_CONVERSION_H

#include "otf2-convert/scan/jvm_pauses.h"
#include "otf2-convert/scan/locks.h"
#include "otf2-convert/scan/scan.h"
#include "otf2-convert/scan/teams.h"
#include "otf2-convert/timeline/archive.h"
#include "otf2-convert/timeline/definitions.h"

struct conversion {
  struct archive *archive;
  struct definitions *definitions;
  const struct teams *teams;
  const struct locks *locks;
  const struct gc_pauses *pauses; /* by process */
  const struct jvm_log *jvm_logs; /* likewise */
  const struct threads *threads;
};

/* Resources that a worker lends to the timeline that it converts. */
struct worker {
  uint64_t buffer[RAW_ITER_WORDS];
  struct region_cache regions;
  OTF2_AttributeList *attributes;
};

#endif
