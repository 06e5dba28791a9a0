! Reductions of all sorts of operators and types, over a region, a loop and an array.
program reductions
  implicit none
  integer :: i, total, highest, bits, of_array(3), members
  real(kind(1d0)) :: real_sum
  logical :: all_true
  total = 0
  highest = 0
  bits = 0
  of_array = 0
  members = 0
  real_sum = 0
  all_true = .true.
  !$omp parallel num_threads(2) reduction(+ : members)
  members = members + 1
  !$omp end parallel
  !$omp parallel do num_threads(2) reduction(+ : total, real_sum, of_array) reduction(max : highest) &
  !$omp& reduction(.and. : all_true) reduction(ior : bits) schedule(dynamic, 5)
  do i = 1, 50
    total = total + i
    real_sum = real_sum + i / 2d0
    of_array(mod(i, 3) + 1) = of_array(mod(i, 3) + 1) + 1
    highest = max(highest, mod(i * 7, 50))
    bits = ior(bits, mod(i, 16))
    all_true = all_true .and. i > 0
  end do
  !$omp end parallel do
  print '(a)', 'truth: parallel=2', 'truth: members=4', 'truth: iterations=50', 'truth: loops=2'
  call finish(total == 1275 .and. highest == 49 .and. bits == 15 .and. sum(of_array) == 50 .and. members == 2 &
              .and. abs(real_sum - 637.5d0) < 1d-9 .and. all_true)
contains
  include 'program.inc'
end program reductions
