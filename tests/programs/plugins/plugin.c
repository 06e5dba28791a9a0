/*
 * A plug-in that uses OpenMP. The build makes two libraries of this file that differ in nothing but the source that
 * they say they are from, one.c or two.c: the same code, the same size.
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
