// The law tables: what a paper says, one row a law. Reading, help, reference pages and tests all iterate these
// rows.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "percuss/base/diagnostic.h"
#include "percuss/base/units.h"
#include "percuss/contact/law.h"
#include "percuss/contact/restitution.h"
#include "percuss/contact/stiffness.h"

namespace percuss::contact {

/// What is known when a contact begins; a row turns it into the parameters of its shape.
template <class P = double>
struct Latch {
  P restitution{};
  P stiffness{};
  P mass_kg{};       // effective
  P velocity_mps{};  // of approach at first touch
  double exponent = 0;
  Release release = Release::zero_force;
  std::array<P, 3> parameter{};  // in the order of the row
};

/// One generic function, ready for numbers and for derivatives in the parameters.
struct Calibrator {
  Shape<double> (*plain)(const Latch<double>&) = nullptr;
  Shape<Slope> (*sloped)(const Latch<Slope>&) = nullptr;
};

/// A constant of a row beyond restitution and stiffness.
struct Parameter {
  std::string_view name;
  Dimension dimension;
  double lowest = 0, highest = std::numeric_limits<double>::infinity();
  std::string_view meaning;
  bool lowest_allowed = false;                       // is `lowest` itself a value?
  double (*from_pairing)(const Pairing&) = nullptr;  // of one that materials and radii give
};

enum class Family { elastic, scaled, added, plastic, dry, mixed };
std::string_view name_of(Family family);

/// Does a row take a restitution: not at all, always, or instead of its own parameters?
enum class RestitutionUse { none, needed, instead_of_parameters };

/// Where the force itself may jump.
enum class Jump { none, at_touch, at_turn };

struct DissipationRow {
  std::string_view key{}, title{}, source{}, formula{};
  Family family = Family::scaled;
  RestitutionUse restitution = RestitutionUse::needed;
  std::span<const Parameter> parameters{};
  /// Of a row whose constants are materials and a radius themselves: the pairing that they stand for.
  Pairing (*pairing_of)(const std::array<double, 3>& parameter) = nullptr;
  double fixed_exponent = 0;     // 0: any elastic law
  bool needs_power_law = false;  // any n, but a power
  Release release = Release::zero_force;
  Jump jump = Jump::none;
  bool elastic_at_one = true;      // does c = 1 give the elastic law?
  std::string_view claimed{};      // where its source says it holds
  std::string_view corrected{};    // what a paper prints wrongly or leaves open, and what stands here
  std::string_view unconfirmed{};  // what could not be confirmed in the source, and what supports it
  std::string_view weakness{};
  Calibrator published{}, exact{};  // exact is empty where the row takes no restitution
  Calibrator direct{};              // from its own parameters, where restitution is the alternative to them
};
std::span<const DissipationRow> dissipation_rows();

/// A second name of a row.
struct Alias {
  std::string_view name, key, reason;
};
std::span<const Alias> aliases();

/// What an elastic row may be made of.
struct ElasticInputs {
  double stiffness = 0, exponent = 0;  // 0: not given
  Pairing pairing;                     // modulus 0: not given
};
struct ElasticRow {
  std::string_view key{}, title{}, source{}, formula{};
  double exponent = 0;         // of a power law; 0: given by the user; -1: no power law
  bool from_stiffness = true;  // takes a stiffness
  bool from_materials = false;
  bool line_contact = false;
  std::string_view corrected{}, weakness{};
  Elastic<> (*make)(const ElasticInputs&) = nullptr;
};
std::span<const ElasticRow> elastic_rows();

const DissipationRow* find_dissipation(std::string_view key);
const ElasticRow* find_elastic(std::string_view key);
const Alias* find_alias(std::string_view name);

/// Every word that `law` accepts: dissipation keys, elastic keys, aliases.
std::vector<std::string_view> law_words();

}  // namespace percuss::contact
