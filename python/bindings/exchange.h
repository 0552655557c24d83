// Training shared with other processes by way of a Python callable.
#pragma once

#include <nanobind/nanobind.h>

#include "mmo/comm/communicator.h"

namespace mmo::python {

// Calls exchange(count, solve): solve(task) → bytes may be called from any thread, for any of `count` tasks,
// and the callable returns the bytes of all tasks, wherever they were solved. It decides who solves what: to
// the core this process seems to be the only one.
class Exchange final : public Communicator {
 public:
  // The handle's owner must outlive this.
  explicit Exchange(nanobind::handle callable) : callable_(callable) {}

  [[nodiscard]] std::size_t rank() const override { return 0; }
  [[nodiscard]] std::size_t size() const override { return 1; }
  void sum(std::span<float> /*values*/) override {}
  void sum(std::span<double> /*values*/) override {}
  [[nodiscard]] std::vector<Bytes> gather(Bytes own) override;
  void share(std::size_t count, const SharedTasks& tasks) override;
  [[nodiscard]] bool shares() const override { return true; }

 private:
  nanobind::handle callable_;
};

}  // namespace mmo::python
