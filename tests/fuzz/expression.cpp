// Any text is either an expression that can be evaluated on every scalar, or an error with a column.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "percuss/expression/parse.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace percuss;
  constexpr std::string_view kNames[] = {"x", "y"};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto program = expression::parse(text, kNames);
  if (!program) {
    if (program.errors().front().at.column < 1 || program.errors().front().text.empty()) std::abort();
    return 0;
  }
  const std::array<double, 2> v{0.3, -1.7};
  const double value = program->evaluate(std::span<const double>(v));
  const auto d = expression::differentiate(*program, v, 0);
  if (value == value && d.value != value) std::abort();  // the same number on another scalar
  const double bound = program->with(0, 0.3).evaluate(std::span<const double>(v));
  if ((bound == bound) != (value == value)) std::abort();
  return 0;
}
