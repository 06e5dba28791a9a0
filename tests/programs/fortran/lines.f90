! Constructs at known places: a line that ends in `! [name` begins one, the line that ends in `! name]` is its last one.
! Where the compiler has inlined `use`, and where it has moved code, a construct must still be found at its own place.
module work
  implicit none
  real(kind(0d0)) :: a(1000), b(1000)
contains
  subroutine use(x)
    real(kind(0d0)), intent(inout) :: x(:)
    x(3) = x(1)
  end subroutine use

  subroutine static_loops(n)
    integer, intent(in) :: n
    integer :: i
    real(kind(0d0)) :: mine
!$omp parallel private(mine) ! [parallel
    mine = 1
    mine = mine + b(2)

!$omp do schedule(static) ! [for
    do i = 1, n
      a(i) = b(i) * mine
      b(i) = b(i) + 1
    end do ! for]
!$omp end do nowait

!$omp do schedule(static) ! [for
    do i = 1, n
      b(i) = a(i) + mine
    end do ! for]
!$omp end do

!$omp do schedule(static, 4) ! [for
    do i = 1, n
      a(i) = b(i) + mine
    end do ! for]
!$omp end do
    call use(a)
!$omp end parallel ! parallel]
  end subroutine static_loops

  subroutine dynamic_loops(n)
    integer, intent(in) :: n
    integer :: i
    real(kind(0d0)) :: s
    s = 0
!$omp parallel ! [parallel
    call use(b)

!$omp do schedule(dynamic, 3) ! [for
    do i = 1, n
      b(i) = a(i) + 1
    end do ! for]

!$omp do schedule(guided) ! [for
    do i = 1, n
      call use(a)
      b(i) = a(i) + 1
    end do ! for]
!$omp end do nowait
    call use(a)
!$omp do schedule(runtime) reduction(+ : s) ! [for
    do i = 1, n
      s = s + a(i)
    end do ! for]
!$omp end parallel ! parallel]
    a(1) = s
  end subroutine dynamic_loops

  subroutine others()
    integer :: x
    x = 0
!$omp parallel ! [parallel
    call use(b)

!$omp barrier ! [barrier barrier]

!$omp single ! [single
    call use(a)
    x = x + 1
!$omp end single ! single]

!$omp sections ! [sections
!$omp section
    call use(a)
!$omp section
    call use(b)
!$omp end sections ! sections]
    call use(a)

!$omp single ! [single
    x = x + 2
!$omp end single nowait ! single]

!$omp critical ! [critical
    x = x + 5
!$omp end critical ! critical]

!$omp workshare ! [for
    a(:) = b(:) + 1
!$omp end workshare ! for]
!$omp master
    call use(a)
!$omp end master
!$omp end parallel ! parallel]
    b(2) = x
  end subroutine others

  subroutine combined(n)
    integer, intent(in) :: n
    integer :: i
    real(kind(0d0)) :: s
!$omp parallel do ! [parallel [for
    do i = 1, n
      a(i) = b(i)
    end do
!$omp end parallel do ! parallel] for]
!$omp parallel do schedule(dynamic) ! [parallel [for
    do i = 1, n
      a(i) = b(i)
    end do
!$omp end parallel do ! parallel] for]
    s = 0
!$omp parallel do reduction(+ : s) ! [parallel [for
    do i = 1, n
      s = s + b(i)
    end do
!$omp end parallel do ! parallel] for]
    a(1) = s
  end subroutine combined

end module work

program lines
  use work
  implicit none
  integer :: i
  a = 0
  b = 1
  call static_loops(900)
  call dynamic_loops(900)
  call others()
  call combined(900)
!$omp parallel do ! [parallel [for
  do i = 1, 1000
    a(i) = b(i) + 1
  end do ! parallel] for]
  print '(a)', 'finished'
end program lines
