// Maps over the law table.
#include "percuss/impact/map.h"

#include <algorithm>
#include <cmath>

#include "percuss/impact/impact.h"

namespace percuss::impact {

using namespace contact;

namespace {

bool takes_restitution(std::string_view law) {
  if (const Alias* alias = find_alias(law)) law = alias->key;
  const DissipationRow* row = find_dissipation(law);
  return row && row->restitution != RestitutionUse::none;
}

/// A parameter that only some of the laws of a map have is given to those alone.
LawRequest for_law(const MapRequest& request, const std::string& law) {
  LawRequest r = request.common;
  r.law = law;
  std::string_view key = law;
  if (const Alias* alias = find_alias(key)) key = alias->key;
  const DissipationRow* row = find_dissipation(key);
  std::erase_if(r.parameters, [row](const auto& p) {
    return !row || row->restitution == RestitutionUse::instead_of_parameters ||
           std::ranges::find(row->parameters, p.first, &Parameter::name) == row->parameters.end();
  });
  if (!takes_restitution(law)) r.calibration = Calibration::published;
  return r;
}

void add_law(const MapRequest& request, const std::string& law, RestitutionMap& map) {
  MapCurve curve{law, takes_restitution(law), {}, {}};
  LawRequest r = for_law(request, law);
  if (curve.takes_restitution)
    r.restitution = 0.5;  // a value every law accepts: what fails now is not the restitution
  if (const Result<LawSpec> probe = specify(r); !probe) {
    MapLack lack{law, {}};
    for (const Diagnostic& d : probe.errors()) lack.lacks.push_back(d.at.source + ": " + d.text);
    map.lacking.push_back(std::move(lack));
    return;
  }
  const auto refuse = [&curve](const std::vector<Diagnostic>& errors) {
    curve.delivered.push_back(std::nullopt);
    for (const Diagnostic& d : errors)
      if (std::ranges::find(curve.refused, d.text) == curve.refused.end()) curve.refused.push_back(d.text);
  };
  for (const double prescribed : map.grid) {
    if (curve.takes_restitution) r.restitution = prescribed;
    const Result<LawSpec> spec = specify(r);
    if (!spec) {
      refuse(spec.errors());
      continue;
    }
    const Result<Outcome> out = collide(
        {latch(*spec, request.mass_kg, request.velocity_mps), request.mass_kg, request.velocity_mps}, Times::none);
    if (out) {
      curve.delivered.push_back(out->restitution);
    } else {
      refuse(out.errors());
    }
  }
  map.curves.push_back(std::move(curve));
}

}  // namespace

RestitutionMap restitution_map(const MapRequest& request) {
  RestitutionMap map{request.grid, {}, {}};
  std::vector<std::string> laws = request.laws;
  if (laws.empty())
    for (const DissipationRow& row : dissipation_rows()) laws.emplace_back(row.key);
  for (const std::string& law : laws) add_law(request, law, map);
  return map;
}

std::vector<std::pair<double, double>> accurate_ranges(const DissipationRow& row) {
  if (row.restitution == RestitutionUse::none) return {};
  MapRequest request;
  request.laws = {std::string(row.key)};
  for (int i = 1; i <= 100; ++i) request.grid.push_back(i / 100.0);
  request.common.stiffness = 1e6;
  for (const Parameter& p : row.parameters)
    if (row.restitution == RestitutionUse::needed) request.common.parameters.emplace_back(p.name, 0.5);
  const RestitutionMap map = restitution_map(request);
  std::vector<std::pair<double, double>> ranges;
  if (map.curves.empty()) return ranges;
  bool open = false;
  for (std::size_t i = 0; i < map.grid.size(); ++i) {
    const auto& delivered = map.curves.front().delivered[i];
    const bool good = delivered && std::abs(*delivered - map.grid[i]) <= 0.02;
    if (good && !open) ranges.emplace_back(map.grid[i], map.grid[i]);
    if (good) ranges.back().second = map.grid[i];
    open = good;
  }
  return ranges;
}

}  // namespace percuss::impact
