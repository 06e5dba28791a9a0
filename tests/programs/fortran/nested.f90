! Regions within regions, with loops in the inner ones.
program nested
  use omp_lib
  implicit none
  integer :: inner, iterations, i
  inner = 0
  iterations = 0
  call omp_set_max_active_levels(2)
  !$omp parallel num_threads(2)
  !$omp parallel num_threads(2)
  !$omp atomic
  inner = inner + omp_get_level()
  !$omp do schedule(dynamic)
  do i = 1, 8
    !$omp atomic
    iterations = iterations + 1
  end do
  !$omp end do
  !$omp end parallel
  !$omp end parallel
  print '(a)', 'truth: parallel=3', 'truth: members=6', 'truth: loops=4', 'truth: iterations=16'
  call finish(inner == 8 .and. iterations == 16)
contains
  include 'program.inc'
end program nested
