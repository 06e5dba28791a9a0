/* What a region is called, and what it is, as text. */
#ifndef HEDDLE_OTF2_CONVERT_DESCRIBE_REGION_NAME_H
#define HEDDLE_OTF2_CONVERT_DESCRIBE_REGION_NAME_H

#include "otf2-convert/timeline/definitions.h"

/* `construct @file:line`, or as much of the place as is known. Of constructs other than calls and C_ON_PROCESSOR. */
void region_name(const struct definitions *definitions, const struct region *region, char *name, size_t size);

/* The construct's facts for analysis. */
#define REGION_DESCRIPTION_SIZE 512u
void region_description(const struct region *region, char *text, size_t size);

#endif
