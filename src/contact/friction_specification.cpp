// The checks between a request and a friction law.
#include "percuss/contact/friction_specification.h"

#include <algorithm>
#include <cmath>

#include "percuss/base/words.h"

namespace percuss::contact {

namespace {

class FrictionSpecifier {
 public:
  explicit FrictionSpecifier(const FrictionRequest& request) : request_(request) {}

  Result<FrictionLaw> run() {
    const FrictionRow* row = request_.law.empty() ? &default_friction() : find_friction(request_.law);
    if (!row) {
      std::vector<std::string_view> words;
      for (const FrictionRow& r : friction_rows()) words.push_back(r.key);
      fail("law", "unknown friction law " + in_quotes(request_.law) + did_you_mean(request_.law, words));
      return errors_;
    }
    check_range("coefficient", request_.coefficient);
    check_range("static_coefficient", request_.static_coefficient);
    take_resistance();
    if (request_.coefficient)
      take_sliding(*row);
    else if (says_sliding())
      fail("coefficient", "the key \"coefficient\" is missing");
    if (!errors_.empty()) return errors_;
    return law_;
  }

 private:
  void fail(std::string word, std::string text) { errors_.push_back({{std::move(word)}, std::move(text)}); }

  void check_range(const char* word, const std::optional<double>& value) {
    if (value && !(*value >= 0 && std::isfinite(*value)))
      fail(word, std::string(word) + ": " + text_of(*value) + " must be at least 0");
  }

  /// Anything but resistance against rolling and spinning?
  bool says_sliding() const {
    return (!request_.rolling && !request_.spinning) || request_.static_coefficient ||
           !request_.parameters.empty() || !request_.law.empty();
  }

  void take_resistance() {
    check_range("rolling", request_.rolling);
    check_range("spinning", request_.spinning);
    law_.radius_m = std::isfinite(request_.radius_m) ? request_.radius_m : 0;
    law_.rolling_m = request_.rolling.value_or(0) * law_.radius_m;
    law_.spinning_m = request_.spinning.value_or(0) * law_.radius_m;
    if ((request_.rolling || request_.spinning) && !(law_.radius_m > 0))
      fail(request_.rolling ? "rolling" : "spinning",
           "resistance against rolling and spinning needs a contact with a radius");
  }

  void take_sliding(const FrictionRow& row) {
    law_.row = &row;
    law_.coefficient = *request_.coefficient;
    law_.static_coefficient = request_.static_coefficient.value_or(law_.coefficient);
    if (request_.static_coefficient && !row.uses_static)
      fail("static_coefficient", std::string(row.key) + " has one coefficient for rest and sliding");
    if (law_.static_coefficient < law_.coefficient)
      fail("static_coefficient", "the coefficient of rest is below that of sliding");
    const std::size_t before = errors_.size();
    take_parameters(row);
    if (errors_.size() == before && row.contradiction)
      if (const std::string_view why = row.contradiction(law_); !why.empty()) fail("parameters", std::string(why));
  }

  void take_parameters(const FrictionRow& row) {
    std::vector<std::string_view> names;
    for (std::size_t k = 0; k < row.parameters.size(); ++k) {
      const FrictionParameter& p = row.parameters[k];
      if (p.name.empty()) continue;
      names.push_back(p.name);
      if (const auto value = value_of(row, p)) law_.parameter[k] = *value;
    }
    for (std::size_t i = 0; i < request_.parameters.size(); ++i) {
      const std::string& name = request_.parameters[i].first;
      if (std::ranges::find(names, name) == names.end())
        fail("parameters." + name,
             std::string(row.key) + " has no parameter " + in_quotes(name) + did_you_mean(name, names));
      for (std::size_t k = 0; k < i; ++k)
        if (request_.parameters[k].first == name) fail("parameters." + name, in_quotes(name) + " is given twice");
    }
  }

  /// As given, by the row, or from the materials.
  std::optional<double> value_of(const FrictionRow& row, const FrictionParameter& p) {
    for (const auto& [name, value] : request_.parameters) {
      if (name != p.name) continue;
      const bool may_be_zero = p.otherwise && *p.otherwise == 0;
      if (std::isfinite(value) && (value > 0 || (value == 0 && may_be_zero))) return value;
      fail("parameters." + name, name + " must be " + (may_be_zero ? "at least 0" : "above 0"));
      return std::nullopt;
    }
    if (p.otherwise) return p.otherwise;
    if (p.from_materials && request_.materials) return p.from_materials(*request_.materials);
    fail("parameters",
         std::string(row.key) + " needs the parameter " + in_quotes(p.name) + ": " + std::string(p.meaning));
    return std::nullopt;
  }

  const FrictionRequest& request_;
  FrictionLaw law_;
  std::vector<Diagnostic> errors_;
};

}  // namespace

Result<FrictionLaw> specify(const FrictionRequest& request) { return FrictionSpecifier(request).run(); }

}  // namespace percuss::contact
