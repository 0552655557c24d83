// The words of a document, kept in one buffer so that a word n-gram is a substring of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mmo {

// Words in order, a single space between them; reused from document to document.
class Words {
 public:
  // Replaces the content by the words of `text`: runs of two or more Unicode letters, marks, numbers or
  // underscores in Unicode's composed form (NFC). Bytes that are not UTF-8 separate words.
  void assign(std::string_view text, bool lowercase);

  [[nodiscard]] std::size_t size() const { return spans_.size(); }
  // Words first … first + count − 1, joined by a space.
  [[nodiscard]] std::string_view ngram(std::size_t first, std::size_t count) const {
    const std::size_t begin = spans_[first].begin;
    return std::string_view(bytes_).substr(begin, spans_[first + count - 1].end - begin);
  }

 private:
  struct Span {
    std::size_t begin, end;
  };
  class Builder;

  std::string bytes_;
  std::vector<Span> spans_;
};

}  // namespace mmo
