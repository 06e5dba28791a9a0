static inline double busy(double x, int n)
{
  for (int i = 0; i < n; i++)
    x = x * 1.0000001 + 1e-9;
  return x;
}
