! Loops that a compiler makes parallel by itself: gfortran -O2 -ftree-parallelize-loops=2, flang -fdo-concurrent-to-openmp=host.
module solver
  use iso_fortran_env, only: int32, real64
  implicit none
  integer(int32), parameter :: n = 2000
  real(real64) :: u(n), v(n)
contains
  subroutine sweep(factor)
    real(real64), intent(in) :: factor
    integer(int32) :: i
    do i = 1, n ! sweep
      u(i) = v(i) * factor + 1
    end do
  end subroutine sweep

  subroutine relax(factor)
    real(real64), intent(in) :: factor
    integer(int32) :: i
    do concurrent (i = 1:n) ! relax
      v(i) = u(i) * factor
    end do
  end subroutine relax
end module solver

program main_solver
  use solver
  implicit none
  integer(int32) :: step
  v = 1
  do step = 1, 3
    call sweep(0.5_real64)
    call relax(0.5_real64)
  end do
  print '(a)', merge('finished', 'wrong   ', abs(u(n) - 1.4375_real64) < 1e-9_real64)
end program main_solver
