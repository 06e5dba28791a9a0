// A pool of std::threads with a queue: std::mutex, std::condition_variable, futures, call_once.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

class Pool
{
public:
  explicit Pool(int threads)
  {
    for (int i = 0; i < threads; i++)
      threads_.emplace_back([this] { work(); });
  }

  ~Pool()
  {
    {
      std::lock_guard<std::mutex> guard(mutex_);
      ends_ = true;
    }
    more_.notify_all();
    for (std::thread &thread : threads_)
      thread.join();
  }

  std::future<long> submit(std::function<long()> function)
  {
    std::packaged_task<long()> task(std::move(function));
    std::future<long> future = task.get_future();
    std::lock_guard<std::mutex> guard(mutex_);
    tasks_.push_back(std::move(task));
    more_.notify_one();
    return future;
  }

private:
  void work()
  {
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      while (tasks_.empty() && !ends_)
        more_.wait(lock);
      if (tasks_.empty())
        return;
      std::packaged_task<long()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::packaged_task<long()>> tasks_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

int main()
{
  long sum = 0;
  std::shared_mutex shared;
  std::once_flag once;
  {
    Pool pool(3);
    std::vector<std::future<long>> futures;
    for (long i = 0; i < 200; i++) {
      if (i % 50 == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      futures.push_back(pool.submit([i, &shared, &once] {
        std::call_once(once, [] {});
        std::shared_lock<std::shared_mutex> lock(shared);
        return i;
      }));
    }
    for (std::future<long> &future : futures)
      sum += future.get();
  }
  try {
    std::thread().join();
  } catch (const std::system_error &error) {
    std::printf("refused %d\n", error.code().value());
  }
  std::printf("sum %ld\n", sum);
  return 0;
}
