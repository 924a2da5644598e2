// Every elastic law, one row each, and the look-up of all rows.
#include <algorithm>
#include <numbers>

#include "percuss/contact/rows.h"

namespace percuss::contact {

namespace {

Elastic<> power(const ElasticInputs& in) { return Power<>{in.stiffness, in.exponent}; }

/// s = 1/(pi E*), B' = B e^k for x = s p [ln(B/p) + k].
Elastic<> log_line(const ElasticInputs& in, double load_scale_Npm) {
  return LogLine<>{in.pairing.length_m, 1 / (std::numbers::pi * in.pairing.modulus_Pa), load_scale_Npm};
}

constexpr ElasticRow kElasticRows[] = {
    {.key = "hertz",
     .title = "Hertz 1881: spheres",
     .source = "J. reine angew. Math. 92 (1881) 156; Flores et al. 2011, eq. 1-3",
     .formula = "F = K x^1.5, K = (4/3) E* sqrt(R), 1/E* = (1-nu_i^2)/E_i + (1-nu_j^2)/E_j, 1/R = 1/R_i + 1/R_j",
     .exponent = 1.5,
     .from_materials = true,
     .corrected =
         "Alaci et al., eq. 3, divide by pi although their (1-nu^2)/E has none: a stiffness too small by pi",
     .weakness = "contact radius much smaller than R, no friction, speed far below the wave speed",
     .make = power},
    {.key = "hooke",
     .title = "Hooke: linear spring",
     .source = "Moreira et al., eq. 1",
     .formula = "F = K x",
     .exponent = 1,
     .weakness = "K has no geometric meaning",
     .make = power},
    {.key = "power",
     .title = "power law",
     .source = "generalised Hertz",
     .formula = "F = K x^n",
     .weakness = "the unit of K changes with n",
     .make = power},
    {.key = "brandlein",
     .title = "Brandlein et al.: rollers",
     .source = "as in Alaci et al., eq. 5",
     .formula = "F = K x^1.08",
     .exponent = 1.08,
     .corrected =
         "Alaci et al. use the K of a sphere here, whose unit N/m^1.5 does not fit; K in N/m^1.08 is to be given",
     .weakness = "a local fit to line contact of steel",
     .make = power},
    {.key = "johnson",
     .title = "Johnson 1985: cylinders",
     .source = "Contact Mechanics, Cambridge 1985",
     .formula = "x = p/(pi E*) [ln(4 pi E* dR/p) - 1], p = F/L, dR = R_i + R_j outside, the clearance inside",
     .exponent = -1,
     .from_stiffness = false,
     .from_materials = true,
     .line_contact = true,
     .weakness = "ends at x = 4 dR/e^2, where the slope becomes infinite",
     .make =
         [](const ElasticInputs& in) {
           return log_line(
               in, 4 * std::numbers::pi * in.pairing.modulus_Pa * in.pairing.radius_sum_m() / std::numbers::e);
         }},
    {.key = "goldsmith",
     .title = "Goldsmith 1960 with q = 3, Dubowsky and Freudenstein 1971: cylinders",
     .source = "Goldsmith: Impact, 1960; J. Eng. Ind. 93 (1971) 305",
     .formula = "x = p/(pi E*) [ln(pi E* L^2/(p R)) + 1], p = F/L, R = R_i R_j/(R_i + R_j)",
     .exponent = -1,
     .from_stiffness = false,
     .from_materials = true,
     .line_contact = true,
     .corrected =
         "the book's q = 1 gives an indentation that depends on the unit of length; q = 3 is consistent, and is "
         "Dubowsky and "
         "Freudenstein's law",
     .weakness = "depends on L at a fixed load per length",
     .make =
         [](const ElasticInputs& in) {
           const Pairing& pair = in.pairing;
           return log_line(in, std::numbers::pi * pair.modulus_Pa * pair.length_m * pair.length_m /
                                   pair.effective_radius() * std::numbers::e);
         }},
    {.key = "esdu-78035",
     .title = "ESDU-78035: cylinders",
     .source = "Engineering Sciences Data Unit, item 78035",
     .formula = "x = p/(pi E*) [ln(4 pi E* dR/p) + 1], p = F/L",
     .exponent = -1,
     .from_stiffness = false,
     .from_materials = true,
     .line_contact = true,
     .weakness = "Johnson's indentation plus 2 p/(pi E*)",
     .make =
         [](const ElasticInputs& in) {
           return log_line(
               in, 4 * std::numbers::pi * in.pairing.modulus_Pa * in.pairing.radius_sum_m() * std::numbers::e);
         }},
    {.key = "liu",
     .title = "Liu et al. 2007: cylinder in a bore of small clearance",
     .source = "as used in clearance-joint studies after Liu et al. 2007",
     .formula = "F = (pi/2) L E* x sqrt(x/(2 (dR + x)))",
     .exponent = -1,
     .from_stiffness = false,
     .from_materials = true,
     .line_contact = true,
     .weakness = "meant for conformal contact under large load; at small load a fraction of Johnson's force",
     .make = [](const ElasticInputs& in) -> Elastic<> {
       return Conformal<>{std::numbers::pi / 2 * in.pairing.length_m * in.pairing.modulus_Pa,
                          in.pairing.radius_sum_m()};
     }},
};

constexpr Alias kElasticAliases[] = {
    {"dubowsky-freudenstein", "goldsmith", "Goldsmith's law with q = 3 is the same"}};

template <class Rows>
auto find_row(const Rows& rows, std::string_view key) -> decltype(&*std::begin(rows)) {
  for (const auto& row : rows)
    if (row.key == key) return &row;
  return nullptr;
}

}  // namespace

std::span<const ElasticRow> elastic_rows() { return kElasticRows; }

const DissipationRow* find_dissipation(std::string_view key) { return find_row(dissipation_rows(), key); }
const ElasticRow* find_elastic(std::string_view key) { return find_row(elastic_rows(), key); }

const Alias* find_alias(std::string_view name) {
  for (const Alias& alias : aliases())
    if (alias.name == name) return &alias;
  for (const Alias& alias : kElasticAliases)
    if (alias.name == name) return &alias;
  return nullptr;
}

std::vector<std::string_view> law_words() {
  std::vector<std::string_view> words;
  for (const DissipationRow& row : dissipation_rows()) words.push_back(row.key);
  for (const ElasticRow& row : elastic_rows()) words.push_back(row.key);
  for (const Alias& alias : aliases()) words.push_back(alias.name);
  return words;
}

}  // namespace percuss::contact
