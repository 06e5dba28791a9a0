! Loops with each schedule; the indices start at 1 or count down, as Fortran's do.
program loops
  implicit none
  integer :: fixed(100), i, from_dynamic, from_guided, from_runtime, backwards, in_order
  fixed = 0
  from_dynamic = 0
  from_guided = 0
  from_runtime = 0
  backwards = 0
  in_order = 0
  !$omp parallel do num_threads(2) schedule(static)
  do i = 1, 100
    fixed(i) = i
  end do
  !$omp parallel num_threads(2)
  !$omp do schedule(static, 7)
  do i = 1, 100
    fixed(i) = fixed(i) + i
  end do
  !$omp end do
  !$omp do schedule(dynamic, 3) reduction(+ : from_dynamic)
  do i = 1, 20
    from_dynamic = from_dynamic + i
  end do
  !$omp end do
  !$omp do schedule(guided) reduction(+ : from_guided)
  do i = 1, 20
    from_guided = from_guided + i
  end do
  !$omp end do nowait
  !$omp do schedule(runtime) reduction(+ : from_runtime)
  do i = 1, 20
    from_runtime = from_runtime + i
  end do
  !$omp end do
  !$omp do schedule(dynamic) reduction(+ : backwards)
  do i = 20, 2, -2
    backwards = backwards + i
  end do
  !$omp end do
  !$omp do schedule(dynamic) ordered
  do i = 1, 10
    !$omp ordered
    if (in_order == i - 1) in_order = i
    !$omp end ordered
  end do
  !$omp end do
  !$omp end parallel
  print '(a)', 'truth: parallel=2', 'truth: members=4', 'truth: ordereds=10', 'truth: iterations_known=80'
  call finish(sum(fixed) == 10100 .and. from_dynamic == 210 .and. from_guided == 210 .and. from_runtime == 210 &
              .and. backwards == 110 .and. in_order == 10)
contains
  include 'program.inc'
end program loops
