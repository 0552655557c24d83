#include "mmo/data/generate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/core/random.h"
#include "mmo/data/alias_table.h"
#include "mmo/data/pieces.h"

namespace mmo {
namespace {

constexpr std::size_t block_rows = 1024;
constexpr std::size_t labels_per_topic = 8;  // about; labels of a topic occur together
constexpr std::size_t max_topics_per_row = 3;

// Dense features.
constexpr double prototype_share = 0.3;  // of the columns that a label or topic moves
// The distance by which a label or topic moves a row, in units of the noise, however many columns there are.
constexpr double label_distance = 2.6;
constexpr double topic_distance = 1.5;
constexpr std::size_t skew_every = 4;
constexpr double steps_per_unit = 1024.0;  // values are rounded to these: no platform's last bit shows

// Sparse features.
constexpr std::size_t words_per_label = 24;
constexpr std::size_t words_per_topic = 96;
constexpr double label_word_share = 0.25;
constexpr double topic_word_share = 0.25;

std::uint64_t mix(std::uint64_t seed, std::uint64_t stream) {
  return seed * 0xd1342543de82ef95ULL + stream * 0xaf251af3b0f025b5ULL;
}

// Independent streams of random numbers: one per purpose, then one per row.
enum Stream : std::uint64_t { topics_stream, prototypes_stream, words_stream, first_row_stream };

// Nearly normal, mean 0, variance 1: the sum of eight uniform 16-bit numbers. Only exact arithmetic, unlike
// Random::normal, whose logarithm and cosine differ between libraries.
double bell(Random& random) {
  constexpr double sum_mean = 8 * 32767.5;
  constexpr double sum_deviation = 53509.9;  // √(8 / 12) · 65536
  std::uint64_t sum = 0;
  for (int draw = 0; draw < 2; ++draw) {
    const std::uint64_t bits = random.next();
    for (unsigned shift = 0; shift < 64; shift += 16) sum += (bits >> shift) & 0xFFFFU;
  }
  return (static_cast<double>(sum) - sum_mean) / sum_deviation;
}

// A whole number with the given mean and about Poisson's spread: successes among many trials.
std::size_t count_around(double mean, Random& random) {
  const std::size_t trials = 4 * static_cast<std::size_t>(mean) + 4;
  const double chance = mean / static_cast<double>(trials);
  std::size_t successes = 0;
  for (std::size_t k = 0; k < trials; ++k) successes += random.uniform() < chance ? 1 : 0;
  return successes;
}

// weight of rank k ∝ 1 / (k + shift)^power for power 1 or 1.5 (a square root is exact everywhere, a power is
// not)
std::vector<double> zipf(std::size_t count, double shift, bool steep) {
  std::vector<double> weights(count);
  for (std::size_t k = 0; k < count; ++k) {
    const double rank = static_cast<double>(k) + shift;
    weights[k] = 1.0 / (steep ? rank * std::sqrt(rank) : rank);
  }
  return weights;
}

std::vector<double> label_weights(std::size_t labels) { return zipf(labels, 3.0, true); }
std::vector<double> word_weights(std::size_t words) { return zipf(words, 5.0, false); }

void check(const GenerateOptions& options) {
  const auto refuse = [](const std::string& what) { throw UsageError("can't generate data: " + what); };
  constexpr std::size_t largest = UINT32_MAX;
  if (options.rows < 1 || options.rows > largest) refuse(fmt::format("{} rows", options.rows));
  if (options.features < 1 || options.features > largest)
    refuse(fmt::format("{} features", options.features));
  if (options.labels < 1 || options.labels > largest) refuse(fmt::format("{} labels", options.labels));
  if (!(options.labels_per_row > 0.0 &&
        options.labels_per_row <= static_cast<double>(options.labels) / 2.0)) {
    refuse(fmt::format("{} labels per row of {} labels; give more than 0 and at most half of the labels",
                       options.labels_per_row, options.labels));
  }
  if (options.nonzeros_per_row > options.features / 2) {
    refuse(fmt::format("{} non-zero of {} features per row; give at most half, or 0 for dense features",
                       options.nonzeros_per_row, options.features));
  }
  if (!(options.noise >= 0.0 && options.noise <= 1.0)) {
    refuse(fmt::format("the label noise is {}; give a share from 0 to 1", options.noise));
  }
}

// The fixed part of the world that rows are drawn from.
class World {
 public:
  explicit World(const GenerateOptions& options)
      : options_(options),
        topics_(1 + (options.labels - 1) / labels_per_topic),
        any_label_(label_weights(options.labels)) {
    share_labels();
    if (options.nonzeros_per_row == 0) {
      make_prototypes();
    } else {
      make_words();
    }
  }

  // The traits of a row, drawn before its features.
  struct Row {
    std::vector<std::uint32_t> topics;
    std::vector<std::uint32_t> labels;  // those that shape the features
    std::vector<std::uint32_t> given;   // after noise: what the data set says; ascending
  };

  void draw_row(Random& random, Row& row) const {
    row.topics.clear();
    const std::size_t topics = 1 + random.below(max_topics_per_row);
    for (std::size_t k = 0; k < topics; ++k) row.topics.push_back(any_topic_.draw(random));
    row.labels.clear();
    const std::size_t count = std::min(count_around(options_.labels_per_row, random), options_.labels);
    draw_distinct(count, row.labels, [&] {
      const std::uint32_t topic = row.topics[random.below(row.topics.size())];
      return members_[topic][member_[topic].draw(random)];
    });
    // Its topics may have too few labels.
    draw_distinct(count, row.labels, [&] { return any_label_.draw(random); });
    row.given.clear();
    for (const std::uint32_t label : row.labels) {
      if (random.uniform() >= options_.noise) row.given.push_back(label);
    }
    draw_distinct(row.labels.size(), row.given, [&] { return any_label_.draw(random); });
    std::sort(row.given.begin(), row.given.end());
  }

  void draw_dense(Random& random, const Row& row, std::span<float> x) const {
    std::vector<double> value(x.size());
    for (double& v : value) v = bell(random);
    for (const std::uint32_t label : row.labels) add(prototypes_.row(label), value);
    for (const std::uint32_t topic : row.topics) add(prototypes_.row(options_.labels + topic), value);
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double v = k % skew_every == skew_every - 1 ? value[k] * std::abs(value[k]) : value[k];
      x[k] = static_cast<float>(std::nearbyint(v * steps_per_unit) / steps_per_unit);
    }
  }

  // How many non-zero features the row will have.
  [[nodiscard]] std::size_t draw_length(Random& random) const {
    const std::size_t mean = options_.nonzeros_per_row;
    return mean - mean / 2 + random.below(2 * (mean / 2) + 1);
  }

  // Fills exactly indices.size() distinct features, ascending, with their counts.
  void draw_sparse(Random& random, const Row& row, std::span<std::uint32_t> indices,
                   std::span<float> values) const {
    std::vector<std::pair<std::uint32_t, float>> counts;  // word, count; ascending
    std::vector<std::uint32_t> words;
    while (counts.size() < indices.size()) {
      words.clear();
      for (std::size_t k = counts.size(); k < indices.size(); ++k) words.push_back(draw_word(random, row));
      std::sort(words.begin(), words.end());
      merge(words, counts);
    }
    for (std::size_t k = 0; k < indices.size(); ++k) {
      indices[k] = counts[k].first;
      values[k] = counts[k].second;
    }
  }

 private:
  static void add(std::span<const float> prototype, std::vector<double>& value) {
    for (std::size_t k = 0; k < value.size(); ++k) value[k] += static_cast<double>(prototype[k]);
  }

  // Draws until `items` has `count` different ones; gives up when the source has no more.
  template <class Draw>
  static void draw_distinct(std::size_t count, std::vector<std::uint32_t>& items, const Draw& draw) {
    constexpr std::size_t patience = 8;
    for (std::size_t attempt = 0; items.size() < count && attempt < patience * count; ++attempt) {
      const std::uint32_t item = draw();
      if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
    }
  }

  static void merge(const std::vector<std::uint32_t>& words,
                    std::vector<std::pair<std::uint32_t, float>>& counts) {
    const std::size_t old = counts.size();
    for (const std::uint32_t word : words) {
      const auto end = counts.begin() + static_cast<std::ptrdiff_t>(old);
      const auto known = std::lower_bound(counts.begin(), end, std::pair(word, 0.0F));
      if (known != end && known->first == word) {
        known->second += 1.0F;
      } else if (counts.size() > old && counts.back().first == word) {
        counts.back().second += 1.0F;
      } else {
        counts.emplace_back(word, 1.0F);
      }
    }
    std::inplace_merge(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(old), counts.end());
  }

  [[nodiscard]] std::uint32_t draw_word(Random& random, const Row& row) const {
    const double source = random.uniform();
    // The smaller of two ranks: a topic's first words are its most frequent.
    const auto pick = [&](const std::vector<std::uint32_t>& words, std::size_t list, std::size_t length) {
      return words[list * length + std::min(random.below(length), random.below(length))];
    };
    if (source < label_word_share && !row.labels.empty()) {
      return pick(label_words_, row.labels[random.below(row.labels.size())], words_per_label);
    }
    if (source < label_word_share + topic_word_share) {
      return pick(topic_words_, row.topics[random.below(row.topics.size())], words_per_topic);
    }
    return any_word_.draw(random);
  }

  // Every label has a home topic; every third also belongs to another one.
  void share_labels() {
    Random random(mix(options_.seed, topics_stream));
    members_.resize(topics_);
    const std::vector<double> weight = label_weights(options_.labels);
    std::vector<std::vector<double>> member_weight(topics_);
    std::vector<double> topic_weight(topics_, 0.0);
    const auto join = [&](std::size_t topic, std::uint32_t label) {
      members_[topic].push_back(label);
      member_weight[topic].push_back(weight[label]);
      topic_weight[topic] += weight[label];
    };
    for (std::uint32_t label = 0; label < options_.labels; ++label) {
      // The first labels go to different topics, so that no topic is without a label.
      const std::size_t home = label < topics_ ? label : random.below(topics_);
      join(home, label);
      const std::size_t second = random.below(topics_);
      if (label % 3 == 2 && second != home) join(second, label);
    }
    for (std::size_t topic = 0; topic < topics_; ++topic) member_.emplace_back(member_weight[topic]);
    any_topic_ = AliasTable(topic_weight);
  }

  void make_prototypes() {
    const double moved_columns = prototype_share * static_cast<double>(options_.features);
    prototypes_ = DenseMatrix(options_.labels + topics_, options_.features);
    parallel_for(prototypes_.rows, [&](std::size_t p) {
      Random random(mix(mix(options_.seed, prototypes_stream), p));
      const double strength =
          (p < options_.labels ? label_distance : topic_distance) / std::sqrt(moved_columns);
      for (float& value : prototypes_.row(p)) {
        const double moved = random.uniform() < prototype_share ? strength * bell(random) : 0.0;
        value = static_cast<float>(moved);
      }
    });
  }

  void make_words() {
    Random random(mix(options_.seed, words_stream));
    any_word_ = AliasTable(word_weights(options_.features));
    label_words_.resize(options_.labels * words_per_label);
    topic_words_.resize(topics_ * words_per_topic);
    for (std::vector<std::uint32_t>* words : {&label_words_, &topic_words_}) {
      for (std::uint32_t& word : *words) word = static_cast<std::uint32_t>(random.below(options_.features));
    }
  }

  const GenerateOptions options_;
  std::size_t topics_;
  AliasTable any_label_;
  AliasTable any_topic_;
  std::vector<std::vector<std::uint32_t>> members_;  // labels of each topic
  std::vector<AliasTable> member_;                   // which of them, by topic
  DenseMatrix prototypes_;                           // dense: of each label, then of each topic
  AliasTable any_word_;                              // sparse
  std::vector<std::uint32_t> label_words_;           // sparse: words_per_label of each label
  std::vector<std::uint32_t> topic_words_;
};

}  // namespace

Dataset generate_dataset(const GenerateOptions& options) {
  check(options);
  const World world(options);
  const auto row_random = [&](std::size_t i) { return Random(mix(mix(options.seed, first_row_stream), i)); };
  Dataset data;
  data.source = fmt::format("generated data (seed {})", options.seed);

  // Row lengths come first, so that every row knows its place.
  const bool sparse = options.nonzeros_per_row > 0;
  DenseMatrix dense_x(sparse ? 0 : options.rows, sparse ? 0 : options.features);
  CsrMatrix sparse_x;
  if (sparse) {
    sparse_x.rows = options.rows;
    sparse_x.cols = options.features;
    sparse_x.offsets.reserve(options.rows + 1);
    for (std::size_t i = 0; i < options.rows; ++i) {
      Random random = row_random(i);
      sparse_x.offsets.push_back(sparse_x.offsets.back() + world.draw_length(random));
    }
    sparse_x.indices.resize(sparse_x.offsets.back());
    sparse_x.values.resize(sparse_x.offsets.back());
  }

  std::vector<LabelMatrix> labels(range_count(options.rows, block_rows));
  parallel_ranges(options.rows, block_rows, [&](std::size_t first, std::size_t last) {
    World::Row row;
    for (std::size_t i = first; i < last; ++i) {
      Random random = row_random(i);
      const std::size_t length = sparse ? world.draw_length(random) : 0;
      world.draw_row(random, row);
      labels[first / block_rows].push_row(row.given);
      if (sparse) {
        world.draw_sparse(random, row, {sparse_x.indices.data() + sparse_x.offsets[i], length},
                          {sparse_x.values.data() + sparse_x.offsets[i], length});
      } else {
        world.draw_dense(random, row, dense_x.row(i));
      }
    }
  });
  data.y = join_rows(labels, options.labels);
  if (sparse)
    data.x = std::move(sparse_x);
  else
    data.x = std::move(dense_x);
  for (std::size_t j = 0; j < options.labels; ++j) data.label_names.push_back(fmt::format("label{}", j));
  return data;
}

}  // namespace mmo
