! Regions and loops in a time loop, several of them collapsed. Marked as lines.f90; a loop that is a region's first
! statement has the region's line.
program time_loop
  implicit none
  integer, parameter :: n = 40, steps = 100
  real(kind(0d0)) :: a(n, n), b(n, n), total
  integer :: i, j, step
  a = 1
  b = 2
  do step = 1, steps
    total = 0

!$omp parallel do collapse(2) schedule(dynamic, 211) ! [parallel [for
    do j = 2, n - 1
      do i = 2, n - 1
        b(i, j) = a(i - 1, j) + a(i + 1, j)
      end do
    end do ! parallel] for]

!$omp parallel do reduction(+ : total) ! [parallel [for
    do j = 2, n - 1
      do i = 2, n - 1
        total = total + b(i, j)
      end do
    end do ! parallel] for]

!$omp parallel ! [parallel [for
!$omp do collapse(2) schedule(static)
    do j = 2, n - 1
      do i = 2, n - 1
        a(i, j) = b(i, j) * 0.25
      end do
    end do ! for]
!$omp do schedule(guided) ! [for
    do j = 2, n - 1
      do i = 2, n - 1
        a(i, j) = a(i, j) * 0.5 + total
      end do
    end do ! for]
!$omp do collapse(2) schedule(dynamic, 175) ! [for
    do j = 2, n - 1
      do i = 2, n - 1
        b(i, j) = b(i, j) * 0.25
      end do
    end do ! for]
!$omp end parallel ! parallel]
  end do
  call finish(total > 0)
contains
  include 'program.inc'
end program time_loop
