#include "analyzer/report/report_sequences.h"

#include "analyzer/report/report_sequence.h"
#include "analyzer/report/sequences_page.h"
#include "analyzer/trace/output.h"

/* What a browser can hold and draw without delay, of all sequences of a page. */
enum { RECORDS_MOST = 1000000 };

int report_sequences_take(const struct option_given *given, void *into)
{
  struct report_sequences *sequences = (struct report_sequences *)((char *)into + given->option->at);
  if (sequences->count == REPORT_PES_MOST)
    return command_usage(given->command, "--pes %s: a page has at most %d sequences", given->value, REPORT_PES_MOST);
  sequences->paths[sequences->count++] = given->value;
  return -1;
}

struct wanted {
  const struct report_sequences *sequences;
  const char *command;
};

static bool report_sequences_put(struct json_writer *json, const void *context, struct error *error)
{
  const struct wanted *wanted = context;
  const struct report_sequences *sequences = wanted->sequences;
  json_put_object(json, NULL);
  json_put_count(json, "version", 1);
  json_put_text(json, "generator", "heddle " HEDDLE_VERSION);
  json_put_text(json, "command", wanted->command);
  json_put_count(json, "records_most", RECORDS_MOST / sequences->count);
  json_put_array(json, "sequences");
  for (unsigned i = 0; i < sequences->count; i++)
    if (!report_sequence_put(json, sequences->paths[i], RECORDS_MOST / sequences->count, error))
      return false;
  json_put_end(json);
  json_put_end(json);
  return true;
}

bool report_sequences_write(const struct report_sequences *sequences, const char *output, const char *command,
                            struct error *error)
{
  struct wanted wanted = {sequences, command};
  struct output file;
  if (!output_open(&file, output, error))
    return false;
  return output_close(&file, sequences_page_write(file.file, report_sequences_put, &wanted, error), error);
}
