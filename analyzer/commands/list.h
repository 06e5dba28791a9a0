/* The commands, one line each: name (file and function), what `heddle --help` says. A new command is a file and a line.
 */
#define HEDDLE_COMMANDS(X)                                                                                             \
  X(record, "run a program, record what its threads do, make an OTF2 archive")                                         \
  X(attach, "begin to record a JVM that is running")                                                                   \
  X(detach, "end that, and make the OTF2 archive")                                                                     \
  X(convert, "make the OTF2 archive of a raw trace (also after a crash)")                                              \
  X(info, "what an archive holds")                                                                                     \
  X(states, "how long each thread was in which state, and in which construct")                                         \
  X(export, "a trace for other viewers: Paraver, Perfetto, Paje (ViTE, PajeNG), CSV")                                  \
  X(imbalance, "which constructs wait for their slowest thread, and what that costs")                                  \
  X(locks, "which locks threads waited for, who had them, and where")                                                  \
  X(report, "one HTML file that shows a run, or compares two")                                                         \
  X(view, "the same page in a browser, of a trace of any size")                                                        \
  X(pes, "the sequence of states of the whole program, for models")                                                    \
  X(schedule, "what another schedule would do for each loop")                                                          \
  X(transform, "clip, filter, aggregate and project a sequence of program states")                                     \
  X(model, "the semi-Markov model of a sequence, or of several runs")                                                  \
  X(spectrum, "which periods a sequence of program states has")                                                        \
  X(simulate, "a sequence as a model would make one")                                                                  \
  X(validate, "does a run look like one of the model's?")                                                              \
  X(fit, "how states depend on a parameter of the runs: threads, a size")                                              \
  X(predict, "what a run at another value of that parameter would be like")                                            \
  X(whatif, "what a model says if some states took longer or shorter")
