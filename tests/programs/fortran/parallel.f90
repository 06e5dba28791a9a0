! A region, and in it a barrier, a critical section, an atomic update, and a masked block.
program parallel
  use omp_lib
  implicit none
  integer :: members, masters, atomics
  members = 0
  masters = 0
  atomics = 0
  !$omp parallel num_threads(2)
  !$omp critical
  members = members + 1
  !$omp end critical
  !$omp barrier
  !$omp critical (named)
  if (members /= 2) masters = 100
  !$omp end critical (named)
  !$omp master
  masters = masters + 1
  !$omp end master
  !$omp atomic
  atomics = atomics + 1
  !$omp end parallel
  print '(a)', 'truth: parallel=1', 'truth: members=2', 'truth: criticals=4', 'truth: barriers=2'
  call finish(members == 2 .and. masters == 1 .and. atomics == 2)
contains
  include 'program.inc'
end program parallel
