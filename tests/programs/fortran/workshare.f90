! workshare: array statements that the threads share.
program shared_work
  implicit none
  integer :: a(100), b(100), i
  a = [(i, i = 1, 100)]
  b = 0
  !$omp parallel num_threads(2)
  !$omp workshare
  b = a * 2
  a = b + 1
  !$omp end workshare
  !$omp end parallel
  !$omp parallel workshare num_threads(2)
  where (a > 100) a = 0
  !$omp end parallel workshare
  print '(a)', 'truth: parallel=2', 'truth: members=4'
  call finish(sum(b) == 10100 .and. maxval(a) == 99)
contains
  include 'program.inc'
end program shared_work
