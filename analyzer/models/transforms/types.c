#include "analyzer/models/transforms/types.h"

const struct transform_type *const transform_types[] = {&transform_clip_time,
                                                        &transform_clip_ends,
                                                        &transform_clip_range,
                                                        &transform_clip_phase,
                                                        &transform_filter_time,
                                                        &transform_filter_count,
                                                        &transform_aggregate,
                                                        &transform_project,
                                                        &transform_drop,
                                                        &transform_merge_values,
                                                        &transform_merge_components,
                                                        &transform_plugin,
                                                        NULL};
