// Errors as plain data: where, what was found, what is allowed; collected, so that all are reported at once.
#pragma once

#include <exception>
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
  std::string instance{};  // of what stands in a file once and in a scene often: "link{i}, i = 7"
  bool operator==(const Where&) const = default;
};

struct Diagnostic {
  /// For those who decide by it; the text is for people.
  enum class Kind {
    input,         // what the user gave is wrong
    dimension,     // a number in a unit of another dimension
    not_written,   // the disk did not take it
    not_computed,  // the input is in order, and still there is no result
    not_available  // there is no such way; the caller takes another
  };
  Where at;
  std::string text;
  Kind kind = Kind::input;
  bool operator==(const Diagnostic&) const = default;
};

/// `source:line:column: error: text`, with the parts that are known.
std::string one_line(const Diagnostic& diagnostic);

/// Each once, in the order of the first. Of the instances of one place the first is told, and how many more there
/// are.
std::vector<Diagnostic> distinct(const std::vector<Diagnostic>& diagnostics);

/// What an exception of a library means, in words of ours.
std::string words_of(const std::exception& thrown);

/// A remark on what was computed. Of one kind and one subject it is said once, whatever its numbers.
struct Warning {
  std::string kind;     // a word of ours: "overlap-at-start"
  std::string subject;  // the name of what it is about: a contact; or nothing
  std::string text;
};

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
