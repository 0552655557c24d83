// Results of shared tasks kept in files, so that a run that was cut off loses no more than the tasks it was
// at: a later run of the same work finds them there.
#pragma once

#include <string>

#include "mmo/comm/communicator.h"

namespace mmo {

class Checkpoint final : public Communicator {
 public:
  // Makes the folder unless it is there. `work` says what is done, in one line; throws UsageError where the
  // folder belongs to other work.
  Checkpoint(Communicator& processes, std::string folder, const std::string& work);

  [[nodiscard]] std::size_t rank() const override { return processes_.rank(); }
  [[nodiscard]] std::size_t size() const override { return processes_.size(); }
  void sum(std::span<float> values) override { processes_.sum(values); }
  void sum(std::span<double> values) override { processes_.sum(values); }
  [[nodiscard]] std::vector<Bytes> gather(Bytes own) override { return processes_.gather(std::move(own)); }
  void share(std::size_t count, const SharedTasks& tasks) override;
  [[nodiscard]] bool shares() const override { return processes_.shares(); }

 private:
  [[nodiscard]] std::string file_of(std::uint64_t call, std::size_t task) const;

  Communicator& processes_;
  std::string folder_;
  std::uint64_t calls_ = 0;
};

// Of work that is done. Other files, and a folder that holds some, stay.
void remove_checkpoint(const std::string& folder);

}  // namespace mmo
