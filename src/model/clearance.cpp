// Joints with clearance: bearing and journal become surfaces, their contact an entry of the contact table.
#include "percuss/joint/clearance.h"

#include "percuss/base/index.h"
#include "percuss/base/words.h"
#include "percuss/joint/table.h"
#include "percuss/model/compiler.h"

namespace percuss::model {

void Compiler::add_clearance(const scene::Joint& source, const joint::Geometry& g, Joint& joint) {
  const std::string what = "joint " + in_quotes(source.name);
  const std::string without = "without clearance it is the joint " + in_quotes(joint.row->ideal);
  const scene::Places& places = source.places;
  const std::size_t errors = errors_.size();
  const bool none = source.clearance_m && *source.clearance_m == 0;
  if (none) fail(places.of("clearance"), what + ": " + without);
  if (!source.contact) fail(places.at, what + ": the key \"contact\" is missing: the law of journal and bearing");
  const scene::Material *m_a = nullptr, *m_b = nullptr;
  if (source.materials && !source.material.empty())
    fail(places.of("materials"), what + ": `material` and `materials` exclude each other");
  if (!source.material.empty()) m_a = m_b = material(source.material, places.of("material"), what);
  if (source.materials) {
    m_a = material(source.materials->first, places.of("materials"), what);
    m_b = material(source.materials->second, places.of("materials"), what);
  }
  if (none) return;
  const Result<joint::ClearanceSurfaces> made = joint.row->surfaces(
      g, {source.bearing_radius_m, source.journal_radius_m, source.clearance_m, source.length_m, source.size_m});
  if (!made) {
    const bool equal = source.bearing_radius_m && source.bearing_radius_m == source.journal_radius_m;
    for (const Diagnostic& d : made.errors())
      fail(places.of(d.at.source), what + ": " + d.text + (equal ? "; " + without : ""));
    return;
  }
  if (errors_.size() != errors) return;
  joint.contact = add_contact_rule(source.name, *source.contact);
  model_.contacts.back().joint = static_cast<int>(model_.joints.size());
  model_.contacts.back().switch_index = joint.switch_index;
  const int on_b = add_surface(made->journal, {m_b, ""});
  std::vector<ContactPair> pairs;
  for (const geometry::Surface& b : made->bearings) {
    const int on_a = add_surface(b, {m_a, ""});
    if (!add_pair(joint.contact, on_b, on_a, *source.contact, places, what, pairs)) return;
  }
  model_.contacts[at(joint.contact)].pairs = pairs;
  model_.pairs.insert(model_.pairs.end(), pairs.begin(), pairs.end());

  // a scene that leaves the journal's place open has it where the ideal joint would
  const auto known = [&](int body) { return starts_[at(body)].position_known; };
  joint::Parts parts;
  joint::find_joint(joint.row->ideal)->build(g, parts);
  for (const joint::Constraint& c : parts.constraints) {
    Row row;
    for (const auto& [coefficient, of] : c.terms) row.terms.push_back({add_measure(of), coefficient});
    row.joint = static_cast<int>(model_.joints.size());
    row.assembly_only = true;
    row.name = source.name;
    assembly_rows_.push_back({std::move(row), known(g.body_a) && known(g.body_b)});
  }
}

}  // namespace percuss::model
