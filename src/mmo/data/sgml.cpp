#include "mmo/data/sgml.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "mmo/core/error.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/pieces.h"

namespace mmo {
namespace {

constexpr std::string_view spaces = " \t\r\n";

// A fault at the beginning of `text`.
Fault fault(std::string_view text, std::string message) {
  const char* const where = text.data();
  return {where, std::move(message)};
}

bool is_control(std::uint32_t code) {
  return (code < 0x20 && code != '\n' && code != '\t' && code != '\r') || (code >= 0x7F && code < 0xA0);
}

// Code points up to U+00FF: all that Latin-1 has.
void append_latin1(std::uint32_t code, std::string& out) {
  if (is_control(code)) {
    out.push_back(' ');
  } else if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else {
    out.push_back(static_cast<char>(0xC0U | (code >> 6U)));
    out.push_back(static_cast<char>(0x80U | (code & 0x3FU)));
  }
}

// The character that `name` (what stands between & and ;) means; nothing if it is not an entity.
std::optional<std::uint32_t> entity(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, char>, 5> named{
      {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}}};
  for (const auto& [known, character] : named) {
    if (name == known) return static_cast<std::uint32_t>(character);
  }
  if (!name.starts_with('#')) return std::nullopt;
  name.remove_prefix(1);
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), code);
  if (error != std::errc() || end != name.data() + name.size() || code > 0xFF) return std::nullopt;
  return code;
}

std::string_view skip_spaces(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  return text;
}

// The text between <name …> and </name>; nothing without such an element. Throws Fault if it is not closed.
std::optional<std::string_view> find_element(std::string_view article, std::string_view name) {
  const std::string open = fmt::format("<{}", name);
  const std::string close = fmt::format("</{}>", name);
  const std::size_t begin = article.find(open);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t content = article.find('>', begin);
  const std::size_t end = article.find(close, begin);
  if (content == std::string_view::npos || end == std::string_view::npos || content > end) {
    throw fault(article.substr(begin),
                fmt::format("{} without {} in the same article; the file is damaged", open, close));
  }
  return article.substr(content + 1, end - content - 1);
}

std::string_view element(std::string_view article, std::string_view name) {
  const auto found = find_element(article, name);
  if (!found) throw fault(article, fmt::format("the article has no <{}>; the file is damaged", name));
  return *found;
}

// The value in name="value".
std::string_view attribute(std::string_view tag, std::string_view name) {
  const std::string start = fmt::format(" {}=\"", name);
  const std::size_t at = tag.find(start);
  const std::size_t begin = at + start.size();
  const std::size_t end = at == std::string_view::npos ? at : tag.find('"', begin);
  if (end == std::string_view::npos) {
    throw fault(tag, fmt::format("<REUTERS> lacks the attribute {}=\"…\"; the file is damaged", name));
  }
  return tag.substr(begin, end - begin);
}

std::vector<std::string> parse_topics(std::string_view list) {
  constexpr std::string_view open = "<D>";
  constexpr std::string_view close = "</D>";
  std::vector<std::string> topics;
  for (list = skip_spaces(list); !list.empty(); list = skip_spaces(list)) {
    const std::size_t end = list.starts_with(open) ? list.find(close) : std::string_view::npos;
    if (end == std::string_view::npos) {
      throw fault(list, fmt::format("expected <D>topic</D> in <TOPICS>, found {}", shown(list)));
    }
    topics.push_back(decode_sgml(list.substr(open.size(), end - open.size())));
    if (topics.back().empty()) throw fault(list, "a topic without a name; remove <D></D>");
    list.remove_prefix(end + close.size());
  }
  return topics;
}

std::string without_tags(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t tag = std::min(text.find('<'), text.size());
    out.append(text.substr(0, tag));
    const std::size_t end = text.find('>', tag);
    if (tag < text.size()) out.push_back('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

// Title and body; articles of the types BRIEF and UNPROC have no body, they are all of their text.
std::string parse_text(std::string_view article) {
  const std::string_view text = element(article, "TEXT");
  const auto body = find_element(text, "BODY");
  if (!body) return decode_sgml(without_tags(text));
  return decode_sgml(fmt::format("{}\n{}", find_element(text, "TITLE").value_or(""), *body));
}

}  // namespace

std::string decode_sgml(std::string_view text) {
  constexpr std::size_t longest_entity = 6;
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '&') {
      const std::string_view name = text.substr(i + 1, longest_entity + 1);
      const std::size_t length = name.find(';');
      const auto code = length == std::string_view::npos ? std::nullopt : entity(name.substr(0, length));
      if (code) {
        append_latin1(*code, out);
        i += length + 1;
        continue;
      }
    }
    append_latin1(static_cast<unsigned char>(text[i]), out);
  }
  const std::size_t begin = std::min(out.find_first_not_of(spaces), out.size());
  out.erase(out.find_last_not_of(spaces) + 1);
  out.erase(0, begin);
  return out;
}

std::vector<ReutersArticle> parse_reuters(const FileContent& content) {
  constexpr std::string_view doctype = "<!DOCTYPE";
  constexpr std::string_view open = "<REUTERS";
  constexpr std::string_view close = "</REUTERS>";
  std::vector<ReutersArticle> articles;
  try {
    std::string_view rest = skip_spaces(content.bytes());
    if (rest.starts_with(doctype)) rest.remove_prefix(std::min(rest.find('>'), rest.size() - 1) + 1);
    rest = skip_spaces(rest);
    if (rest.empty()) throw fault(content.bytes(), "no <REUTERS> article; is this Reuters-21578 SGML?");
    for (; !rest.empty(); rest = skip_spaces(rest)) {
      if (!rest.starts_with(open)) {
        throw fault(rest,
                    fmt::format("expected <REUTERS …>, found {}", shown(rest.substr(0, rest.find('\n')))));
      }
      const std::size_t end = rest.find(close);
      if (end == std::string_view::npos || rest.find(open, open.size()) < end) {
        throw fault(rest, "<REUTERS> without </REUTERS>; the file is truncated or damaged");
      }
      const std::string_view article = rest.substr(0, end);
      const std::string_view tag = article.substr(0, article.find('>'));
      const std::string_view split = attribute(tag, "LEWISSPLIT");
      const bool has_topics = attribute(tag, "TOPICS") == "YES";
      if (has_topics && (split == "TRAIN" || split == "TEST")) {
        articles.push_back({split == "TRAIN", parse_topics(element(article.substr(tag.size()), "TOPICS")),
                            parse_text(article)});
      }
      rest.remove_prefix(end + close.size());
    }
  } catch (const Fault& fault) {
    throw_fault(content, fault);
  }
  return articles;
}

}  // namespace mmo
