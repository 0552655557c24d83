#include "mmo/data/sparse_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <unordered_map>

#include "mmo/core/parallel.h"
#include "mmo/data/decimal.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/pieces.h"

namespace mmo {
namespace {

// '\r' is a blank too, so that lines ending in "\r\n" need no special care.
constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n'); }
constexpr unsigned digit_of(char c) { return static_cast<unsigned>(static_cast<unsigned char>(c)) - '0'; }

// The labels of one piece, numbered by first appearance. Small integers, by far the most common labels, are
// looked up in a table; everything else by its text.
class LabelTable {
 public:
  static constexpr unsigned most_digits = 6;

  // `token` is `number` in its shortest form.
  std::uint32_t id(std::uint32_t number, std::string_view token) {
    if (number >= small_.size())
      small_.resize(std::max<std::size_t>(number + 1, 2 * small_.size()), no_label);
    if (small_[number] == no_label) small_[number] = add(token);
    return small_[number];
  }
  // `token` is no such number of at most `most_digits`.
  std::uint32_t id(std::string_view token) {
    const auto [entry, is_new] = others_.try_emplace(token, 0);
    if (is_new) entry->second = add(token);
    return entry->second;
  }
  std::vector<std::string_view> take_names() { return std::move(names_); }

 private:
  std::uint32_t add(std::string_view token) {
    names_.push_back(token);
    return static_cast<std::uint32_t>(names_.size() - 1);
  }

  std::vector<std::string_view> names_;
  std::vector<std::uint32_t> small_;
  std::unordered_map<std::string_view, std::uint32_t> others_;
};

struct Piece {
  std::string_view text;
  std::size_t capacity = 0;          // upper bound on its index:value pairs: its colons
  std::uint32_t* indices = nullptr;  // where its pairs go
  float* values = nullptr;
  std::size_t pairs = 0;
  std::vector<std::uint64_t> pair_offsets{0};  // rows + 1
  std::vector<std::uint64_t> label_offsets{0};
  std::vector<std::uint32_t> label_ids;
  std::vector<std::string_view> names;
  std::vector<std::string_view> query_ids;  // of the rows that have one
  const char* without_query_id = nullptr;   // the first row that has none
  bool has_features = false;
  std::uint32_t lowest = max_sparse_index;
  std::uint32_t highest = 0;
};

class PieceParser {
 public:
  PieceParser(Piece& piece, const SparseTextRules& rules)
      : piece_(piece), rules_(rules), text_end_(piece.text.data() + piece.text.size()) {}

  void run() {
    reserve();
    for (const char* next = piece_.text.data(); next < text_end_;) {
      at_ = next;
      const auto* newline =
          static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(text_end_ - at_)));
      line_end_ = newline != nullptr ? newline : text_end_;
      next = newline != nullptr ? newline + 1 : text_end_;
      has_newline_ = newline != nullptr;
      parse_line();
    }
    piece_.names = table_.take_names();
  }

 private:
  // For as many rows and labels as the beginning suggests, and a quarter more: growing step by step touches
  // twice the memory, and fresh memory costs more than parsing what goes there.
  void reserve() {
    const std::string_view beginning = piece_.text.substr(0, std::size_t{1} << 16);
    const std::size_t times = 1 + piece_.text.size() / (beginning.size() + 1);
    const std::size_t rows = times * (count_byte(beginning, '\n') + 1) / 4 * 5;
    piece_.pair_offsets.reserve(rows);
    piece_.label_offsets.reserve(rows);
    piece_.label_ids.reserve(times * count_byte(beginning, ',') / 4 * 5 + rows);
  }

  [[nodiscard]] bool at_token_end() const { return at_ == line_end_ || is_blank(*at_) || *at_ == '#'; }

  [[nodiscard]] bool at_label_end() const { return at_token_end() || *at_ == ','; }

  // Moves to the next token; false at the end of the line or a comment.
  bool next_token() {
    while (at_ < line_end_ && is_blank(*at_)) ++at_;
    return at_ < line_end_ && *at_ != '#';
  }

  [[nodiscard]] std::string_view token_from(const char* start) const {
    const char* stop = start;
    while (stop < line_end_ && !is_blank(*stop) && *stop != '#') ++stop;
    return {start, static_cast<std::size_t>(stop - start)};
  }

  void parse_line() {
    if (!next_token() && !rules_.every_line_is_row) return;
    const char* const row = at_;
    bool has_query_id = false;
    if (at_ < line_end_ && *at_ != '#') {
      parse_labels();
      has_query_id = next_token() && *at_ == 'q' && !rules_.every_line_is_row;
      if (has_query_id) piece_.query_ids.push_back(parse_query_id());
      parse_pairs();
    }
    if (!has_query_id && piece_.without_query_id == nullptr) piece_.without_query_id = row;
    piece_.pair_offsets.push_back(piece_.pairs);
    piece_.label_offsets.push_back(piece_.label_ids.size());
  }

  // Labels that are all short numbers and end at a blank or the line's newline, which stops the loops. False,
  // and nothing done, for any other token.
  bool parse_plain_labels() {
    const std::size_t labels_before = piece_.label_ids.size();
    for (const char* at = at_;;) {
      const char* const start = at;
      std::uint32_t number = 0;
      for (unsigned digit = 0; (digit = digit_of(*at)) < 10; ++at) number = number * 10 + digit;
      const auto digits = static_cast<std::size_t>(at - start);
      const bool shortest = digits == 1 || (digits - 2 < LabelTable::most_digits - 1 && *start != '0');
      const bool last = *at == ' ' || *at == '\n';
      if (!shortest || (!last && *at != ',')) break;
      piece_.label_ids.push_back(table_.id(number, {start, digits}));
      if (last) {
        at_ = at;
        return true;
      }
      ++at;
    }
    piece_.label_ids.resize(labels_before);
    return false;
  }

  // The first token, unless it holds a colon: then the row has no labels.
  void parse_labels() {
    if (has_newline_ && parse_plain_labels()) return;
    const char* const token = at_;
    const std::size_t labels_before = piece_.label_ids.size();
    for (bool last = false; !last; ++at_) {
      const char* const start = at_;
      std::uint32_t number = 0;
      for (unsigned digit = 0; at_ < line_end_ && (digit = digit_of(*at_)) < 10; ++at_)
        number = number * 10 + digit;  // may wrap; of use only when short
      const auto digits = static_cast<std::size_t>(at_ - start);
      const bool shortest = digits == 1 || (digits - 2 < LabelTable::most_digits - 1 && *start != '0');
      if (shortest && at_label_end()) {
        piece_.label_ids.push_back(table_.id(number, {start, digits}));
      } else {
        while (!at_label_end() && *at_ != ':') ++at_;
        const bool empty = at_ == start;
        if ((!at_label_end() || empty) && token_from(token).find(':') != std::string_view::npos) {
          piece_.label_ids.resize(labels_before);
          at_ = token;
          return;
        }
        if (empty)
          throw Fault{token, "empty label in " + shown(token_from(token)) + ": remove the stray comma"};
        piece_.label_ids.push_back(table_.id({start, static_cast<std::size_t>(at_ - start)}));
      }
      last = at_token_end();
      if (last) return;
    }
  }

  std::string_view parse_query_id() {
    const std::string_view token = token_from(at_);
    if (!token.starts_with("qid:") || token.size() == 4) bad_pair(token);
    at_ += token.size();
    return token.substr(4);
  }

  // Pairs after single blanks, as nearly all files have them, up to the first that is anything else or wrong;
  // the line's newline stops the loops. Returns the last index, −1 without one.
  std::int64_t parse_plain_pairs(std::size_t& out) {
    std::int64_t previous = -1;
    const char* at = at_;
    for (;; ++at) {
      const char* const start = at;
      std::uint64_t index = 0;
      for (unsigned digit = 0; (digit = digit_of(*at)) < 10; ++at) index = index * 10 + digit;
      const auto number = static_cast<std::int64_t>(index);
      const bool plain = *at == ':' && at != start && at - start < 10 && number > previous &&
                         index >= rules_.min_index && index <= rules_.max_index;
      at_ = start;
      if (!plain) return previous;
      float value = 0;
      const unsigned count = digit_of(*++at);
      if (count < 10 && (at[1] == ' ' || at[1] == '\n')) {
        value = static_cast<float>(count);
        ++at;
      } else {
        const auto [stop, status] = parse_decimal(at, text_end_, value);
        if (status != std::errc() || (*stop != ' ' && *stop != '\n') || std::isinf(value)) return previous;
        at = stop;
      }
      if (previous < 0) piece_.lowest = std::min(piece_.lowest, static_cast<std::uint32_t>(index));
      previous = number;
      piece_.indices[out] = static_cast<std::uint32_t>(index);
      piece_.values[out] = value;
      out += value != 0.0F ? 1 : 0;
      at_ = at;
      if (*at == '\n') return previous;
    }
  }

  void parse_pairs() {
    std::size_t out = piece_.pairs;
    std::int64_t previous = next_token() && has_newline_ ? parse_plain_pairs(out) : -1;
    while (next_token()) {
      const char* const start = at_;
      std::uint64_t index = 0;
      for (unsigned digit = 0; at_ < line_end_ && (digit = digit_of(*at_)) < 10; ++at_) {
        index = index * 10 + digit;  // may wrap; an index of more than ten digits is refused below
      }
      if (at_ == start || at_ == line_end_ || *at_ != ':') bad_pair(token_from(start));
      if (at_ - start > 10 || index < rules_.min_index || index > rules_.max_index) bad_index(start, index);
      if (static_cast<std::int64_t>(index) <= previous) bad_order(start, previous);
      if (previous < 0) piece_.lowest = std::min(piece_.lowest, static_cast<std::uint32_t>(index));
      previous = static_cast<std::int64_t>(index);
      ++at_;
      const float value = parse_value(start);
      if (value != 0.0F) {
        piece_.indices[out] = static_cast<std::uint32_t>(index);
        piece_.values[out++] = value;
      }
    }
    piece_.pairs = out;
    if (previous >= 0) {
      piece_.has_features = true;
      piece_.highest = std::max(piece_.highest, static_cast<std::uint32_t>(previous));
    }
  }

  float parse_value(const char* pair) {
    float value = 0;
    // std::from_chars, which parse_decimal follows, knows no leading '+'; others write it.
    if (line_end_ - at_ > 1 && *at_ == '+' && at_[1] != '-') ++at_;
    const auto [stop, status] = parse_decimal(at_, text_end_, value);
    at_ = stop;
    if (status != std::errc() || !at_token_end()) bad_value(pair);
    if (std::isinf(value)) bad_infinite(pair);
    return value;
  }

  // The causes of a bad pair, off the fast path.
  [[noreturn]] void bad_pair(std::string_view token) const {
    if (token.starts_with('-') && token.find(':') != std::string_view::npos) {
      throw Fault{at_, "negative index in " + shown(token) + ": indices count from 0 or 1"};
    }
    throw Fault{at_, "expected index:value, found " + shown(token)};
  }
  [[noreturn]] void bad_index(const char* start, std::uint64_t index) const {
    const auto digits = static_cast<std::size_t>(at_ - start);
    if (digits > 10 || index > max_sparse_index) {
      throw Fault{at_, fmt::format("index {} is too large: the largest is {}",
                                   shown(std::string_view(start, digits)), max_sparse_index)};
    }
    throw Fault{at_, fmt::format("index {} {}", index,
                                 index < rules_.min_index ? rules_.below_advice : rules_.above_advice)};
  }
  [[noreturn]] void bad_order(const char* start, std::int64_t previous) const {
    const std::string_view token = token_from(start);
    const std::string_view index = token.substr(0, token.find(':'));
    if (index == std::to_string(previous)) {
      throw Fault{at_, fmt::format("index {} occurs twice: each feature once per line", index)};
    }
    throw Fault{at_, fmt::format("index {} follows {}: sort the indices of each line in ascending order",
                                 index, previous)};
  }
  [[noreturn]] void bad_value(const char* start) const {
    const std::string_view token = token_from(start);
    throw Fault{at_, fmt::format("value {} of index {} is not a number",
                                 shown(token.substr(token.find(':') + 1)), token.substr(0, token.find(':')))};
  }
  [[noreturn]] void bad_infinite(const char* start) const {
    const std::string_view token = token_from(start);
    throw Fault{at_,
                fmt::format("value {} of index {} is infinite or too large for a 32-bit float: correct it, "
                            "or write nan if it is missing",
                            shown(token.substr(token.find(':') + 1)), token.substr(0, token.find(':')))};
  }

  Piece& piece_;
  const SparseTextRules& rules_;
  LabelTable table_;
  const char* text_end_;  // numbers end at a line's end by themselves, so they are read up to here
  const char* at_ = nullptr;
  const char* line_end_ = nullptr;
  bool has_newline_ = false;  // line_end_ is one, and can be read
};

}  // namespace

void sort_label_names(std::vector<std::string_view>& names) {
  const auto by_number = [](std::string_view a, std::string_view b) {
    const bool minus = a[0] == '-';
    if (minus != (b[0] == '-')) return minus;
    if (minus) std::swap(a, b);
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  };
  if (std::all_of(names.begin(), names.end(), is_plain_integer)) {
    std::sort(names.begin(), names.end(), by_number);
  } else {
    std::sort(names.begin(), names.end());
  }
}

namespace {

// The distinct names of all pieces in their final order, and each piece's ids renumbered to it.
std::vector<std::string_view> merge_names(std::vector<Piece>& pieces) {
  std::unordered_map<std::string_view, std::uint32_t> ids;
  for (const auto& piece : pieces) {
    for (const auto name : piece.names) ids.try_emplace(name, 0);
  }
  std::vector<std::string_view> names;
  names.reserve(ids.size());
  for (const auto& [name, id] : ids) names.push_back(name);
  sort_label_names(names);
  for (std::size_t k = 0; k < names.size(); ++k) ids[names[k]] = static_cast<std::uint32_t>(k);
  parallel_for(pieces.size(), [&](std::size_t c) {
    Piece& piece = pieces[c];
    std::vector<std::uint32_t> renumbered;
    renumbered.reserve(piece.names.size());
    for (const auto name : piece.names) renumbered.push_back(ids.find(name)->second);
    for (auto& id : piece.label_ids) id = renumbered[id];
  });
  return names;
}

// Joins the pieces' rows. Their pairs are already in the final arrays; only the gaps left by comments, query
// ids and explicit zeros are closed.
void join(std::vector<Piece>& pieces, SparseText& out) {
  std::size_t labels = 0;
  for (const auto& piece : pieces) {
    out.x.rows += piece.pair_offsets.size() - 1;
    labels += piece.label_ids.size();
  }
  if (pieces.size() > 1) out.label_ids.reserve(labels);
  std::uint64_t pairs = 0;
  for (auto& piece : pieces) {
    append_offsets(piece.pair_offsets, out.x.rows, out.x.offsets);
    append_offsets(piece.label_offsets, out.x.rows, out.label_offsets);
    if (pieces.size() == 1) {
      out.label_ids = std::move(piece.label_ids);
    } else {
      out.label_ids.insert(out.label_ids.end(), piece.label_ids.begin(), piece.label_ids.end());
    }
    out.query_ids.insert(out.query_ids.end(), piece.query_ids.begin(), piece.query_ids.end());
    if (out.without_query_id == nullptr) out.without_query_id = piece.without_query_id;
    if (out.x.indices.data() + pairs != piece.indices) {
      std::copy_n(piece.indices, piece.pairs, out.x.indices.data() + pairs);
      std::copy_n(piece.values, piece.pairs, out.x.values.data() + pairs);
    }
    pairs += piece.pairs;
    out.has_features = out.has_features || piece.has_features;
    out.lowest = std::min(out.lowest, piece.lowest);
    out.highest = std::max(out.highest, piece.highest);
    piece = {};
  }
  out.x.indices.resize(pairs);
  out.x.values.resize(pairs);
}

}  // namespace

bool is_plain_integer(std::string_view token) {
  const std::string_view digits = token.substr(token.starts_with('-') ? 1 : 0);
  if (digits.empty() || (digits[0] == '0' && token.size() > 1)) return false;
  return std::all_of(digits.begin(), digits.end(), [](char c) { return digit_of(c) < 10; });
}

SparseText parse_sparse_text(const FileContent& content, std::string_view text,
                             const SparseTextRules& rules) {
  std::vector<Piece> pieces;
  for (const auto part : cut_at_lines(text, rules.target_bytes)) pieces.emplace_back().text = part;
  parallel_for(pieces.size(), [&](std::size_t k) { pieces[k].capacity = count_byte(pieces[k].text, ':'); });
  std::size_t capacity = 0;
  for (const auto& piece : pieces) capacity += piece.capacity;

  SparseText out;
  out.x.indices.resize(capacity);
  out.x.values.resize(capacity);
  std::size_t offset = 0;
  for (auto& piece : pieces) {
    piece.indices = out.x.indices.data() + offset;
    piece.values = out.x.values.data() + offset;
    offset += piece.capacity;
  }
  parse_pieces(content, pieces.size(), [&](std::size_t k) { PieceParser(pieces[k], rules).run(); });
  out.names = merge_names(pieces);
  join(pieces, out);
  return out;
}

void refuse_unplaced_labels(const FileContent& content, const SparseText& text,
                            const std::vector<std::uint32_t>& column,
                            const std::function<std::string(std::string_view)>& message) {
  std::string_view first_bad;
  for (std::size_t id = 0; id < column.size(); ++id) {
    if (column[id] != no_label) continue;
    if (first_bad.empty() || text.names[id].data() < first_bad.data()) first_bad = text.names[id];
  }
  if (!first_bad.empty()) throw_fault(content, {std::to_address(first_bad.begin()), message(first_bad)});
}

LabelMatrix take_labels(SparseText& text, const std::vector<std::uint32_t>& column, std::size_t cols) {
  LabelMatrix y;
  y.rows = text.x.rows;
  y.cols = cols;
  y.offsets = std::move(text.label_offsets);
  y.indices = std::move(text.label_ids);
  std::uint32_t* const first = y.indices.data();
  std::uint32_t* out = first;
  std::uint64_t k = 0;
  for (std::size_t i = 0; i < y.rows; ++i) {
    std::uint32_t* const row = out;
    bool ascending = true;  // as in most files
    for (; k < y.offsets[i + 1]; ++k) {
      const std::uint32_t j = column[first[k]];
      if (j == no_label) continue;
      ascending = ascending && (out == row || out[-1] < j);
      *out++ = j;
    }
    if (!ascending) {
      std::sort(row, out);
      out = std::unique(row, out);
    }
    y.offsets[i + 1] = static_cast<std::uint64_t>(out - first);
  }
  y.indices.resize(static_cast<std::size_t>(out - first));
  return y;
}

void take_labels_for_model(const FileContent& content, SparseText& text, const LoadOptions& options,
                           Dataset& data) {
  data.label_names = labels_for_model(text.names, options);
  const std::vector<std::uint32_t> column = label_columns(text.names, data.label_names);
  if (refuses_unseen(options)) refuse_unplaced_labels(content, text, column, unknown_label_message);
  data.y = take_labels(text, column, data.label_names.size());
}

}  // namespace mmo
