! calls N: ns of processor time a call of the module heddle, a line each; N calls of each kind.
program calls
  use heddle
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  character(32) :: argument
  integer(int64) :: n, i
  real(real64) :: begin, end
  call get_command_argument(1, argument)
  read (argument, *) n
  call heddle_enter('region')
  call heddle_leave('region')
  call cpu_time(begin)
  do i = 1, n / 2
    call heddle_enter('region')
    call heddle_leave('region')
  end do
  call report('enter and leave, half of both')
  do i = 1, n
    call heddle_event('event')
  end do
  call report('event')
  do i = 1, n
    call heddle_event('event', ['step'], [i], ['norm'], [real(i, real64)])
  end do
  call report('event, 2 attributes')

contains

  subroutine report(what)
    character(*), intent(in) :: what
    call cpu_time(end)
    print '(3a,f0.2)', 'Fortran, ', what, ': ', (end - begin) * 1e9_real64 / real(n, real64)
    call cpu_time(begin)
  end subroutine report
end program calls
