! Sections, with and without a region of their own; single, with copyprivate, too.
program sections
  use omp_lib
  implicit none
  integer :: done(5), value, together, singles
  done = 0
  together = 0
  singles = 0
  !$omp parallel sections num_threads(2)
  !$omp section
  done(1) = 1
  !$omp section
  done(2) = 1
  !$omp section
  done(3) = 1
  !$omp end parallel sections
  !$omp parallel num_threads(2) private(value)
  !$omp sections
  !$omp section
  done(4) = 1
  !$omp section
  done(5) = 1
  !$omp end sections
  !$omp single
  singles = singles + 1
  !$omp end single
  value = 0
  !$omp single
  value = 21
  !$omp end single copyprivate(value)
  !$omp critical
  together = together + value
  !$omp end critical
  !$omp end parallel
  print '(a)', 'truth: parallel=2', 'truth: members=4', 'truth: section=5', 'truth: single_blocks=2', 'truth: criticals=2'
  call finish(all(done == 1) .and. together == 42 .and. singles == 1)
contains
  include 'program.inc'
end program sections
