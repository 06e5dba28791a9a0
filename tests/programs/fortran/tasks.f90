! Tasks: dependences, taskwait, taskgroup, undeferred and final ones, a taskloop, and a recursion.
program tasks
  implicit none
  integer :: a, b, c, i, grouped, looped, fib
  a = 0
  b = 0
  c = 0
  grouped = 0
  looped = 0
  fib = 0
  !$omp parallel num_threads(2)
  !$omp single
  !$omp task depend(out: a)
  a = 1
  !$omp end task
  !$omp task depend(in: a) depend(out: b)
  b = a + 1
  !$omp end task
  !$omp task depend(in: a, b) depend(inout: c)
  c = a + b
  !$omp end task
  !$omp taskwait
  !$omp taskgroup
  do i = 1, 10
    !$omp task if(mod(i, 2) == 0) firstprivate(i)
    !$omp atomic
    grouped = grouped + i
    !$omp end task
  end do
  !$omp end taskgroup
  !$omp taskloop num_tasks(4)
  do i = 1, 20
    !$omp atomic
    looped = looped + i
  end do
  !$omp end taskloop
  call fibonacci(5, fib)
  !$omp end single
  !$omp end parallel
  print '(a)', 'truth: parallel=1', 'truth: members=2', 'truth: dependences=6', 'truth: taskloops=1', 'truth: tasks=31', &
    'truth: tasks_completed=31'
  call finish(c == 3 .and. grouped == 55 .and. looped == 210 .and. fib == 5)
contains
  recursive subroutine fibonacci(n, value)
    integer, intent(in) :: n
    integer, intent(out) :: value
    integer :: left, right
    if (n < 2) then
      value = n
      return
    end if
    !$omp task shared(left)
    call fibonacci(n - 1, left)
    !$omp end task
    !$omp task shared(right)
    call fibonacci(n - 2, right)
    !$omp end task
    !$omp taskwait
    value = left + right
  end subroutine fibonacci
  include 'program.inc'
end program tasks
