#include <mpi.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "mmo/comm/mpi/launcher.h"
#include "mmo/comm/mpi/processes.h"

namespace mmo {
namespace {

constexpr std::size_t largest_message = std::size_t{1} << 28;  // MPI counts in int
// Longer than launchers take to kill a process that won't end when asked.
constexpr std::chrono::seconds wait_for_first{5};

class World final : public Communicator {
 public:
  World() {
    int rank = 0;
    int size = 1;
    int level = 0;  // only the main thread calls MPI: every implementation allows that
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rank_ = static_cast<std::size_t>(rank);
    size_ = static_cast<std::size_t>(size);
  }
  [[nodiscard]] std::size_t rank() const override { return rank_; }
  [[nodiscard]] std::size_t size() const override { return size_; }
  void sum(std::span<float> values) override { sum_as(values, MPI_FLOAT); }
  void sum(std::span<double> values) override { sum_as(values, MPI_DOUBLE); }

  [[nodiscard]] std::vector<Bytes> gather(Bytes own) override {
    const std::uint64_t length = own.size();
    std::vector<std::uint64_t> lengths(size_);
    MPI_Allgather(&length, 1, MPI_UINT64_T, lengths.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
    std::vector<Bytes> all(size_);
    all[rank_] = std::move(own);
    for (std::size_t from = 0; from < size_; ++from) {
      all[from].resize(lengths[from]);
      for (std::size_t at = 0; at < all[from].size(); at += largest_message) {
        const std::size_t count = std::min(largest_message, all[from].size() - at);
        MPI_Bcast(all[from].data() + at, static_cast<int>(count), MPI_BYTE, static_cast<int>(from),
                  MPI_COMM_WORLD);
      }
      if (from != rank_) count_received(lengths[from]);
    }
    return all;
  }

 private:
  // Reduced on one process and sent to all, because the standard does not promise that MPI_Allreduce gives
  // every process the same bits, and weights must not drift apart.
  template <class T>
  void sum_as(std::span<T> values, MPI_Datatype type) {
    count_received(values.size_bytes());
    for (std::size_t at = 0; at < values.size(); at += largest_message) {
      const auto part = values.subspan(at, std::min(largest_message, values.size() - at));
      const int count = static_cast<int>(part.size());
      if (rank_ == 0) {
        MPI_Reduce(MPI_IN_PLACE, part.data(), count, type, MPI_SUM, 0, MPI_COMM_WORLD);
      } else {
        MPI_Reduce(part.data(), nullptr, count, type, MPI_SUM, 0, MPI_COMM_WORLD);
      }
      MPI_Bcast(part.data(), count, type, 0, MPI_COMM_WORLD);
    }
  }

  std::size_t rank_ = 0;
  std::size_t size_ = 1;
};

bool joined() {
  int yes = 0;
  MPI_Initialized(&yes);
  return yes != 0;
}

}  // namespace

Communicator& join_processes() {
  if (!launched_in_parallel()) return alone();
  static World world;
  return world;
}

int threads_per_process() {
  const int allowed = omp_get_num_procs();
  if (!joined()) return allowed;
  int here = 1;
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Comm_size(machine, &here);
  MPI_Comm_free(&machine);
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::min(allowed, std::max(1, cores / here));
}

int leave_processes(int exit_code) {
  if (joined()) {
    if (exit_code != 0) MPI_Abort(MPI_COMM_WORLD, exit_code);
    MPI_Finalize();
  }
  return exit_code;
}

void let_first_report(const Communicator& processes) {
  if (processes.rank() > 0) std::this_thread::sleep_for(wait_for_first);
}

}  // namespace mmo
