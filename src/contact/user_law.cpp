// Parsing of user laws, and the search for poles.
#include "percuss/contact/user_law.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "percuss/base/units.h"
#include "percuss/base/words.h"
#include "percuss/expression/parse.h"

namespace percuss::contact {

Result<UserLaw> make_user_law(std::string name, std::string force_text,
                              const std::vector<std::pair<std::string, double>>& constants, Release release) {
  std::vector<std::string_view> variables(std::begin(kUserVariables), std::end(kUserVariables));
  std::vector<Diagnostic> errors;
  for (const auto& [constant, value] : constants) {
    const bool taken = std::ranges::find(variables, constant) != variables.end();
    if (taken || !expression::is_free_name(constant))
      errors.push_back(
          {{"constants"}, in_quotes(constant) + " cannot name a constant" + (taken ? ": it is taken" : "")});
    variables.push_back(constant);
  }
  if (!errors.empty()) return errors;
  Result<expression::Program> parsed = expression::parse(force_text, variables);
  if (!parsed) return Diagnostic{{"force", 0, parsed.errors().front().at.column}, parsed.errors().front().text};
  expression::Program force = *parsed;
  int slot = static_cast<int>(std::size(kUserVariables));
  for (const auto& [constant, value] : constants) force = force.with(slot++, value);
  return UserLaw{std::move(name), "", std::move(force_text), std::move(force), release};
}

namespace {

/// Remembers the sign of every divisor; a divisor that changes sign between two neighbouring points has a pole
/// between.
struct DivisorSigns {
  std::map<std::size_t, double>* values;
  void operator()(std::size_t instruction, double operand) const { (*values)[instruction] = operand; }
};

std::string place(double delta, double ddelta) {
  return "at delta = " + text_of(delta, 6) + " m, ddelta = " + text_of(ddelta, 6) + " m/s";
}

}  // namespace

std::string find_pole(const Custom<>& law, double depth_m, double speed_mps) {
  constexpr int kDepths = 400, kRates = 9;
  for (int j = 0; j < kRates; ++j) {
    const double rate = speed_mps * (2.0 * j / (kRates - 1) - 1);
    std::map<std::size_t, double> before, now;
    for (int i = 0; i <= kDepths; ++i) {
      const double depth = depth_m * i / kDepths;
      const std::array<double, 2> slots{depth, rate};
      now.clear();
      const double force = law.force->evaluate(std::span<const double>(slots), DivisorSigns{&now});
      if (!std::isfinite(force)) return "the force is not finite " + place(depth, rate);
      for (const auto& [instruction, operand] : now)
        if (const auto last = before.find(instruction); last != before.end() && last->second * operand < 0)
          return "the force has a pole, or leaves the domain of log or ^, near " + place(depth, rate).substr(3);
      std::swap(before, now);
    }
  }
  return "";
}

}  // namespace percuss::contact
