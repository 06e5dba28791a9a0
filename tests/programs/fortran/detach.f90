! Detached tasks: fulfilled by the task itself, and by another thread after the task's own part is over.
program detached
  use omp_lib
  implicit none
  integer(omp_event_handle_kind) :: event, late
  integer :: early, done, turn
  early = 0
  done = 0
  turn = 0
  !$omp parallel num_threads(2) private(event)
  if (omp_get_thread_num() == 0) then
    !$omp task detach(event) shared(early)
    early = 1
    call omp_fulfill_event(event)
    !$omp end task
    !$omp taskwait
    !$omp task detach(event) shared(late, turn)
    late = event
    call next(turn, 1)
    !$omp end task
    !$omp taskwait
    done = done + 1
  else
    call await(turn, 1)
    call omp_fulfill_event(late)
  end if
  !$omp end parallel
  print '(a)', 'truth: parallel=1', 'truth: members=2', 'truth: tasks=2', 'truth: taskwaits=2'
  call finish(early == 1 .and. done == 1)
contains
  subroutine next(turn, to)
    integer, intent(inout) :: turn
    integer, intent(in) :: to
    !$omp atomic write
    turn = to
  end subroutine next
  subroutine await(turn, to)
    integer, intent(in) :: turn, to
    integer :: now
    do
      !$omp atomic read
      now = turn
      if (now == to) exit
    end do
  end subroutine await
  include 'program.inc'
end program detached
