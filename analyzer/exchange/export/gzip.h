/* Private to export/: bytes in gzip's format. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_GZIP_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_GZIP_H

#include "analyzer/exchange/export/sink.h"

/* Writes them to a sink; without zlib as they are, which pprof reads, too. False: no memory. */
bool gzip_write(struct sink *sink, const uint8_t *bytes, size_t count);

#endif
