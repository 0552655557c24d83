#include "mmo/split/stratify.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "mmo/core/parallel.h"
#include "mmo/core/random.h"

namespace mmo {
namespace {

constexpr std::uint32_t none = UINT32_MAX;

// Labels by how many of their units are still to be placed: one list per number, so that finding the rarest
// label and changing a number both take constant time.
class RarestLabel {
 public:
  explicit RarestLabel(std::vector<std::uint32_t> remaining)
      : remaining_(std::move(remaining)), next_(remaining_.size(), none), previous_(remaining_.size(), none) {
    const auto most = std::max_element(remaining_.begin(), remaining_.end());
    first_.assign(most == remaining_.end() ? 1 : *most + 1, none);
    for (std::size_t j = remaining_.size(); j-- > 0;) link(static_cast<std::uint32_t>(j));
  }

  // The label with the fewest units left, but at least one; `none` if all are placed.
  [[nodiscard]] std::uint32_t pick() {
    while (lowest_ < first_.size() && first_[lowest_] == none) ++lowest_;
    return lowest_ < first_.size() ? first_[lowest_] : none;
  }

  void decrement(std::uint32_t label) {
    unlink(label);
    --remaining_[label];
    link(label);
  }

 private:
  void link(std::uint32_t label) {
    const std::uint32_t count = remaining_[label];
    if (count == 0) return;
    previous_[label] = none;
    next_[label] = first_[count];
    if (next_[label] != none) previous_[next_[label]] = label;
    first_[count] = label;
    lowest_ = std::min<std::size_t>(lowest_, count);
  }

  void unlink(std::uint32_t label) {
    if (next_[label] != none) previous_[next_[label]] = previous_[label];
    if (previous_[label] != none)
      next_[previous_[label]] = next_[label];
    else
      first_[remaining_[label]] = next_[label];
  }

  std::vector<std::uint32_t> remaining_;
  std::vector<std::uint32_t> next_, previous_;
  std::vector<std::uint32_t> first_;  // of the labels with a given number left
  std::size_t lowest_ = 1;            // no label has fewer left
};

class Placement {
 public:
  Placement(const Units& units, std::span<const std::size_t> part_rows, std::uint64_t seed)
      : units_(units), part_rows_(part_rows), random_(seed), part_(units.size(), none), order_(units.size()) {
    const auto rows =
        static_cast<double>(std::accumulate(part_rows.begin(), part_rows.end(), std::size_t{0}));
    for (const std::size_t wanted : part_rows) share_.push_back(static_cast<double>(wanted) / rows);
    std::iota(order_.begin(), order_.end(), 0U);
    random_.shuffle(order_);
    // Large units first: the small ones then even out what they left.
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return units.rows[a] > units.rows[b]; });
  }

  std::vector<std::uint32_t> run() {
    place_labelled();
    // What is left of each part goes to the units without labels, so that these are spread evenly too.
    place_unlabelled();
    fill_empty_parts();
    return std::move(part_);
  }

 private:
  [[nodiscard]] std::size_t parts() const { return part_rows_.size(); }

  void place_labelled() {
    std::size_t labelled_rows = 0;
    for (std::size_t u = 0; u < units_.size(); ++u)
      labelled_rows += units_.unlabelled(u) ? 0 : units_.rows[u];
    labelled_rows_ = static_cast<double>(labelled_rows);
    const std::vector<std::size_t> labelled_part_rows = apportion(labelled_rows, share_);
    room_.assign(labelled_part_rows.begin(), labelled_part_rows.end());

    const std::size_t labels = units_.label_count;
    positives_.assign(labels, 0.0);
    for (std::size_t k = 0; k < units_.labels.size(); ++k) positives_[units_.labels[k]] += units_.counts[k];
    wanted_.resize(parts() * labels);
    for (std::size_t p = 0; p < parts(); ++p) {
      for (std::size_t j = 0; j < labels; ++j) wanted_[p * labels + j] = share_[p] * positives_[j];
    }

    const auto [begins, units_of_label] = list_units();
    std::vector<std::uint32_t> remaining(labels);
    for (std::size_t j = 0; j < labels; ++j)
      remaining[j] = static_cast<std::uint32_t>(begins[j + 1] - begins[j]);
    RarestLabel rarest(std::move(remaining));
    for (std::uint32_t label = rarest.pick(); label != none; label = rarest.pick()) {
      throw_if_cancelled();
      for (std::uint64_t k = begins[label]; k < begins[label + 1]; ++k) {
        const std::uint32_t unit = units_of_label[k];
        if (part_[unit] != none) continue;
        // The paper prefers the part that lacks most of the rarest label and breaks ties by size. We treat
        // all parts that lack a whole positive alike and let the unit's other labels decide: each part still
        // gets its share of this label, and the frequent labels, placed last, come out several times closer.
        const std::size_t p = choose(unit, [&](std::size_t part) {
          return std::pair(std::min(1.0, wanted_[part * labels + label]), unmet(unit, part));
        });
        place(unit, p);
        for (std::uint64_t i = units_.offsets[unit]; i < units_.offsets[unit + 1]; ++i) {
          wanted_[p * labels + units_.labels[i]] -= units_.counts[i];
          rarest.decrement(units_.labels[i]);
        }
      }
    }
  }

  void place_unlabelled() {
    room_.assign(part_rows_.begin(), part_rows_.end());
    for (std::size_t u = 0; u < units_.size(); ++u) {
      if (part_[u] != none) room_[part_[u]] -= units_.rows[u];
    }
    for (const std::uint32_t unit : order_) {
      if (part_[unit] == none) place(unit, choose(unit, [](std::size_t) { return std::pair(0.0, 0.0); }));
    }
  }

  // Large groups can leave a part empty: it gets the smallest unit of the part with most units.
  void fill_empty_parts() {
    std::vector<std::size_t> units_in(parts(), 0);
    for (const std::uint32_t p : part_) ++units_in[p];
    for (std::size_t p = 0; p < parts(); ++p) {
      if (units_in[p] > 0) continue;
      const auto donor =
          static_cast<std::size_t>(std::max_element(units_in.begin(), units_in.end()) - units_in.begin());
      const auto smallest =
          std::find_if(order_.rbegin(), order_.rend(), [&](std::uint32_t u) { return part_[u] == donor; });
      part_[*smallest] = static_cast<std::uint32_t>(p);
      --units_in[donor];
      ++units_in[p];
    }
  }

  // The units of each label, in the order of placement: label j has entries begins[j] … begins[j + 1] − 1.
  [[nodiscard]] std::pair<std::vector<std::uint64_t>, std::vector<std::uint32_t>> list_units() const {
    std::vector<std::uint64_t> begins(units_.label_count + 1, 0);
    for (const std::uint32_t label : units_.labels) ++begins[label + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<std::uint64_t> cursor(begins.begin(), begins.end() - 1);
    std::vector<std::uint32_t> list(units_.labels.size());
    for (const std::uint32_t unit : order_) {
      for (std::uint64_t i = units_.offsets[unit]; i < units_.offsets[unit + 1]; ++i) {
        list[cursor[units_.labels[i]]++] = unit;
      }
    }
    return {std::move(begins), std::move(list)};
  }

  // Σ_j wanted(p, j) / (share of p · positives of j) over the unit's labels, and the same for its rows: how
  // far behind part p is on everything the unit would bring.
  [[nodiscard]] double unmet(std::uint32_t unit, std::size_t part) const {
    double sum = static_cast<double>(room_[part]) / labelled_rows_;
    for (std::uint64_t i = units_.offsets[unit]; i < units_.offsets[unit + 1]; ++i) {
      sum += wanted_[part * units_.label_count + units_.labels[i]] / positives_[units_.labels[i]];
    }
    return sum / share_[part];
  }

  // Among the parts with room for the unit, the one that needs it most; then the one with most room; then
  // any. If none has room (a large group), the part with most room.
  template <class Need>
  std::size_t choose(std::uint32_t unit, const Need& need) {
    const auto size = static_cast<std::int64_t>(units_.rows[unit]);
    const auto key = [&](std::size_t p) {
      const bool fits = room_[p] >= size;
      return std::tuple(fits, fits ? need(p) : std::pair(0.0, 0.0), room_[p]);
    };
    std::size_t best = 0;
    auto best_key = key(0);
    std::uint64_t ties = 1;
    for (std::size_t p = 1; p < parts(); ++p) {
      const auto candidate = key(p);
      if (candidate < best_key) continue;
      ties = candidate == best_key ? ties + 1 : 1;
      if (ties == 1 || random_.below(ties) == 0) best = p;
      best_key = candidate;
    }
    return best;
  }

  void place(std::uint32_t unit, std::size_t part) {
    part_[unit] = static_cast<std::uint32_t>(part);
    room_[part] -= units_.rows[unit];
  }

  const Units& units_;
  std::span<const std::size_t> part_rows_;
  Random random_;
  std::vector<std::uint32_t> part_;   // of each unit; none = not yet placed
  std::vector<std::uint32_t> order_;  // of placement
  std::vector<std::int64_t> room_;    // rows each part may still take
  std::vector<double> share_;         // of all rows, by part
  double labelled_rows_ = 0.0;
  std::vector<double> positives_;  // of each label
  std::vector<double> wanted_;     // parts × labels: the positives that a part still lacks
};

}  // namespace

std::vector<std::size_t> apportion(std::size_t total, std::span<const double> shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<std::size_t> parts(shares.size());
  std::vector<double> remainder(shares.size());
  std::size_t given = 0;
  for (std::size_t p = 0; p < shares.size(); ++p) {
    const double quota = static_cast<double>(total) * shares[p] / sum;
    parts[p] = static_cast<std::size_t>(quota);
    remainder[p] = quota - std::floor(quota);
    given += parts[p];
  }
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainder[a] > remainder[b]; });
  for (std::size_t k = 0; given < total; ++k, ++given) ++parts[order[k]];
  return parts;
}

std::vector<std::uint32_t> stratify(const Units& units, std::span<const std::size_t> part_rows,
                                    std::uint64_t seed) {
  return Placement(units, part_rows, seed).run();
}

}  // namespace mmo
