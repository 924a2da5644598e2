// Friction: the table of sliding laws, what resists rolling and spinning, and their forces.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "percuss/base/units.h"
#include "percuss/base/vector.h"

namespace percuss::contact {

struct FrictionLaw;

/// Two materials in contact.
struct MaterialPair {
  double young_i_Pa = 0, poisson_i = 0, young_j_Pa = 0, poisson_j = 0;
};

/// A constant of a row beyond the two coefficients. Without a default it follows from the materials, or must be
/// given.
struct FrictionParameter {
  std::string_view name;
  Dimension dimension;
  std::optional<double> otherwise;
  std::string_view meaning;
  double (*from_materials)(const MaterialPair&) = nullptr;
};

/// Bristles at a speed of sliding: force over normal force is s0 z + s1 z' + s2 v, and z' = v - s0 |v| z/level.
struct Bristles {
  double s0, s1, s2, level;
};

/// What a law remembers: nothing, the deflection of bristles, or that of the elastic contact.
enum class FrictionMemory { none, bristles, contact_spring };

struct FrictionRow {
  std::string_view key, title, source, formula;
  FrictionMemory memory = FrictionMemory::none;
  bool holds = false;  // keeps a body at rest under a load below the limit, without creep
  bool uses_static = false;
  std::array<FrictionParameter, 4> parameters{};
  std::string_view unconfirmed{};  // what could not be confirmed in the source, and what supports it
  std::string_view weakness{};
  /// Of a law without memory: the force at a speed of sliding.
  double (*force_N)(const FrictionLaw&, double normal_N, double speed_mps) = nullptr;
  /// Of a law with bristles: their constants at a speed of sliding.
  Bristles (*bristles)(const FrictionLaw&, double speed_mps) = nullptr;
  /// Why constants that are in range one by one do not go together; empty if they do.
  std::string_view (*contradiction)(const FrictionLaw&) = nullptr;
};
std::span<const FrictionRow> friction_rows();
const FrictionRow* find_friction(std::string_view key);
/// Where friction has a coefficient and no law.
inline constexpr std::string_view kDefaultFriction = "coulomb-tanh";
const FrictionRow& default_friction();

/// Resistance against rolling and spinning stands beside any sliding law.
struct ResistanceRow {
  std::string_view key, title, formula, unconfirmed;
};
std::span<const ResistanceRow> resistance_rows();

/// A row with its constants.
struct FrictionLaw {
  const FrictionRow* row = nullptr;  // null: no sliding friction
  double coefficient = 0, static_coefficient = 0;
  double rolling_m = 0, spinning_m = 0;  // torque over normal force
  double radius_m = 0;                   // effective: rolling slips at the speed w R
  std::array<double, 4> parameter{};
  bool acts() const { return row || rolling_m > 0 || spinning_m > 0; }
  bool remembers() const { return row && row->memory != FrictionMemory::none; }
  bool operator==(const FrictionLaw&) const = default;
};

/// The contact at one instant. Slip is the velocity of B against A across the normal.
struct Sliding {
  double normal_N = 0;
  Vec3 slip_mps, memory_m;
  double stiffness_Npm = 0;  // elastic, normal: f'(depth)
  bool slipping = false;     // of a contact spring: its force is at the limit
  double still_mps = 0;      // slower than this bristles do not relax; 0: as the law says
};
/// The force on B.
Vec3 friction_force_N(const FrictionLaw& law, const Sliding& now);

/// Of a law without memory: the speed over which its force rises. Its first parameter, in every row.
inline double rise_speed_mps(const FrictionLaw& law) { return law.parameter[0]; }

/// The deflection at which a contact spring slips: mu F_n/k_t.
double slip_limit_m(const FrictionLaw& law, double normal_N, double stiffness_Npm);

/// How fast the memory changes; the rates are needed by the contact spring alone.
struct SlidingRates {
  double normal_Nps = 0, stiffness_Npmps = 0;
  double depth_mps = 0;
  double start_exponent = 1;  // f ~ depth^n at first touch
  double scale_m = 0;         // of the deflections of this episode
};
Vec3 memory_rate_mps(const FrictionLaw& law, const Sliding& now, const SlidingRates& rates);

/// What unloading the memory could return: half of the force that its deflection causes, times the deflection.
double stored_in_memory_J(const FrictionLaw& law, double normal_N, double stiffness_Npm, const Vec3& memory_m);

/// Torque on B against the relative angular velocity `spin` of B against A, normal n.
Vec3 resisting_torque_Nm(const FrictionLaw& law, double normal_N, const Vec3& n, const Vec3& spin_radps);

/// The size of what the memory holds when sliding, for step control; `depth_m` the size of the indentation.
double memory_scale_m(const FrictionLaw& law, double depth_m);

/// Mindlin: tangential over normal stiffness of equal or different materials, 4 G*/E*,
/// 1/G* = (2 - nu_i)/G_i + (2 - nu_j)/G_j, G = E/(2 (1 + nu)).
double mindlin_ratio(const MaterialPair& materials);

}  // namespace percuss::contact
