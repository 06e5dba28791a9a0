! The same in Fortran: tests/end-to-end/user_events.py knows what must come of it.
program events
  use heddle
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
!$ use omp_lib, only: omp_get_thread_num
  implicit none
  character(20) :: padded = 'padded'
  character(:), allocatable :: mode
  integer :: length, i
  integer(int64) :: steps(3)

  call get_command_argument(1, length=length)
  allocate(character(length) :: mode)
  call get_command_argument(1, mode)
  if (mode == 'serial') then
    call serial()
  else
    call in_parallel()
  end if
  print '(a)', 'done'

contains

  subroutine serial()
    call heddle_name_thread('soloist')
    call heddle_phase('set-up')
    call heddle_enter('outer')
    call heddle_enter(padded)
    call heddle_leave(trim(padded))
    call heddle_phase('work')
    call heddle_event('bare')
    call heddle_event('int32', 'i', 7_int32)
    call heddle_event('int64', 'i', -huge(1_int64) - 1)
    call heddle_event('real32', 'r', 0.5_real32)
    call heddle_event('real64', 'r', 1.25_real64)
    call heddle_event('int32s', ['a     ', 'longer'], [1_int32, 2_int32])
    steps = [(int(i, int64), i = 1, 3)]
    call heddle_event('int64s', ['first', 'third'], steps(1:3:2))
    call heddle_event('real32s', ['x', 'y'], [1.5_real32, 2.5_real32])
    call heddle_event('real64s', ['x', 'y'], [3.5_real64, 4.5_real64])
    call heddle_event('mixed 1', ['i'], [1_int32], ['r'], [0.5_real32])
    call heddle_event('mixed 2', ['i'], [2_int32], ['r'], [1.5_real64])
    call heddle_event('mixed 3', ['i'], [3_int64], ['r'], [2.5_real32])
    call heddle_event('mixed 4', ['i', 'j'], [4_int64, 5_int64], ['r'], [3.5_real64])
    call heddle_leave('outer')
    call heddle_pause()
    call heddle_enter('while off')
    call heddle_leave('while off')
    call heddle_start()
    call heddle_phase('')
  end subroutine serial

  subroutine in_parallel()
    integer :: thread
    call heddle_enter('whole')
    thread = 0
    !$omp parallel num_threads(2) private(thread, i)
!$  thread = omp_get_thread_num()
    do i = 1, 3
      call heddle_enter('step')
      call heddle_event('member', ['thread', 'step  '], [thread, i])
      call heddle_leave('step')
    end do
    !$omp end parallel
    call heddle_leave('whole')
  end subroutine in_parallel

end program events
