#include "mmo/comm/communicator.h"

namespace mmo {
namespace {

class Alone final : public Communicator {
 public:
  [[nodiscard]] std::size_t rank() const override { return 0; }
  [[nodiscard]] std::size_t size() const override { return 1; }
  void sum(std::span<float> /*values*/) override {}
  void sum(std::span<double> /*values*/) override {}
};

}  // namespace

Communicator& alone() {
  static Alone only;
  return only;
}

Share share_of(std::size_t count, const Communicator& processes) {
  const std::size_t k = processes.rank();
  const std::size_t size = processes.size();
  return {count * k / size, count * (k + 1) / size};
}

}  // namespace mmo
