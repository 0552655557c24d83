#include "study/deep/frozen_study.h"

#include <variant>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "study/deep/run_job.h"
#include "study/deep/study_set.h"

namespace mmo::deep {
namespace {

using nlohmann::ordered_json;

const DenseMatrix& features_of(const Dataset& data) {
  const auto* x = std::get_if<DenseMatrix>(&data.x);
  if (x == nullptr || x->cols == 0)
    throw DataError(data.source, 0, "the study needs dense features, as mmo deep features writes them");
  return *x;
}

ordered_json train_head(const Job& job, const StudySet& sets, const std::string& set, std::uint64_t seed) {
  const FeatureInputs train(features_of(sets.train));
  const FeatureInputs test(features_of(sets.test));
  const LabelMatrix labels = training_labels(set, sets.train.y, seed);
  const JobData data{train, test, labels, sets.test.y};
  Network network = new_head(training_part(train, labels, seed), seed);
  ordered_json best = ordered_json::object();
  run_job(job, network, data, seed, best);
  return best;
}

}  // namespace

void run_frozen_study(const Dataset& train, const Dataset& test, const FrozenStudyOptions& options,
                      ordered_json& results) {
  struct Piece {
    std::string set, part;
    Job job;
  };
  std::vector<Piece> pieces;
  for (const std::string& set : options.sets) {
    static_cast<void>(set_title(set));  // refuses unknown names
    for (const Job& job : table_jobs()) pieces.push_back({set, "table", job});
  }
  if (options.ablations) {
    for (const Job& job : ablation_jobs()) pieces.push_back({"90", "ablation", job});
  }
  const std::size_t total = pieces.size() * static_cast<std::size_t>(options.seeds);
  std::size_t done = 0;
  std::string loaded;
  StudySet sets;
  for (const Piece& piece : pieces) {
    if (loaded != piece.set) sets = make_set(piece.set, train, test);
    loaded = piece.set;
    results["sets"][piece.set] = {{"train_rows", sets.train.rows()},
                                  {"test_rows", sets.test.rows()},
                                  {"labels", sets.train.labels()},
                                  {"features", features_of(sets.train).cols}};
    for (int seed = 0; seed < options.seeds; ++seed, ++done) {
      throw_if_cancelled();
      report(options.progress, piece.job.method, static_cast<double>(done) / static_cast<double>(total),
             set_title(piece.set));
      ordered_json& cell =
          results[piece.part][piece.set][piece.job.method][candidate_name(piece.job)][std::to_string(seed)];
      if (!cell.is_null()) continue;
      cell = train_head(piece.job, sets, piece.set, static_cast<std::uint64_t>(seed));
      if (options.save) options.save(results);
    }
  }
}

}  // namespace mmo::deep
