// Restitution maps: what each law delivers for what is asked of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "percuss/contact/specification.h"

namespace percuss::impact {

struct MapRequest {
  std::vector<std::string> laws;  // keys and aliases; empty: every dissipation key
  std::vector<double> grid;       // prescribed restitutions
  contact::LawRequest common;     // everything but the law and the restitution
  double mass_kg = 1, velocity_mps = 1;
};

struct MapCurve {
  std::string law;
  bool takes_restitution = true;
  std::vector<std::optional<double>> delivered;  // on the grid; none where the law refuses the value
  std::vector<std::string> refused;              // why, once each
};
struct MapLack {
  std::string law;
  std::vector<std::string> lacks;
};
struct RestitutionMap {
  std::vector<double> grid;
  std::vector<MapCurve> curves;
  std::vector<MapLack> lacking;  // laws whose needs are not met, with what they lack
};

RestitutionMap restitution_map(const MapRequest& request);

/// Where |delivered - prescribed| <= 0.02 for a row with its published calibration, as intervals on a grid of 0.01.
std::vector<std::pair<double, double>> accurate_ranges(const contact::DissipationRow& row);

}  // namespace percuss::impact
