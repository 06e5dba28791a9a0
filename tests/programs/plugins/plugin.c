/*
 * A plug-in that uses OpenMP. The build makes two libraries of this file that differ only in the source that they name
 * (one.c or two.c). Code and size are the same.
 */
int plugin_work(int threads);

#line PLUGIN_LINE PLUGIN_FILE
int plugin_work(int threads)
{
  int sum = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp critical
    sum += 1;
  }
  return sum;
}
