! Locks, simple and nested, and tests of them.
program locks
  use omp_lib
  implicit none
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nest
  integer :: i, counted, deep, depth
  logical :: failed, got
  counted = 0
  deep = 0
  failed = .true.
  call omp_init_lock(lock)
  call omp_init_nest_lock(nest)
  !$omp parallel num_threads(2) private(i, depth)
  do i = 1, 5
    call omp_set_lock(lock)
    counted = counted + 1
    call omp_unset_lock(lock)
    call omp_set_nest_lock(nest)
    depth = omp_test_nest_lock(nest)
    if (depth == 2) deep = deep + 1
    call omp_unset_nest_lock(nest)
    call omp_unset_nest_lock(nest)
  end do
  !$omp end parallel
  got = omp_test_lock(lock)
  failed = omp_test_lock(lock)
  call omp_unset_lock(lock)
  call omp_destroy_lock(lock)
  call omp_destroy_nest_lock(nest)
  print '(a)', 'truth: parallel=1', 'truth: members=2', 'truth: locks=21', 'truth: failed_tests=1'
  call finish(counted == 10 .and. deep == 10 .and. got .and. .not. failed)
contains
  include 'program.inc'
end program locks
