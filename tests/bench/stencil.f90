! Heat on a square: Jacobi steps of the five-point stencil, two parallel static loops a step.
!     ./stencil-gcc POINTS STEPS
! prints the sum over the square, which tracing must not change, and how many ns each step took.
program stencil
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, parameter :: dp = kind(1d0)
  character(len=16) :: word
  integer :: n, steps, step
  integer(int64) :: began, ended, second
  integer(int64), allocatable :: took(:)
  real(dp), allocatable :: a(:, :), b(:, :)

  call get_command_argument(1, word)
  read (word, *) n
  call get_command_argument(2, word)
  read (word, *) steps
  allocate (a(0:n + 1, 0:n + 1), b(0:n + 1, 0:n + 1), took(steps))
  a = 0
  b = 0
  a(0, :) = 1
  b(0, :) = 1
  call system_clock(count_rate=second)
  do step = 1, steps
    call system_clock(began)
    call sweep(a, b, n)
    call sweep(b, a, n)
    call system_clock(ended)
    took(step) = ended - began
  end do
  print '(es24.16)', sum(a)
  print '(f0.1)', took*1e9_dp/second

contains

  subroutine sweep(from, to, points)
    integer, intent(in) :: points
    real(dp), intent(in) :: from(0:, 0:)
    real(dp), intent(inout) :: to(0:, 0:)
    integer :: i, j

    !$omp parallel do schedule(static) private(i)
    do j = 1, points
      do i = 1, points
        to(i, j) = 0.25_dp*(from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1))
      end do
    end do
    !$omp end parallel do
  end subroutine sweep

end program stencil
