// WordPiece tokens of BERT-like models, identical to Hugging Face's BertTokenizerFast for uncased
// vocabularies: control characters dropped, accents stripped, lower case, words split at white space and
// punctuation, then each word into the longest pieces in the vocabulary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mmo::deep {

class WordPiece {
 public:
  // One piece per line, numbered by line. Throws DataError if [UNK], [CLS], [SEP] or [PAD] is missing.
  WordPiece(std::string vocabulary, const std::string& source);

  // [CLS] … [SEP], at most `most` tokens (≥ 2); an empty text is [CLS] [SEP].
  [[nodiscard]] std::vector<std::int32_t> encode(std::string_view text, std::size_t most) const;
  [[nodiscard]] std::size_t size() const { return pieces_.size(); }
  [[nodiscard]] std::int32_t padding() const { return padding_; }
  [[nodiscard]] const std::string& vocabulary() const { return vocabulary_; }

 private:
  void add_word(std::string_view word, std::size_t characters, std::vector<std::int32_t>& out) const;

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::string vocabulary_;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> pieces_;
  std::int32_t unknown_ = 0, first_ = 0, last_ = 0, padding_ = 0;
};

}  // namespace mmo::deep
