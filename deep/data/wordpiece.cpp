#include "deep/data/wordpiece.h"

#include <fmt/core.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "mmo/core/error.h"

namespace mmo::deep {
namespace {

constexpr std::size_t longest_word = 100;  // characters; BERT's limit: longer words are unknown

using CodePoint = utf8proc_int32_t;

bool is_space(CodePoint c) {
  if (c == '\t' || c == '\n' || c == '\r' || c == 0x0B || c == 0x0C || c == 0x85) return true;
  const auto category = utf8proc_category(c);
  return category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP;
}

// NUL, the replacement character and the categories Cc, Cf, Cs, Co, Cn.
bool is_dropped(CodePoint c) {
  if (c == 0 || c == 0xFFFD) return true;
  const auto category = utf8proc_category(c);
  return category == UTF8PROC_CATEGORY_CN ||
         (category >= UTF8PROC_CATEGORY_CC && category <= UTF8PROC_CATEGORY_CO);
}

bool is_punctuation(CodePoint c) {
  if (c < 0x80)
    return c > 0x20 && c < 0x7F && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') &&
           !(c >= 'A' && c <= 'Z');
  const auto category = utf8proc_category(c);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

// The blocks of Chinese characters, each of which counts as a word.
bool is_chinese(CodePoint c) {
  struct Block {
    CodePoint first, last;
  };
  static constexpr std::array<Block, 8> blocks{{{0x4E00, 0x9FFF},
                                                {0x3400, 0x4DBF},
                                                {0x20000, 0x2A6DF},
                                                {0x2A700, 0x2B73F},
                                                {0x2B740, 0x2B81F},
                                                {0x2B920, 0x2CEAF},
                                                {0xF900, 0xFAFF},
                                                {0x2F800, 0x2FA1F}}};
  return c >= 0x3400 && std::any_of(blocks.begin(), blocks.end(),
                                    [c](const Block& b) { return c >= b.first && c <= b.last; });
}

// Calls use(code point) for the normalised text: decomposed, non-spacing marks removed, lower case.
template <class Use>
void normalise(CodePoint c, const Use& use) {
  if (c < 0x80) {
    use(c >= 'A' && c <= 'Z' ? c + 32 : c);
    return;
  }
  std::array<CodePoint, 32> parts{};  // the longest canonical decomposition has 4
  int last_class = 0;
  const auto count = utf8proc_decompose_char(c, parts.data(), parts.size(), UTF8PROC_DECOMPOSE, &last_class);
  for (utf8proc_ssize_t k = 0; k < count; ++k) {
    if (utf8proc_category(parts[k]) != UTF8PROC_CATEGORY_MN) use(utf8proc_tolower(parts[k]));
  }
}

void append_utf8(CodePoint c, std::string& out) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto count = utf8proc_encode_char(c, bytes.data());
  out.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(count));
}

}  // namespace

WordPiece::WordPiece(std::string vocabulary, const std::string& source) : vocabulary_(std::move(vocabulary)) {
  std::size_t start = 0;
  std::int32_t number = 0;
  while (start < vocabulary_.size()) {
    const std::size_t end = std::min(vocabulary_.find('\n', start), vocabulary_.size());
    std::size_t length = end - start;
    if (length > 0 && vocabulary_[start + length - 1] == '\r') --length;
    pieces_.emplace(vocabulary_.substr(start, length), number++);
    start = end + 1;
  }
  const auto special = [&](const char* piece) {
    const auto found = pieces_.find(std::string_view(piece));
    if (found == pieces_.end())
      throw DataError(source, 0, fmt::format("the vocabulary lacks {}; give BERT's vocab.txt", piece));
    return found->second;
  };
  unknown_ = special("[UNK]");
  first_ = special("[CLS]");
  last_ = special("[SEP]");
  padding_ = special("[PAD]");
}

void WordPiece::add_word(std::string_view word, std::size_t characters,
                         std::vector<std::int32_t>& out) const {
  if (characters > longest_word) {
    out.push_back(unknown_);
    return;
  }
  const std::size_t before = out.size();
  std::string piece;
  for (std::size_t start = 0; start < word.size();) {
    std::size_t end = word.size();
    for (; end > start; --end) {
      if (end < word.size() && (static_cast<unsigned char>(word[end]) & 0xC0U) == 0x80U) continue;
      piece.assign(start > 0 ? "##" : "").append(word.substr(start, end - start));
      const auto found = pieces_.find(piece);
      if (found == pieces_.end()) continue;
      out.push_back(found->second);
      break;
    }
    if (end == start) {  // no piece fits: the whole word is unknown
      out.resize(before);
      out.push_back(unknown_);
      return;
    }
    start = end;
  }
}

std::vector<std::int32_t> WordPiece::encode(std::string_view text, std::size_t most) const {
  std::vector<std::int32_t> out{first_};
  std::string word;
  std::size_t characters = 0;
  const auto finish_word = [&] {
    if (characters > 0) add_word(word, characters, out);
    word.clear();
    characters = 0;
  };
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (std::size_t at = 0; at < text.size() && out.size() < most;) {
    CodePoint c = 0;
    const auto used = utf8proc_iterate(bytes + at, static_cast<utf8proc_ssize_t>(text.size() - at), &c);
    at += used > 0 ? static_cast<std::size_t>(used) : 1;
    if (used <= 0) continue;  // not UTF-8: dropped like the replacement character
    if (is_space(c)) {
      finish_word();
    } else if (!is_dropped(c)) {
      normalise(c, [&](CodePoint d) {
        const bool alone = is_punctuation(d) || is_chinese(d);
        if (alone) finish_word();
        append_utf8(d, word);
        ++characters;
        if (alone) finish_word();
      });
    }
  }
  finish_word();
  out.resize(std::min(out.size(), most - 1));
  out.push_back(last_);
  return out;
}

}  // namespace mmo::deep
