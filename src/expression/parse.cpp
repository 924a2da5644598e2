// Recursive descent straight into the flat program.
#include "percuss/expression/parse.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "percuss/base/words.h"

namespace percuss::expression {

namespace {

struct FunctionRow {
  std::string_view name;
  Op op;
};
constexpr FunctionRow kFunctions[] = {
    {"sqrt", Op::sqrt}, {"cbrt", Op::cbrt},   {"exp", Op::exp},     {"expm1", Op::expm1}, {"log", Op::log},
    {"ln", Op::log},    {"log10", Op::log10}, {"log1p", Op::log1p}, {"sin", Op::sin},     {"cos", Op::cos},
    {"tan", Op::tan},   {"asin", Op::asin},   {"acos", Op::acos},   {"atan", Op::atan},   {"atan2", Op::atan2},
    {"sinh", Op::sinh}, {"cosh", Op::cosh},   {"tanh", Op::tanh},   {"abs", Op::abs},     {"floor", Op::floor},
    {"sign", Op::sign}, {"hypot", Op::hypot}, {"mod", Op::mod},     {"pow", Op::power},   {"if", Op::choose},
    {"min", Op::min},   {"max", Op::max},     {"step", Op::step},   {"table", Op::table}, {"spline", Op::table},
};

struct ConstantRow {
  std::string_view name;
  double value;
};
constexpr ConstantRow kConstants[] = {{"pi", std::numbers::pi},
                                      {"tau", 2 * std::numbers::pi},
                                      {"e", std::numbers::e},
                                      {"deg", std::numbers::pi / 180}};

constexpr std::string_view kWords[] = {"and", "or", "not"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Thrown inside this file only, to leave the recursion with the first error.
struct Failure {
  std::size_t at;
  std::string text;
};

class Parser {
 public:
  Parser(std::string_view text, std::span<const std::string_view> variables) : text_(text), variables_(variables) {}

  Program parse_all() {
    if (text_.size() > kMaxLength)
      throw Failure{kMaxLength, "an expression has at most " + std::to_string(kMaxLength) + " characters"};
    skip_blanks();
    if (at_end()) throw Failure{0, "the expression is empty"};
    disjunction();
    if (!at_end()) throw Failure{at_, "unexpected " + here() + "; expected an operator or the end"};
    if (program_.stack_needed() > static_cast<int>(kMaxStack))
      throw Failure{0, "the expression is nested too deeply"};
    return std::move(program_);
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void skip_blanks() {
    while (!at_end() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')) ++at_;
  }
  std::string here() const {
    if (at_end()) return "end of the expression";
    const auto byte = static_cast<unsigned char>(peek());
    if (byte < 0x20 || byte >= 0x7f) return "character";
    return std::string("\"") + peek() + "\"";
  }

  bool take(std::string_view symbol) {
    if (!text_.substr(at_).starts_with(symbol)) return false;
    if (is_letter(symbol.front())) {  // a word ends where its letters end
      const char next = peek(symbol.size());
      if (is_letter(next) || is_digit(next) || next == '.') return false;
    }
    at_ += symbol.size();
    skip_blanks();
    return true;
  }
  void want(std::string_view symbol) {
    if (!take(symbol)) throw Failure{at_, "expected \"" + std::string(symbol) + "\", found " + here()};
  }

  struct Nesting {
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (++parser_.nesting_ > kMaxNesting) throw Failure{parser_.at_, "the expression is nested too deeply"};
    }
    ~Nesting() { --parser_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    Parser& parser_;
  };

  void emit(Op op, int index = 0) { program_.append({op, index, 0}); }

  void disjunction() {
    const Nesting nesting(*this);
    conjunction();
    while (take("||") || take("or")) {
      program_.append_truth();
      conjunction();
      program_.append_truth();
      emit(Op::logical_or);
    }
  }
  void conjunction() {
    comparison();
    while (take("&&") || take("and")) {
      program_.append_truth();
      comparison();
      program_.append_truth();
      emit(Op::logical_and);
    }
  }
  void comparison() {
    sum();
    constexpr std::pair<std::string_view, Op> kComparisons[] = {{"<=", Op::less_equal}, {">=", Op::greater_equal},
                                                                {"==", Op::equal},      {"!=", Op::not_equal},
                                                                {"<", Op::less},        {">", Op::greater}};
    for (const auto& [symbol, op] : kComparisons) {
      if (!take(symbol)) continue;
      sum();
      emit(op);
      return;
    }
  }
  void sum() {
    product();
    for (;;) {
      if (take("+")) {
        product();
        emit(Op::add);
      } else if (take("-")) {
        product();
        emit(Op::subtract);
      } else {
        return;
      }
    }
  }
  void product() {
    sign();
    for (;;) {
      if (take("*")) {
        sign();
        emit(Op::multiply);
      } else if (take("/")) {
        sign();
        emit(Op::divide);
      } else {
        return;
      }
    }
  }
  void sign() {
    const Nesting nesting(*this);
    if (take("-")) {
      sign();
      emit(Op::negate);
    } else if (take("+")) {
      sign();
    } else if ((peek() == '!' && peek(1) != '=' && take("!")) || take("not")) {
      sign();
      program_.append_truth();
      emit(Op::logical_not);
    } else {
      power();
    }
  }
  void power() {
    primary();
    if (take("^")) {
      sign();
      emit(Op::power);
    }
  }
  void primary() {
    if (take("(")) {
      disjunction();
      want(")");
    } else if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) {
      program_.append({Op::constant, 0, number()});
    } else if (is_letter(peek())) {
      name();
    } else {
      throw Failure{at_, "expected a number, a name or \"(\", found " + here()};
    }
  }

  double number() {
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc{} || !std::isfinite(value)) throw Failure{at_, "this number is out of range"};
    const auto length = static_cast<std::size_t>(end - begin);
    if (is_letter(peek(length)) || peek(length) == '.') throw Failure{at_, "this number is malformed"};
    at_ += length;
    skip_blanks();
    return value;
  }

  void name() {
    const std::size_t begin = at_;
    std::size_t end = at_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]) || text_[end] == '.')) ++end;
    const std::string_view word = text_.substr(begin, end - begin);
    at_ = end;
    skip_blanks();
    if (const auto variable = std::ranges::find(variables_, word); variable != variables_.end()) {
      emit(Op::variable, static_cast<int>(variable - variables_.begin()));
    } else if (const auto row = std::ranges::find(kFunctions, word, &FunctionRow::name);
               row != std::end(kFunctions)) {
      call(*row, begin);
    } else if (const auto c = std::ranges::find(kConstants, word, &ConstantRow::name); c != std::end(kConstants)) {
      program_.append({Op::constant, 0, c->value});
    } else {
      std::vector<std::string_view> known(variables_.begin(), variables_.end());
      for (const FunctionRow& f : kFunctions) known.push_back(f.name);
      for (const ConstantRow& k : kConstants) known.push_back(k.name);
      std::string text = "unknown name \"" + std::string(word.substr(0, 60)) + "\"";
      const std::string hint = word.size() <= 60 ? did_you_mean(word, known) : "";
      throw Failure{begin, text + (hint.empty() ? "; known here: " + joined_briefly(variables_) : hint)};
    }
  }

  void call(const FunctionRow& function, std::size_t begin) {
    if (peek() != '(') throw Failure{at_, "expected \"(\" after the function " + std::string(function.name)};
    if (function.op == Op::table) {
      table(function.name == "spline", begin);
      return;
    }
    take("(");
    int count = 0;
    const bool any_number = function.op == Op::min || function.op == Op::max;
    do {
      disjunction();
      if (count == 0 && function.op == Op::choose) program_.append_truth();
      if (++count > 1 && any_number) emit(function.op);
    } while (take(","));
    want(")");
    const int wanted = operands(function.op);
    if (any_number ? count < 1 : count != wanted)
      throw Failure{begin, std::string(function.name) + " takes " +
                               (any_number ? "at least 1" : std::to_string(wanted)) +
                               (wanted == 1 ? " argument" : " arguments") + ", found " + std::to_string(count)};
    if (!any_number) emit(function.op);
  }

  /// The knots of a table are constants: each is parsed as an expression of no variables.
  void table(bool smooth, std::size_t begin) {
    take("(");
    disjunction();
    std::vector<double> x, y;
    while (take(",")) {
      x.push_back(constant());
      want(",");
      y.push_back(constant());
      if (x.size() > 1 && !(x[x.size() - 2] < x.back())) throw Failure{at_, "the x of a table must rise"};
    }
    want(")");
    if (x.size() < 2) throw Failure{begin, "a table needs at least two points: table(x, x1, y1, x2, y2)"};
    emit(Op::table, program_.add_table(smooth ? spline_table(std::move(x), y) : linear_table(std::move(x), y)));
  }
  double constant() {
    const std::size_t begin = at_;
    Program outer = std::move(program_);
    program_ = Program{};
    disjunction();
    const Program inner = std::move(program_);
    program_ = std::move(outer);
    if (!inner.is_constant()) throw Failure{begin, "the points of a table must be constant"};
    const double value = inner.evaluate(std::span<const double>{});
    if (!std::isfinite(value)) throw Failure{begin, "the points of a table must be finite"};
    return value;
  }

  std::string_view text_;
  std::span<const std::string_view> variables_;
  std::size_t at_ = 0;
  int nesting_ = 0;
  Program program_;
};

template <class Rows>
std::vector<std::string_view> names_of(const Rows& rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  return names;
}

}  // namespace

Result<Program> parse(std::string_view text, std::span<const std::string_view> variables) {
  try {
    return Parser(text, variables).parse_all();
  } catch (const Failure& failure) {
    return Diagnostic{{"", 0, static_cast<int>(failure.at) + 1}, failure.text};
  }
}

std::span<const std::string_view> function_names() {
  static const std::vector<std::string_view> names = names_of(kFunctions);
  return names;
}

std::span<const std::string_view> constant_names() {
  static const std::vector<std::string_view> names = names_of(kConstants);
  return names;
}

bool is_free_name(std::string_view name) {
  if (name.empty() || !is_letter(name.front()) || name.back() == '.') return false;
  const auto fits = [](char c) { return is_letter(c) || is_digit(c) || c == '.'; };
  return std::ranges::all_of(name, fits) && std::ranges::find(kWords, name) == std::end(kWords) &&
         std::ranges::find(function_names(), name) == function_names().end() &&
         std::ranges::find(constant_names(), name) == constant_names().end();
}

}  // namespace percuss::expression
