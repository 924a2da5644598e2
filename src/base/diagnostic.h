// Errors as plain data: where, what was found, what is allowed; collected, so that all are reported at once.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace percuss {

/// A place in what the user wrote: a file, an option or an expression. Line and column count from 1; 0 is
/// "unknown".
struct Where {
  std::string source;
  int line = 0, column = 0;
  bool operator==(const Where&) const = default;
};

struct Diagnostic {
  Where at;
  std::string text;
  bool operator==(const Diagnostic&) const = default;
};

/// `source:line:column: error: text`, with the parts that are known.
std::string one_line(const Diagnostic& diagnostic);

/// Either a value or the reasons why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}                          // NOLINT: a value is a result
  Result(std::vector<Diagnostic> errors) : content_(std::move(errors)) {}  // NOLINT: so are the errors
  Result(Diagnostic error) : content_(std::vector{std::move(error)}) {}    // NOLINT: so is one of them

  explicit operator bool() const { return content_.index() == 0; }
  const T& operator*() const { return std::get<0>(content_); }
  T& operator*() { return std::get<0>(content_); }
  const T* operator->() const { return &std::get<0>(content_); }
  T* operator->() { return &std::get<0>(content_); }
  const std::vector<Diagnostic>& errors() const { return std::get<1>(content_); }

 private:
  std::variant<T, std::vector<Diagnostic>> content_;
};

}  // namespace percuss
