/* Private to export/: the writers, a file a format. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_FORMATS_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_FORMATS_H

#include "analyzer/exchange/export/writer.h"

export_writer export_paraver, export_chrome, export_perfetto, export_paje, export_csv;
export_stacks_writer export_folded, export_pprof;

#endif
