/* A plug-in that uses OpenMP; the program that loads it, plugin_host, does not. */
int plugin_work(int threads);

int plugin_work(int threads)
{
  int sum = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 20; i++) {
#pragma omp critical
      sum += i;
    }
#ifdef MORE /* what LLVM's runtime does not have */
#pragma omp scope
    {
#pragma omp error at(execution) severity(warning) message("as it should be")
    }
#endif
  }
  return sum;
}
