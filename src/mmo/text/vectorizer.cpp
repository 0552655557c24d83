#include "mmo/text/vectorizer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/text/term_table.h"
#include "mmo/text/tokenizer.h"

namespace mmo {
namespace {

// Documents per chunk: fixed, so that results never depend on the number of threads.
constexpr std::size_t chunk_documents = 1024;
// When fitting, each chunk builds a vocabulary that has to be merged: few, large chunks.
constexpr std::size_t max_fit_chunks = 16;

struct TermCounts {
  TermTable terms;
  std::vector<std::uint64_t> documents;  // document frequency
  std::vector<std::uint64_t> occurrences;

  std::uint32_t insert(std::string_view term) {
    const std::uint32_t id = terms.insert(term);
    if (id == documents.size()) {
      documents.push_back(0);
      occurrences.push_back(0);
    }
    return id;
  }
};

void check(const TextOptions& options) {
  if (options.min_n < 1 || options.max_n < options.min_n) {
    throw UsageError(fmt::format("word n-grams from {} to {} make no sense; give 1 ≤ from ≤ to",
                                 options.min_n, options.max_n));
  }
  if (!(options.max_df > 0.0 && options.max_df <= 1.0)) {
    throw UsageError(
        fmt::format("max_df is {}; give a share of the documents, above 0 and up to 1", options.max_df));
  }
}

// Calls visit(n-gram) for every n-gram of the document.
template <class Visit>
void for_each_ngram(const Words& words, const TextOptions& options, const Visit& visit) {
  const std::size_t longest = std::min(static_cast<std::size_t>(options.max_n), words.size());
  for (auto n = static_cast<std::size_t>(options.min_n); n <= longest; ++n) {
    for (std::size_t i = 0; i + n <= words.size(); ++i) visit(words.ngram(i, n));
  }
}

TermCounts count_terms(const std::vector<std::string>& documents, std::size_t begin, std::size_t end,
                       const TextOptions& options) {
  TermCounts counts;
  std::vector<std::size_t> last_document;  // + 1, of each term
  Words words;
  for (std::size_t i = begin; i < end; ++i) {
    if (i % chunk_documents == 0) throw_if_cancelled();
    words.assign(documents[i], options.lowercase);
    for_each_ngram(words, options, [&](std::string_view term) {
      const std::uint32_t id = counts.insert(term);
      if (id == last_document.size()) last_document.push_back(0);
      ++counts.occurrences[id];
      if (last_document[id] != i + 1) {
        last_document[id] = i + 1;
        ++counts.documents[id];
      }
    });
  }
  return counts;
}

TermCounts count_terms(const std::vector<std::string>& documents, const TextOptions& options) {
  const std::size_t n = documents.size();
  const std::size_t chunks = std::clamp<std::size_t>(n / chunk_documents, 1, max_fit_chunks);
  std::vector<TermCounts> parts(chunks);
  parallel_for(chunks, [&](std::size_t c) {
    parts[c] = count_terms(documents, n * c / chunks, n * (c + 1) / chunks, options);
  });
  TermCounts total = std::move(parts[0]);
  for (std::size_t c = 1; c < chunks; ++c) {
    const TermCounts part = std::move(parts[c]);
    for (std::uint32_t id = 0; id < part.terms.size(); ++id) {
      const std::uint32_t target = total.insert(part.terms.term(id));
      total.documents[target] += part.documents[id];
      total.occurrences[target] += part.occurrences[id];
    }
  }
  return total;
}

// The terms that survive the cuts, sorted.
std::vector<std::uint32_t> select_terms(const TermCounts& counts, std::size_t documents,
                                        const TextOptions& options) {
  const double most = options.max_df * static_cast<double>(documents);
  std::vector<std::uint32_t> kept;
  for (std::uint32_t id = 0; id < counts.terms.size(); ++id) {
    const std::uint64_t df = counts.documents[id];
    if (df >= options.min_df && static_cast<double>(df) <= most) kept.push_back(id);
  }
  if (options.max_features > 0 && kept.size() > options.max_features) {
    // Most occurrences first; of equally frequent terms the first in order of spelling.
    std::nth_element(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(options.max_features),
                     kept.end(), [&](std::uint32_t a, std::uint32_t b) {
                       return counts.occurrences[a] != counts.occurrences[b]
                                  ? counts.occurrences[a] > counts.occurrences[b]
                                  : counts.terms.term(a) < counts.terms.term(b);
                     });
    kept.resize(options.max_features);
  }
  std::sort(kept.begin(), kept.end(),
            [&](std::uint32_t a, std::uint32_t b) { return counts.terms.term(a) < counts.terms.term(b); });
  return kept;
}

// idf = ln((1 + n) / (1 + df)) + 1
float smooth_idf(std::size_t documents, std::uint64_t document_frequency) {
  return static_cast<float>(
      std::log((1.0 + static_cast<double>(documents)) / (1.0 + static_cast<double>(document_frequency))) +
      1.0);
}

struct Rows {
  std::vector<std::uint32_t> indices;
  std::vector<float> values;
  std::vector<std::uint64_t> ends;
};

// x = tf · idf with tf = 1 + ln(occurrences), or occurrences; then x / ‖x‖₂. `columns` is sorted and has one
// entry per occurrence.
void append_row(const std::vector<std::uint32_t>& columns, const std::vector<float>& idf, bool sublinear_tf,
                Rows& rows) {
  const std::size_t row_begin = rows.values.size();
  double squares = 0.0;
  for (std::size_t k = 0; k < columns.size();) {
    const std::uint32_t column = columns[k];
    const std::size_t first = k;
    while (k < columns.size() && columns[k] == column) ++k;
    const auto occurrences = static_cast<double>(k - first);
    const double tf = sublinear_tf ? 1.0 + std::log(occurrences) : occurrences;
    const double value = tf * static_cast<double>(idf[column]);
    squares += value * value;
    rows.indices.push_back(column);
    rows.values.push_back(static_cast<float>(value));
  }
  const double scale = squares > 0.0 ? 1.0 / std::sqrt(squares) : 0.0;
  for (std::size_t k = row_begin; k < rows.values.size(); ++k) {
    rows.values[k] = static_cast<float>(rows.values[k] * scale);
  }
  rows.ends.push_back(rows.indices.size());
}

CsrMatrix join(std::vector<Rows>& parts, std::size_t cols) {
  std::size_t nonzeros = 0;
  for (const Rows& part : parts) nonzeros += part.indices.size();
  CsrMatrix x;
  x.cols = cols;
  x.indices.reserve(nonzeros);
  x.values.reserve(nonzeros);
  for (Rows& part : parts) {
    const std::uint64_t base = x.indices.size();
    for (const std::uint64_t end : part.ends) x.offsets.push_back(base + end);
    x.indices.append(part.indices.begin(), part.indices.end());
    x.values.append(part.values.begin(), part.values.end());
    part = Rows();
  }
  x.rows = x.offsets.size() - 1;
  return x;
}

}  // namespace

Vectorizer Vectorizer::fit(const std::vector<std::string>& documents, const TextOptions& options) {
  check(options);
  const TermCounts counts = count_terms(documents, options);
  const std::vector<std::uint32_t> kept = select_terms(counts, documents.size(), options);
  if (kept.empty()) {
    throw DataError(
        fmt::format("no word is left of {} documents with {} different words: every one occurs in fewer than "
                    "{} documents "
                    "(min_df) or in more than a share of {} (max_df)",
                    documents.size(), counts.terms.size(), options.min_df, options.max_df));
  }
  std::vector<std::string> vocabulary;
  std::vector<float> idf;
  for (const std::uint32_t id : kept) {
    vocabulary.emplace_back(counts.terms.term(id));
    idf.push_back(smooth_idf(documents.size(), counts.documents[id]));
  }
  return {options, std::move(vocabulary), std::move(idf)};
}

Vectorizer::Vectorizer(TextOptions options, std::vector<std::string> vocabulary, std::vector<float> idf)
    : options_(options), vocabulary_(std::move(vocabulary)), idf_(std::move(idf)) {
  check(options_);
  if (vocabulary_.size() != idf_.size()) {
    throw ModelError(
        fmt::format("the text part has {} words but {} idf weights", vocabulary_.size(), idf_.size()));
  }
  auto columns = std::make_shared<TermTable>();
  for (const std::string& term : vocabulary_) {
    const std::size_t before = columns->size();
    if (columns->insert(term) != before) {
      throw ModelError(fmt::format("the text part lists the word \"{}\" twice", term));
    }
  }
  columns_ = std::move(columns);
}

CsrMatrix Vectorizer::transform(const std::vector<std::string>& documents) const {
  const std::size_t chunks = range_count(documents.size(), chunk_documents);
  std::vector<Rows> parts(chunks);
  parallel_for(chunks, [&](std::size_t c) {
    throw_if_cancelled();
    Words words;
    std::vector<std::uint32_t> columns;  // one entry per occurrence
    const std::size_t end = std::min(documents.size(), (c + 1) * chunk_documents);
    for (std::size_t i = c * chunk_documents; i < end; ++i) {
      words.assign(documents[i], options_.lowercase);
      columns.clear();
      for_each_ngram(words, options_, [&](std::string_view term) {
        const std::uint32_t column = columns_->find(term);
        if (column != TermTable::absent) columns.push_back(column);
      });
      std::sort(columns.begin(), columns.end());
      append_row(columns, idf_, options_.sublinear_tf, parts[c]);
    }
  });
  return join(parts, vocabulary_.size());
}

}  // namespace mmo
