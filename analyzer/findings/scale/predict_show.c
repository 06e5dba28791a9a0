#include "analyzer/findings/scale/predict_show.h"

#include "base/count_of.h"

#include <stdio.h>

static struct print_cell duration(double seconds)
{
  return print_number((uint64_t)(seconds * SCALE_TICKS + 0.5));
}

static void put_sentence(struct print *print, const struct scale_prediction *last, unsigned most, double first)
{
  char text[512], place[200] = "";
  if (last->limit_name)
    snprintf(place, sizeof place, " (%s)", last->limit_name);
  snprintf(text, sizeof text,
           "With %u threads, the run would take %.3g s (%.3g to %.3g), %.1f times as fast as the run with the fewest. "
           "First, %s%s: %.3g s of it. No run has more than %u threads: nobody has verified what lies beyond, and "
           "enough processors are assumed.",
           last->threads, last->time, last->low, last->high, last->time > 0 ? first / last->time : 1, last->limit,
           place, last->limit_time, most);
  print_sentence(print, "prediction", text);
}

void scale_put_predictions(struct print *print, const struct scale *scale, const struct scale_prediction *predictions,
                           size_t count)
{
  static const struct print_column columns[] = {
      {"threads", "Predicted", PRINT_NUMBER, false}, {"time", "Time", PRINT_DURATION, false},
      {"low", "from", PRINT_DURATION, false},        {"high", "to", PRINT_DURATION, false},
      {"speedup", "Speedup", PRINT_RATIO, false},    {"limit", "Limited first, as", PRINT_STRING, false},
      {"place", "at", PRINT_STRING, true},           {"limit_time", "which takes", PRINT_DURATION, false},
      {"status", "Status", PRINT_STRING, false}};
  double first = scale->steps.items[0].run->duration;
  print_table(print, "predictions", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < count; i++) {
    const struct scale_prediction *of = &predictions[i];
    struct print_cell cells[] = {print_number(of->threads),
                                 duration(of->time),
                                 duration(of->low),
                                 duration(of->high),
                                 print_real(of->time > 0 ? first / of->time : 1),
                                 print_string(of->limit),
                                 print_string(of->limit_name),
                                 duration(of->limit_time),
                                 print_string(of->measured ? "within the runs" : "unverified")};
    print_row(print, cells);
  }
  print_table_end(print);
  put_sentence(print, &predictions[count - 1], scale->steps.items[scale->steps.count - 1].run->threads, first);
}
