// Joints with clearance: bearing and journal become surfaces, their contact an entry of the contact table.
#include "percuss/base/index.h"
#include "percuss/base/words.h"
#include "percuss/model/compiler.h"

namespace percuss::model {

namespace {

constexpr double kEndlessShaft = 1000;  // of the bearing's length: what slides through it does not leave it

/// The rotation that takes x, y, z to three axes.
Mat3 from_axes(const Vec3& x, const Vec3& y, const Vec3& z) { return transposed(Mat3{{x, y, z}}); }

}  // namespace

void Compiler::add_clearance(const scene::Joint& source, const joint::Geometry& g, Joint& joint) {
  const std::string what = "joint " + in_quotes(source.name);
  const scene::Places& places = source.places;
  const bool slides = joint.row->key == "translational-clearance";
  const std::size_t errors = errors_.size();
  if (source.clearance_m && *source.clearance_m == 0)
    fail(places.of("clearance"), what + ": without clearance it is the joint " + in_quotes(joint.row->ideal));
  if (!source.contact) fail(places.at, what + ": the key \"contact\" is missing: the law of journal and bearing");
  const scene::Material *m_a = nullptr, *m_b = nullptr;
  if (source.materials && !source.material.empty())
    fail(places.of("materials"), what + ": `material` and `materials` exclude each other");
  if (!source.material.empty()) m_a = m_b = material(source.material, places.of("material"), what);
  if (source.materials) {
    m_a = material(source.materials->first, places.of("materials"), what);
    m_b = material(source.materials->second, places.of("materials"), what);
  }
  geometry::Surface bearing, journal;
  bearing.body = g.body_a;
  journal.body = g.body_b;
  bearing.centre = g.on_a.origin;
  journal.centre = g.on_b.origin;
  bearing.planar = journal.planar = scene_.planar;
  std::vector<geometry::Surface> bearings;
  if (slides) {
    if (!source.size_m || !source.clearance_m)
      return fail(
          places.at,
          what + ": give the `size` of the slider (along its axis, across) and the `clearance` on each side");
    const Vec3 size = *source.size_m;
    if (!(size.x > 0 && size.y > 0 && (scene_.planar || size.z > 0)))
      return fail(places.of("size"), what + ": size: edges must be above 0");
    journal.kind = geometry::Surface::Kind::convex;
    const Mat3 R = from_axes(g.on_b.z, g.on_b.x, g.on_b.y);
    journal.convex = std::make_shared<const geometry::Convex>(
        geometry::moved(geometry::make_box(size, scene_.planar),
                        scene_.planar ? from_axes(g.on_b.z, g.on_b.x, kAxisZ) : R, g.on_b.origin));
    journal.reach_m = norm(scene_.planar ? Vec3{size.x, size.y, 0} : size) / 2;
    bearing.kind = geometry::Surface::Kind::slot;
    bearing.axis = g.on_a.x;
    bearing.width_m = size.y + 2 * *source.clearance_m;
    bearings.push_back(bearing);
    if (!scene_.planar) {
      bearing.axis = g.on_a.y;
      bearing.width_m = size.z + 2 * *source.clearance_m;
      bearings.push_back(bearing);
    }
  } else {
    const int given =
        (source.bearing_radius_m ? 1 : 0) + (source.journal_radius_m ? 1 : 0) + (source.clearance_m ? 1 : 0);
    if (given != 2)
      return fail(places.at, what + ": give two of `bearing_radius`, `journal_radius` and `clearance`");
    const double clearance =
        source.clearance_m ? *source.clearance_m : *source.bearing_radius_m - *source.journal_radius_m;
    bearing.radius_m = source.bearing_radius_m ? *source.bearing_radius_m : *source.journal_radius_m + clearance;
    journal.radius_m = source.journal_radius_m ? *source.journal_radius_m : *source.bearing_radius_m - clearance;
    if (!(journal.radius_m > 0) || !(bearing.radius_m > journal.radius_m)) {
      if (source.clearance_m && source.bearing_radius_m && *source.clearance_m >= *source.bearing_radius_m)
        fail(places.of("clearance"), what + ": the clearance, " + text_of(clearance, 6) +
                                         " m, leaves no journal in a bearing of radius " +
                                         text_of(bearing.radius_m, 6) + " m");
      else if (!(clearance == 0 && source.clearance_m))
        fail(places.at,
             what + ": the journal of radius " + text_of(journal.radius_m, 6) +
                 " m does not fit into the bearing of radius " + text_of(bearing.radius_m, 6) + " m" +
                 (clearance == 0 ? "; without clearance it is the joint " + in_quotes(joint.row->ideal) : ""));
      return;
    }
    const bool ball = joint.row->key == "spherical-clearance", flat = scene_.planar;
    bearing.kind = ball ? geometry::Surface::Kind::socket : geometry::Surface::Kind::hole;
    journal.kind = ball || flat ? geometry::Surface::Kind::sphere : geometry::Surface::Kind::cylinder;
    bearing.axis = g.on_a.z;
    journal.axis = g.on_b.z;
    const bool has_length = !ball;
    if (has_length && !flat && !source.length_m)
      return fail(places.at, what + ": give the `length` of the bearing");
    if (has_length && source.length_m) {
      bearing.length_m = *source.length_m;
      const bool turns_only = joint.row->key == "revolute-clearance";
      if (!flat) journal.length_m = turns_only ? *source.length_m : kEndlessShaft * *source.length_m;
      if (!flat) bearing.length_m = turns_only ? 0 : *source.length_m;
    }
    journal.reach_m = std::hypot(journal.radius_m, source.length_m.value_or(0) / 2);
    bearings.push_back(bearing);
  }
  if (errors_.size() != errors) return;
  joint.contact = add_contact_rule(source.name, *source.contact);
  model_.contacts.back().joint = static_cast<int>(model_.joints.size());
  const int on_b = add_surface(journal, {m_b, ""});
  std::vector<ContactPair> pairs;
  for (const geometry::Surface& b : bearings) {
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
