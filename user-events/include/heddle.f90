! What a Fortran program can tell Heddle about itself: regions, phases, events with numbers, names of threads, and when to
! measure. heddle.h says what the calls mean, heddle-user-events(3) has examples.
!
! Compile this file with the program's own compiler and link libheddle-user.a:
!     gfortran -c heddle.f90 && gfortran program.f90 heddle.o -lheddle-user
! Blanks at the end of a name don't count. Where Heddle does not record the program, every call is one branch.
module heddle
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_size_t
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  implicit none
  private
  public :: heddle_enter, heddle_leave, heddle_phase, heddle_event, heddle_name_thread, heddle_start, heddle_pause, &
            heddle_listens

  ! An event of no duration:
  !     call heddle_event('checkpoint')
  !     call heddle_event('step', 'number', i)                                     one attribute
  !     call heddle_event('step', ['number', 'cells '], [i, n])                    attributes of one type, at most 255
  !     call heddle_event('step', ['number', 'cells '], [i, n], ['residual'], [r]) integers, then reals
  ! Integers and reals may have 32 or 64 bits.
  interface heddle_event
    module procedure event
    module procedure event_int32, event_int64, event_real32, event_real64
    module procedure event_int32s, event_int64s, event_real32s, event_real64s
    module procedure event_int32s_real32s, event_int32s_real64s, event_int64s_real32s, event_int64s_real64s
  end interface heddle_event

  interface
    function c_listens() bind(C, name='heddle_f_listens')
      import :: c_int
      integer(c_int) :: c_listens
    end function c_listens

    subroutine c_enter(name, length) bind(C, name='heddle_f_enter')
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
    end subroutine c_enter

    subroutine c_leave(name, length) bind(C, name='heddle_f_leave')
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
    end subroutine c_leave

    subroutine c_phase(name, length) bind(C, name='heddle_f_phase')
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
    end subroutine c_phase

    subroutine c_name_thread(name, length) bind(C, name='heddle_f_name_thread')
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
    end subroutine c_name_thread

    subroutine c_measure(on) bind(C, name='heddle_f_measure')
      import :: c_int
      integer(c_int), value :: on
    end subroutine c_measure

    subroutine c_event(name, length, integers, integer_names, integer_size, integer_values, reals, real_names, &
                       real_size, real_values) bind(C, name='heddle_f_event')
      import :: c_char, c_double, c_int64_t, c_size_t
      character(kind=c_char), intent(in) :: name(*), integer_names(*), real_names(*)
      integer(c_size_t), value :: length, integers, integer_size, reals, real_size
      integer(c_int64_t), intent(in) :: integer_values(*)
      real(c_double), intent(in) :: real_values(*)
    end subroutine c_event
  end interface

  character(1), parameter :: no_names(0) = [character(1) ::]
  integer(int64), parameter :: no_integers(0) = [integer(int64) ::]
  real(real64), parameter :: no_reals(0) = [real(real64) ::]

contains

  ! Whether somebody listens: for what is only worth computing then.
  function heddle_listens()
    logical :: heddle_listens
    heddle_listens = c_listens() /= 0
  end function heddle_listens

  ! A region of the program, from enter to leave, by one thread.
  subroutine heddle_enter(name)
    character(*), intent(in) :: name
    call c_enter(name, len(name, c_size_t))
  end subroutine heddle_enter

  subroutine heddle_leave(name)
    character(*), intent(in) :: name
    call c_leave(name, len(name, c_size_t))
  end subroutine heddle_leave

  ! A phase of the calling thread begins, and the one before ends. '': none begins.
  subroutine heddle_phase(name)
    character(*), intent(in) :: name
    call c_phase(name, len(name, c_size_t))
  end subroutine heddle_phase

  subroutine heddle_name_thread(name)
    character(*), intent(in) :: name
    call c_name_thread(name, len(name, c_size_t))
  end subroutine heddle_name_thread

  ! Switches measurement on, for all threads.
  subroutine heddle_start()
    call c_measure(1_c_int)
  end subroutine heddle_start

  subroutine heddle_pause()
    call c_measure(0_c_int)
  end subroutine heddle_pause

  subroutine event(name)
    character(*), intent(in) :: name
    if (c_listens() /= 0) call event_int64s_real64s(name, no_names, no_integers, no_names, no_reals)
  end subroutine event

  subroutine event_int32(name, attribute, value)
    character(*), intent(in) :: name, attribute
    integer(int32), intent(in) :: value
    if (c_listens() /= 0) call event_int64(name, attribute, int(value, int64))
  end subroutine event_int32

  subroutine event_int64(name, attribute, value)
    character(*), intent(in) :: name, attribute
    integer(int64), intent(in) :: value
    if (c_listens() /= 0) call event_int64s(name, [attribute], [value])
  end subroutine event_int64

  subroutine event_real32(name, attribute, value)
    character(*), intent(in) :: name, attribute
    real(real32), intent(in) :: value
    if (c_listens() /= 0) call event_real64(name, attribute, real(value, real64))
  end subroutine event_real32

  subroutine event_real64(name, attribute, value)
    character(*), intent(in) :: name, attribute
    real(real64), intent(in) :: value
    if (c_listens() /= 0) call event_real64s(name, [attribute], [value])
  end subroutine event_real64

  subroutine event_int32s(name, names, values)
    character(*), intent(in) :: name, names(:)
    integer(int32), intent(in) :: values(:)
    if (c_listens() /= 0) call event_int64s(name, names, int(values, int64))
  end subroutine event_int32s

  subroutine event_int64s(name, names, values)
    character(*), intent(in) :: name, names(:)
    integer(int64), intent(in) :: values(:)
    if (c_listens() /= 0) call event_int64s_real64s(name, names, values, no_names, no_reals)
  end subroutine event_int64s

  subroutine event_real32s(name, names, values)
    character(*), intent(in) :: name, names(:)
    real(real32), intent(in) :: values(:)
    if (c_listens() /= 0) call event_real64s(name, names, real(values, real64))
  end subroutine event_real32s

  subroutine event_real64s(name, names, values)
    character(*), intent(in) :: name, names(:)
    real(real64), intent(in) :: values(:)
    if (c_listens() /= 0) call event_int64s_real64s(name, no_names, no_integers, names, values)
  end subroutine event_real64s

  subroutine event_int32s_real32s(name, names, values, real_names, reals)
    character(*), intent(in) :: name, names(:), real_names(:)
    integer(int32), intent(in) :: values(:)
    real(real32), intent(in) :: reals(:)
    if (c_listens() /= 0) &
      call event_int64s_real64s(name, names, int(values, int64), real_names, real(reals, real64))
  end subroutine event_int32s_real32s

  subroutine event_int32s_real64s(name, names, values, real_names, reals)
    character(*), intent(in) :: name, names(:), real_names(:)
    integer(int32), intent(in) :: values(:)
    real(real64), intent(in) :: reals(:)
    if (c_listens() /= 0) call event_int64s_real64s(name, names, int(values, int64), real_names, reals)
  end subroutine event_int32s_real64s

  subroutine event_int64s_real32s(name, names, values, real_names, reals)
    character(*), intent(in) :: name, names(:), real_names(:)
    integer(int64), intent(in) :: values(:)
    real(real32), intent(in) :: reals(:)
    if (c_listens() /= 0) call event_int64s_real64s(name, names, values, real_names, real(reals, real64))
  end subroutine event_int64s_real32s

  ! All of them end here. Where an array is longer than the one beside it, the rest does not count.
  subroutine event_int64s_real64s(name, names, values, real_names, reals)
    character(*), intent(in) :: name, names(:), real_names(:)
    integer(int64), intent(in) :: values(:)
    real(real64), intent(in) :: reals(:)
    if (c_listens() == 0) return
    call c_event(name, len(name, c_size_t), &
                 min(size(names, kind=c_size_t), size(values, kind=c_size_t)), names, len(names, c_size_t), values, &
                 min(size(real_names, kind=c_size_t), size(reals, kind=c_size_t)), real_names, &
                 len(real_names, c_size_t), reals)
  end subroutine event_int64s_real64s

end module heddle
