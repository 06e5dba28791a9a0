! Fast Fourier transforms of the columns of an array, forth and back: radix 2, in place, one parallel loop over the columns.
!     ./fft-gcc LOG2_LENGTH COLUMNS REPETITIONS
! prints whether the result is what it was, and how many ns each repetition took.
program fft
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp), parameter :: pi = 3.14159265358979323846_dp
  character(len=16) :: word
  integer :: log2n, n, columns, repetitions, k, column, repetition
  integer(int64) :: began, ended, second
  integer(int64), allocatable :: took(:)
  complex(dp), allocatable :: x(:, :), original(:, :), root(:)
  real(dp), allocatable :: part(:, :, :)

  call get_command_argument(1, word)
  read (word, *) log2n
  call get_command_argument(2, word)
  read (word, *) columns
  call get_command_argument(3, word)
  read (word, *) repetitions
  n = 2**log2n
  allocate (x(n, columns), original(n, columns), root(n/2), part(n, columns, 2), took(repetitions))
  do k = 1, n/2
    root(k) = exp(cmplx(0, -2*pi*(k - 1)/n, dp))
  end do
  call random_number(part)
  original = cmplx(part(:, :, 1), part(:, :, 2), dp)
  x = original
  call system_clock(count_rate=second)
  do repetition = 1, repetitions
    call system_clock(began)
    !$omp parallel do schedule(dynamic)
    do column = 1, columns
      call transform(x(:, column), root)
    end do
    !$omp end parallel do
    ! The inverse is the transform of the conjugate, conjugated and divided by the length.
    !$omp parallel do schedule(dynamic)
    do column = 1, columns
      x(:, column) = conjg(x(:, column))
      call transform(x(:, column), root)
      x(:, column) = conjg(x(:, column))/n
    end do
    !$omp end parallel do
    call system_clock(ended)
    took(repetition) = ended - began
  end do
  print '(l1)', maxval(abs(x - original)) < 1e-10_dp
  print '(f0.1)', took*1e9_dp/second

contains

  subroutine transform(z, w)
    complex(dp), intent(inout) :: z(:)
    complex(dp), intent(in) :: w(:)
    complex(dp) :: t
    integer :: i, j, half, stride, block, m

    j = 1
    do i = 1, size(z) ! the order of reversed bits
      if (j > i) then
        t = z(i)
        z(i) = z(j)
        z(j) = t
      end if
      m = size(z)/2
      do while (m >= 2 .and. j > m)
        j = j - m
        m = m/2
      end do
      j = j + m
    end do
    half = 1
    do while (half < size(z))
      stride = size(z)/(2*half)
      do block = 1, size(z), 2*half
        do i = 0, half - 1
          t = w(1 + i*stride)*z(block + i + half)
          z(block + i + half) = z(block + i) - t
          z(block + i) = z(block + i) + t
        end do
      end do
      half = 2*half
    end do
  end subroutine transform

end program fft
