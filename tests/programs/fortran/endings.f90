! Ways in which a Fortran program can end: ./endings WAY.
program endings
  use omp_lib
  implicit none
  character(20) :: way
  integer :: number
  call get_command_argument(1, way)
  print '(2a)', 'about to end by ', trim(way)
  flush (6)
  !$omp parallel num_threads(2) private(number)
  number = omp_get_thread_num()
  !$omp barrier
  select case (way)
  case ('stop_in_region')
    if (number == 0) stop 7
    call wait_for_ever()
  case ('error_stop_in_region')
    if (number == 0) error stop 8
    call wait_for_ever()
  case ('stop_in_worker')
    if (number == 1) stop 9
    call wait_for_ever()
  case ('error_stop_in_worker')
    if (number == 1) error stop 10
    call wait_for_ever()
  end select
  !$omp end parallel
  if (way == 'stop') stop 3
  if (way == 'error_stop') error stop 4
  if (way == 'overflow') call no_such_element()
contains
  subroutine wait_for_ever()
    do
      call sleep(1)
    end do
  end subroutine wait_for_ever
  ! The run-time library ends the program with an error.
  subroutine no_such_element()
    integer, allocatable :: a(:)
    allocate (a(2))
    allocate (a(2))
  end subroutine no_such_element
end program endings
