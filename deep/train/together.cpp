#include "deep/train/together.h"

#include <array>

namespace mmo::deep {
namespace {

std::span<float> values_of(const Tensor& x) {
  return {x.data_ptr<float>(), static_cast<std::size_t>(x.numel())};
}

// Walks through a flat tensor, piece by piece.
class Pieces {
 public:
  explicit Pieces(Tensor flat) : flat_(std::move(flat)) {}
  Tensor next(const Tensor& like) {
    const Tensor piece = flat_.narrow(0, at_, like.numel()).view(like.sizes());
    at_ += like.numel();
    return piece;
  }

 private:
  Tensor flat_;
  std::int64_t at_ = 0;
};

}  // namespace

Tensor gather_scores(const Tensor& mine_ML, std::size_t rows, std::size_t labels, Communicator& processes) {
  if (processes.size() == 1) return mine_ML.detach();
  Tensor scores_NL = at::zeros({static_cast<std::int64_t>(rows), static_cast<std::int64_t>(labels)});
  const auto begin = static_cast<std::int64_t>(share_of(rows, processes).begin);
  if (mine_ML.defined()) scores_NL.narrow(0, begin, mine_ML.size(0)).copy_(mine_ML.detach());
  processes.sum(values_of(scores_NL));
  return scores_NL;
}

void sum_gradients(const std::vector<Optimizer::Slot>& slots, const std::vector<Tensor>& running,
                   double row_share, Communicator& processes) {
  if (processes.size() == 1) return;
  const c10::NoGradGuard no_gradient;
  auto count = static_cast<std::int64_t>(slots.size());  // for each, how many processes have a gradient
  for (const Optimizer::Slot& slot : slots) count += slot.tensor.numel();
  for (const Tensor& statistic : running) count += statistic.numel();
  const Tensor flat = at::zeros({count});
  const Tensor present = at::zeros({static_cast<std::int64_t>(slots.size())});

  Pieces out(flat);
  for (std::size_t k = 0; k < slots.size(); ++k) {
    Tensor piece = out.next(slots[k].tensor);
    if (!slots[k].tensor.grad().defined()) continue;
    piece.copy_(slots[k].tensor.grad());
    values_of(present)[k] = 1;
  }
  for (const Tensor& statistic : running) out.next(statistic).copy_(statistic * row_share);
  out.next(present).copy_(present);
  processes.sum(values_of(flat));

  Pieces in(flat);
  for (const Optimizer::Slot& slot : slots) slot.tensor.mutable_grad() = in.next(slot.tensor);
  for (const Tensor& statistic : running) statistic.copy_(in.next(statistic));
  const Tensor anywhere = in.next(present);
  for (std::size_t k = 0; k < slots.size(); ++k) {
    if (values_of(anywhere)[k] == 0) slots[k].tensor.mutable_grad().reset();
  }
}

bool as_first_says(bool value, Communicator& processes) {
  std::array<float, 1> said{value && processes.rank() == 0 ? 1.0F : 0.0F};
  processes.sum(said);
  return said[0] > 0;
}

}  // namespace mmo::deep
