#include "mmo/metric/ratio_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string>

#include "mmo/core/error.h"

namespace mmo {
namespace {

CountWeights scaled(const CountWeights& w, double factor) {
  return {.tp = factor * w.tp, .fp = factor * w.fp, .fn = factor * w.fn, .tn = factor * w.tn};
}

CountWeights sum_of(const CountWeights& a, const CountWeights& b) {
  return {.tp = a.tp + b.tp, .fp = a.fp + b.fp, .fn = a.fn + b.fn, .tn = a.tn + b.tn};
}

// What a part of the expression means.
struct Value {
  enum class Kind { number, counts, ratio } kind = Kind::number;
  double number = 0;
  CountWeights counts;  // of a ratio: the numerator
  CountWeights denominator;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  CountRatio parse() {
    const Value value = sum();
    if (!at_end()) fail(fmt::format("unexpected '{}'", text_[position_]));
    if (value.kind != Value::Kind::ratio) {
      fail("not a ratio; divide by a sum of counts, e.g. (TP+TN)/(TP+FP+FN+TN)");
    }
    return {.numerator = value.counts, .denominator = value.denominator};
  }

 private:
  Value sum() {
    const Nesting nesting(*this);
    Value total = product();
    while (peek() == '+' || peek() == '-') {
      const bool minus = text_[position_++] == '-';
      Value term = product();
      if (minus) term = multiply(term, number(-1));
      total = add(total, term);
    }
    return total;
  }

  Value product() {
    Value result = factor();
    while (peek() == '*' || peek() == '/') {
      const bool division = text_[position_++] == '/';
      const Value next = factor();
      result = division ? divide(result, next) : multiply(result, next);
    }
    return result;
  }

  Value factor() {
    double sign = 1;
    while (peek() == '+' || peek() == '-') sign *= text_[position_++] == '-' ? -1 : 1;
    Value result = multiply(number(sign), atom());
    while (starts_atom(peek())) result = multiply(result, atom());
    return result;
  }

  Value atom() {
    const char c = peek();
    if (c == '(') {
      ++position_;
      const Value inner = sum();
      if (peek() != ')') fail("a closing ')' is missing");
      ++position_;
      return inner;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') return literal();
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) return count();
    if (at_end()) fail("the expression ends where a number, TP, FP, FN, TN or '(' should follow");
    fail(fmt::format("'{}' where a number, TP, FP, FN, TN or '(' should be", c));
  }

  Value literal() {
    double parsed = 0;
    // Only digits, a point and an exponent with digits: "2e" followed by anything else stays an error.
    const auto [end, error] = std::from_chars(text_.data() + position_, text_.data() + text_.size(), parsed);
    if (error != std::errc() || !std::isfinite(parsed)) fail("not a number");
    position_ = static_cast<std::size_t>(end - text_.data());
    return number(parsed);
  }

  Value count() {
    const std::size_t begin = position_;
    while (!at_end() && std::isalpha(static_cast<unsigned char>(text_[position_])) != 0) ++position_;
    std::string name(text_.substr(begin, position_ - begin));
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
    Value value{.kind = Value::Kind::counts, .number = 0, .counts = {}, .denominator = {}};
    if (name == "TP") {
      value.counts.tp = 1;
    } else if (name == "FP") {
      value.counts.fp = 1;
    } else if (name == "FN") {
      value.counts.fn = 1;
    } else if (name == "TN") {
      value.counts.tn = 1;
    } else {
      position_ = begin;
      fail(fmt::format("unknown count '{}'; the counts are TP, FP, FN, TN", name));
    }
    return value;
  }

  static Value number(double value) {
    return {.kind = Value::Kind::number, .number = value, .counts = {}, .denominator = {}};
  }

  Value add(const Value& a, const Value& b) const {
    using Kind = Value::Kind;
    if (a.kind == Kind::number && b.kind == Kind::number) return number(a.number + b.number);
    if (a.kind == Kind::number && b.kind == Kind::ratio) return add(b, a);
    Value result = a;
    if (a.kind == b.kind && a.denominator == b.denominator) {
      result.counts = sum_of(a.counts, b.counts);
    } else if (a.kind == Kind::ratio && b.kind == Kind::number) {
      result.counts = sum_of(a.counts, scaled(a.denominator, b.number));  // n/d + c = (n + c·d)/d
    } else if (a.kind == Kind::ratio && b.kind == Kind::ratio) {
      fail("a sum of two ratios with different denominators is not one ratio of linear combinations");
    } else if (a.kind == Kind::ratio || b.kind == Kind::ratio) {
      fail("a count can't be added to a ratio; put parentheses around the denominator");
    } else {
      fail(
          "a number can't be added to a count: counts grow with the data, the number would not; multiply it "
          "by "
          "counts, e.g. by (TP+FP+FN+TN)");
    }
    return result;
  }

  Value multiply(const Value& a, const Value& b) const {
    if (a.kind != Value::Kind::number && b.kind != Value::Kind::number) {
      fail("a product of counts is not linear in them");
    }
    const double factor = a.kind == Value::Kind::number ? a.number : b.number;
    Value result = a.kind == Value::Kind::number ? b : a;
    if (result.kind == Value::Kind::number) return number(a.number * b.number);
    result.counts = scaled(result.counts, factor);
    return result;
  }

  Value divide(const Value& a, const Value& b) const {
    using Kind = Value::Kind;
    if (b.kind == Kind::number) {
      if (b.number == 0) fail("division by 0");
      return multiply(a, number(1 / b.number));
    }
    if (b.kind == Kind::ratio || a.kind == Kind::ratio) {
      fail("only one division by counts is possible: the metric is a ratio of two linear combinations");
    }
    if (a.kind == Kind::number) {
      fail("a number divided by counts shrinks as the data grow; write counts in the numerator");
    }
    return {.kind = Kind::ratio, .number = 0, .counts = a.counts, .denominator = b.counts};
  }

  // Parentheses nest by recursion; a limit keeps a hostile text from exhausting the stack.
  struct Nesting {
    explicit Nesting(Parser& p) : parser(p) {
      constexpr int limit = 200;
      if (++parser.depth_ > limit) parser.fail("parentheses are nested too deeply");
    }
    ~Nesting() { --parser.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    Parser& parser;
  };

  [[nodiscard]] bool at_end() const { return position_ >= text_.size(); }
  static bool starts_atom(char c) {
    return c == '(' || c == '.' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  }
  char peek() {
    while (!at_end() && std::isspace(static_cast<unsigned char>(text_[position_])) != 0) ++position_;
    return at_end() ? '\0' : text_[position_];
  }
  [[noreturn]] void fail(const std::string& reason) const {
    throw UsageError(fmt::format("metric {}: column {}: {}", text_, position_ + 1, reason));
  }

  std::string_view text_;
  std::size_t position_ = 0;
  int depth_ = 0;
};

}  // namespace

CountRatio parse_ratio(std::string_view text) { return Parser(text).parse(); }

}  // namespace mmo
