// Raw text to tf-idf rows. Fitted on the training documents only and stored in the model.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mmo/core/matrix.h"

namespace mmo {

struct TextOptions {
  int min_n = 1, max_n = 1;  // word n-grams
  std::uint64_t min_df = 2;  // words in fewer documents are dropped
  double max_df = 1.0;       // words in a larger share of documents are dropped
  bool sublinear_tf = true;  // 1 + log(tf)
  bool lowercase = true;
  std::size_t max_features = 0;  // most frequent ones kept; 0 = all
};

// Lower-cased runs of two or more Unicode letters, numbers, underscores (scikit-learn's \w\w+) or marks
// (which Python's \w leaves out, so it cuts words of Indic scripts into pieces).
void tokenize(std::string_view text, bool lowercase, std::vector<std::string>& tokens);

class TermTable;

// scikit-learn's TfidfVectorizer(smooth_idf=True, norm="l2") with the options above.
class Vectorizer {
 public:
  // Throws UsageError for options that make no sense, DataError if no word is left.
  static Vectorizer fit(const std::vector<std::string>& documents, const TextOptions& options);
  // From stored parts (model file). Throws ModelError if they do not fit together, and what fit() throws.
  Vectorizer(TextOptions options, std::vector<std::string> vocabulary, std::vector<float> idf);

  // tf-idf rows of length 1; a document without known words is an empty row.
  [[nodiscard]] CsrMatrix transform(const std::vector<std::string>& documents) const;

  [[nodiscard]] const std::vector<std::string>& vocabulary() const {
    return vocabulary_;
  }  // sorted; index = column
  [[nodiscard]] const std::vector<float>& idf() const { return idf_; }
  [[nodiscard]] const TextOptions& options() const { return options_; }

 private:
  TextOptions options_;
  std::vector<std::string> vocabulary_;
  std::vector<float> idf_;
  std::shared_ptr<const TermTable> columns_;  // term → column
};

}  // namespace mmo
