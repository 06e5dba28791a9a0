! A known imbalance: thread t of four works t + 1 units, which is time asleep from the moment at which it begins. What each
! measured is the truth, where the machine wakes threads up late: measured: <construct> repeat=<n> thread=<t> ns=<time>
module work
  use iso_c_binding, only: c_int
  use iso_fortran_env, only: int64
  implicit none
  integer(int64) :: measured(0:3, 3, 2)
  interface
    integer(c_int) function usleep(microseconds) bind(c)
      import :: c_int
      integer(c_int), value :: microseconds
    end function usleep
  end interface
contains
  integer(int64) function work_for(units)
    integer(int64), intent(in) :: units
    integer(int64) :: begin, now, rate
    integer(c_int) :: ignored
    call system_clock(begin, rate)
    ignored = usleep(int(25000 * units, c_int))
    call system_clock(now)
    work_for = (now - begin) * (1000000000_int64 / rate)
  end function work_for

  subroutine in_region(repeat)
    use omp_lib
    integer(int64), intent(in) :: repeat
!$omp parallel num_threads(4)
    measured(omp_get_thread_num(), repeat, 1) = work_for(omp_get_thread_num() + 1_int64)
!$omp end parallel
  end subroutine in_region

  subroutine in_loop(repeat)
    use omp_lib
    integer(int64), intent(in) :: repeat
    integer(int64) :: i
!$omp parallel num_threads(4)
!$omp do schedule(static)
    do i = 1, 4
      measured(omp_get_thread_num(), repeat, 2) = work_for(i)
    end do
!$omp end do
!$omp end parallel
  end subroutine in_loop
end module work

program imbalance
  use work
  implicit none
  integer(int64) :: r, t
  do r = 1, 3
    call in_region(r)
  end do
  do r = 1, 3
    call in_loop(r)
  end do
  do r = 1, 3
    do t = 0, 3
      print '(a, i0, a, i0, a, i0)', 'measured: region repeat=', r - 1, ' thread=', t, ' ns=', measured(t, r, 1)
      print '(a, i0, a, i0, a, i0)', 'measured: loop repeat=', r - 1, ' thread=', t, ' ns=', measured(t, r, 2)
    end do
  end do
  print '(a)', 'truth: parallel=6'
end program imbalance
