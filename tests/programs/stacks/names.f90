! Fortran: a module's procedure, an internal one, and an external one.
module grid
  implicit none
  integer(8), volatile :: sink = 1
contains
  subroutine burn()
    integer(8) :: x
    integer :: i
    x = sink
    do i = 1, 200000
      x = ieor(x * 3_8, int(i, 8))
    end do
    sink = x
  end subroutine burn

  subroutine sweep(seconds)
    real(8), intent(in) :: seconds
    real(8) :: now, end
    call cpu_time(now)
    end = now + seconds
    do while (now < end)
      call burn()
      call cpu_time(now)
    end do
    sink = sink + 1
  end subroutine sweep
end module grid

subroutine outside(seconds)
  use grid
  implicit none
  real(8), intent(in) :: seconds
  call sweep(seconds)
  sink = sink + 1
end subroutine outside

program names
  use grid
  implicit none
  !$omp parallel
  call outside(0.3d0)
  !$omp end parallel
  print '(a)', 'result: right'
end program names
