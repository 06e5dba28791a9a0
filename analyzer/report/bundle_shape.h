/* How much of the lanes a bundle has. */
#ifndef HEDDLE_ANALYZER_REPORT_BUNDLE_SHAPE_H
#define HEDDLE_ANALYZER_REPORT_BUNDLE_SHAPE_H

#include <stdbool.h>

struct bundle_shape {
  bool view;      /* none: the page asks the server for them */
  unsigned from;  /* the finest level */
  unsigned lanes; /* of a location, at most */
};

#endif
