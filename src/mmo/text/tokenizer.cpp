#include "mmo/text/tokenizer.h"

#include <utf8proc.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "mmo/text/vectorizer.h"

namespace mmo {
namespace {

constexpr std::size_t min_characters = 2;
constexpr utf8proc_int32_t capital_sigma = 0x3A3;
constexpr utf8proc_int32_t capital_dotted_i = 0x130;
constexpr utf8proc_int32_t dot_above = 0x307;
constexpr std::string_view final_sigma = "\xCF\x82";
constexpr utf8proc_int32_t first_changed_by_nfc = 0x300;  // every code point below is its own NFC

// ASCII word characters (0 = separator), as they are and in lower case.
constexpr std::array<std::array<char, 128>, 2> ascii_words = [] {
  std::array<std::array<char, 128>, 2> table{};
  for (int c = 0; c < 128; ++c) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool word = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    table[0][c] = static_cast<char>(word ? c : 0);
    table[1][c] = static_cast<char>(upper ? c - 'A' + 'a' : table[0][c]);
  }
  return table;
}();

bool is_word_category(int category) {
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;  // L*, M*, N*
}

// May composing change a word that contains this code point? (Hangul jamo compose by rule, not by table.)
bool may_compose(utf8proc_int32_t code, const utf8proc_property_t& property) {
  if (code < first_changed_by_nfc) return false;
  const bool mark = property.category >= UTF8PROC_CATEGORY_MN && property.category <= UTF8PROC_CATEGORY_ME;
  const bool jamo = code >= 0x1100 && code <= 0x11FF;
  return mark || jamo || (property.decomp_type == 0 && property.decomp_seqindex != UINT16_MAX);
}

std::size_t count_characters(std::string_view utf8) {
  std::size_t count = 0;
  for (const char c : utf8) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return count;
}

// `word` contains no NUL: that is a separator.
std::string compose(const std::string& word) {
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> composed(
      utf8proc_NFC(reinterpret_cast<const utf8proc_uint8_t*>(word.c_str())), &std::free);
  if (composed == nullptr) throw std::bad_alloc();  // `word` is valid UTF-8: nothing else can fail
  return reinterpret_cast<const char*>(composed.get());
}

}  // namespace

// Appends characters to a word and closes it at a separator.
class Words::Builder {
 public:
  Builder(Words& words, bool lowercase) : words_(words), lowercase_(lowercase) {}

  void add_ascii(char c) {
    words_.bytes_.push_back(c);
    ++characters_;
  }

  void add(utf8proc_int32_t code, const utf8proc_property_t& property) {
    if (lowercase_ && code == capital_dotted_i) {  // the one letter whose lower case is two
      append('i');
      append(dot_above);
      return;
    }
    compose_ = compose_ || may_compose(code, property);
    append(lowercase_ ? utf8proc_tolower(code) : code);
    if (lowercase_ && code == capital_sigma) after_sigma_ = words_.bytes_.size();
  }

  void end_word() {
    std::string& bytes = words_.bytes_;
    if (bytes.size() == begin_) return;
    // A capital sigma that ends a word is ς in lower case, elsewhere σ.
    if (after_sigma_ == bytes.size() && characters_ > 1) {
      bytes.replace(bytes.size() - final_sigma.size(), final_sigma.size(), final_sigma);
    }
    if (compose_) {
      const std::string composed = compose(bytes.substr(begin_));
      bytes.replace(begin_, std::string::npos, composed);
      characters_ = count_characters(composed);
    }
    if (characters_ >= min_characters) {
      words_.spans_.push_back({begin_, bytes.size()});
      bytes.push_back(' ');
    } else {
      bytes.resize(begin_);
    }
    begin_ = bytes.size();
    characters_ = 0;
    compose_ = false;
    after_sigma_ = 0;
  }

 private:
  void append(utf8proc_int32_t code) {
    std::array<utf8proc_uint8_t, 4> encoded{};
    const utf8proc_ssize_t length = utf8proc_encode_char(code, encoded.data());
    words_.bytes_.append(reinterpret_cast<const char*>(encoded.data()), static_cast<std::size_t>(length));
    ++characters_;
  }

  Words& words_;
  bool lowercase_;
  std::size_t begin_ = 0;        // of the current word in bytes_
  std::size_t characters_ = 0;   // of the current word
  std::size_t after_sigma_ = 0;  // the position after the latest lower-cased Σ
  bool compose_ = false;         // NFC may change the current word
};

void Words::assign(std::string_view text, bool lowercase) {
  bytes_.clear();
  spans_.clear();
  Builder builder(*this, lowercase);
  const auto& ascii = ascii_words[lowercase ? 1 : 0];
  const auto* data = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (std::size_t i = 0; i < text.size();) {
    if (data[i] < 128) {
      const char c = ascii[data[i]];
      if (c != 0)
        builder.add_ascii(c);
      else
        builder.end_word();
      ++i;
      continue;
    }
    utf8proc_int32_t code = 0;
    const utf8proc_ssize_t length =
        utf8proc_iterate(data + i, static_cast<utf8proc_ssize_t>(text.size() - i), &code);
    if (length < 0) {  // not UTF-8: this byte separates words
      builder.end_word();
      ++i;
      continue;
    }
    const utf8proc_property_t& property = *utf8proc_get_property(code);
    if (is_word_category(property.category))
      builder.add(code, property);
    else
      builder.end_word();
    i += static_cast<std::size_t>(length);
  }
  builder.end_word();
}

void tokenize(std::string_view text, bool lowercase, std::vector<std::string>& tokens) {
  Words words;
  words.assign(text, lowercase);
  tokens.clear();
  for (std::size_t i = 0; i < words.size(); ++i) tokens.emplace_back(words.ngram(i, 1));
}

}  // namespace mmo
