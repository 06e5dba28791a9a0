! a(i) = b(i) + c(i), i = 1 ... 400, on four threads, with the schedule of OMP_SCHEDULE. With an argument, each
! iteration takes half a millisecond, on thread 1 that many times as long, and thread 1 comes later to the loop: its processor
! is busy with something else.
module clock
  use iso_c_binding, only: c_int
  implicit none
  interface
    integer(c_int) function usleep(microseconds) bind(c)
      import :: c_int
      integer(c_int), value :: microseconds
    end function usleep
  end interface
end module clock

program mploop
  use clock
  use omp_lib
  use iso_fortran_env, only: int32, real64
  implicit none
  integer(int32), parameter :: n = 400, p = 4
  real(real64) :: a(n), b(n), c(n)
  integer(int32) :: i, slow
  integer(c_int) :: ignored
  character(len=16) :: argument

  slow = 0
  call get_command_argument(1, argument)
  if (len_trim(argument) > 0) read (argument, *) slow
  do i = 1, n
    a(i) = 0
    b(i) = i
    c(i) = 2 * i
  end do
!$omp parallel num_threads(p) private(ignored)
  if (slow > 0) then
    if (omp_get_thread_num() == 1) ignored = usleep(20000_c_int)
  end if
!$omp do schedule(runtime)
  do i = 1, n
    if (slow > 0) ignored = usleep(merge(500_c_int * slow, 500_c_int, omp_get_thread_num() == 1))
    a(i) = b(i) + c(i)
  end do
!$omp end do
!$omp end parallel
  if (any(abs(a - b - c) > 0)) error stop 1
  print '(a)', 'truth: iterations=400'
end program mploop
