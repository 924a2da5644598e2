// Contacts: shapes to surfaces, words to laws, pairs to rows.
#include <algorithm>
#include <cmath>
#include <set>

#include "percuss/base/index.h"
#include "percuss/base/words.h"
#include "percuss/contact/friction_specification.h"
#include "percuss/model/broad_phase.h"
#include "percuss/model/compiler.h"
#include "percuss/model/kinematics.h"

namespace percuss::model {

namespace {
constexpr double kOverlapAllowed = 1e-9;  // of the size of things
}  // namespace

int Compiler::add_surface(geometry::Surface surface, SurfaceSource source) {
  model_.surfaces.push_back(std::move(surface));
  surface_sources_.push_back(std::move(source));
  return static_cast<int>(model_.surfaces.size()) - 1;
}

/// Those shapes of a body that can touch.
void Compiler::add_surfaces(const scene::Body& source, int body) {
  for (const scene::Shape& shape : source.shapes) {
    const std::string what = "body " + in_quotes(source.name) + ": shape";
    const scene::ShapeRow* row = scene::find_shape(shape.kind);
    if (!row || !row->surface) continue;  // an unknown word was reported by the reader
    const Body& b = model_.bodies[at(body)];
    Result<geometry::Surface> made = surface_of(shape, *row, {scene_.planar});
    if (!made) {
      for (const Diagnostic& d : made.errors())
        fail(d.at.line > 0 || !d.at.source.empty() ? d.at : shape.places.at, what + ": " + d.text);
      continue;
    }
    geometry::Surface s = std::move(*made);
    s.body = body;
    s.centre += b.origin_m;
    if (s.convex)
      s.convex = std::make_shared<const geometry::Convex>(geometry::moved(*s.convex, Mat3{}, b.origin_m));
    const scene::Material* m =
        shape.material.empty() ? nullptr : material(shape.material, shape.places.of("material"), what);
    if ((b.kind == Body::Kind::particle || b.kind == Body::Kind::planar_particle) &&
        (s.kind != geometry::Surface::Kind::sphere || norm(s.centre) > 0))
      fail(shape.places.at, what + ": a particle has no directions: it can only be a sphere at its place");
    add_surface(std::move(s), {m, source.name + "." + shape.name});
  }
}

void Compiler::add_contacts() {
  if (body_sources_[0]) add_surfaces(*body_sources_[0], 0);
  for (std::size_t b = 1; b < model_.bodies.size(); ++b) add_surfaces(*body_sources_[b], static_cast<int>(b));
  for (const scene::Contact& source : scene_.contacts) add_contact(source);
  add_material_pairs();
}

/// "body" (all its shapes) or "body.shape".
std::vector<int> Compiler::surfaces_called(const std::string& name, const Where& place, const std::string& what) {
  const std::size_t dot = name.find('.');
  const std::string body_name = name.substr(0, dot);
  const int body = body_index(body_name, place, what);
  if (body < 0) return {};
  std::vector<int> found;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < model_.surfaces.size(); ++i) {
    if (model_.surfaces[i].body != body || surface_sources_[i].name.empty()) continue;
    names.push_back(std::string_view(surface_sources_[i].name).substr(body_name.size() + 1));
    if (dot == std::string::npos || surface_sources_[i].name == name) found.push_back(static_cast<int>(i));
  }
  if (!found.empty()) return found;
  const scene::Body* source = body_sources_[at(body)];
  const bool reported = source && std::ranges::any_of(source->shapes, [&](const scene::Shape& s) {
                          return dot == std::string::npos || s.name == name.substr(dot + 1);
                        });  // but could not be made
  if (names.empty() && !reported) {
    fail(place, what + ": body " + in_quotes(body_name) + " has no shape that can touch");
  } else if (!reported) {
    const std::string wanted = name.substr(dot + 1);
    fail(place, what + ": body " + in_quotes(body_name) + " has no shape " + in_quotes(wanted) +
                    did_you_mean(wanted, names));
  } else if (source && std::ranges::all_of(source->shapes, [](const scene::Shape& s) {
               const scene::ShapeRow* row = scene::find_shape(s.kind);
               return row && !row->surface;
             })) {
    fail(place, what + ": a rod is for mass alone and cannot touch; a capsule or cylinder can");
  }
  return {};
}

int Compiler::add_contact_rule(const std::string& name, const scene::ContactLaw& law) {
  Contact contact;
  contact.name = name;
  contact.persistent = law.persistent;
  contact.allow_initial_overlap = law.allow_initial_overlap;
  contact.law_speed = law.law_speed;
  contact.rest_speed_mps = law.rest_speed_mps.value_or(-1);
  contact.impulsive = law.impulsive;
  model_.contacts.push_back(std::move(contact));
  return static_cast<int>(model_.contacts.size()) - 1;
}

void Compiler::add_contact(const scene::Contact& source) {
  const std::string what = "contact " + in_quotes(source.name);
  const int contact = add_contact_rule(source.name, source.law);
  model_.contacts.back().switch_index = add_switch(source.name, source.enabled);
  if (!source.enabled && source.law.impulsive)
    fail(source.places.of("enabled"), what + ": a contact with response: impulsive cannot be switched");
  if (source.between.has_value() == source.materials.has_value()) {
    if (!source.places.keys.contains("between") && !source.places.keys.contains("materials"))
      fail(source.places.at, what + ": give `between` (two shapes) or `materials` (two materials)");
    else if (source.between)
      fail(source.places.of("materials"), what + ": `between` and `materials` exclude each other");
    return;
  }
  if (source.materials) {
    model_.contacts.back().by_materials = true;
    return;  // with all others of its kind
  }
  const Where& place = source.places.of("between");
  const std::vector<int> a = surfaces_called(source.between->first, place, what),
                         b = surfaces_called(source.between->second, place, what);
  if (a.empty() || b.empty()) return;
  const int body_a = model_.surfaces[at(a[0])].body, body_b = model_.surfaces[at(b[0])].body;
  if (body_a == body_b) return fail(place, what + ": a body does not touch itself");
  model_.contacts[at(contact)].second_body = body_b;
  if (model_.bodies[at(body_a)].velocity_count + model_.bodies[at(body_b)].velocity_count == 0)
    return fail(place, what + ": neither of its bodies can move");
  std::vector<ContactPair> pairs;
  for (const int i : a)
    for (const int j : b)
      if (!add_pair(contact, i, j, source.law, source.places, what, pairs)) return;
  for (const ContactPair& p : pairs)
    for (const ContactPair& known : model_.pairs)
      if ((p.first == known.first && p.second == known.second) ||
          (p.first == known.second && p.second == known.first))
        return fail(place, what + ": these shapes have a contact already, " +
                               in_quotes(model_.contacts[at(model_.contact_kinds[at(known.kind)].contact)].name));
  model_.contacts[at(contact)].pairs = pairs;
  model_.pairs.insert(model_.pairs.end(), pairs.begin(), pairs.end());
}

bool Compiler::add_pair(int contact, int a, int b, const scene::ContactLaw& law, const scene::Places& places,
                        const std::string& what, std::vector<ContactPair>& out) {
  const auto [row, swapped] = geometry::find_pair(model_.surfaces[at(a)].kind, model_.surfaces[at(b)].kind);
  if (!row) {
    const auto name = [this](int i) { return std::string(geometry::name_of(model_.surfaces[at(i)].kind)); };
    fail(places.of("between"), what + ": " + name(a) + " and " + name(b) + " are not a pair of the table");
    return false;
  }
  const int first = swapped ? b : a, second = swapped ? a : b;
  const geometry::Surface &f = model_.surfaces[at(first)], &s = model_.surfaces[at(second)];
  const bool inside = s.kind == geometry::Surface::Kind::hole || s.kind == geometry::Surface::Kind::socket;
  if (inside && !(f.radius_m < s.radius_m)) {
    fail(places.of("between"), what + ": the radius " + text_of(f.radius_m, 6) + " m does not fit into the " +
                                   std::string(geometry::name_of(s.kind)) + " of radius " + text_of(s.radius_m, 6) +
                                   " m");
    return false;
  }
  const auto kind = contact_kind(contact, *row, first, second, law, places, what);
  if (!kind) return false;
  out.push_back({first, second, *kind});
  return true;
}

/// Where restitution and friction come from two materials: each body stores the part s_i/(s_1 + s_2) of the energy
/// of deformation, s = (1 - nu^2)/E, and loses 1 - c_i^2 of it, so that c^2 is the mean of the c_i^2 with these
/// weights. For friction nothing is known but custom: the geometric mean.
namespace {
std::optional<double> combined_restitution(const scene::Material* a, const scene::Material* b) {
  if (!a || !b || !a->restitution || !b->restitution) return std::nullopt;
  const auto compliance = [](const scene::Material& m) {
    return m.young_Pa && m.poisson ? (1 - *m.poisson * *m.poisson) / *m.young_Pa : 1.0;
  };
  const double s_a = compliance(*a), s_b = compliance(*b);
  return std::sqrt((s_a * *a->restitution * *a->restitution + s_b * *b->restitution * *b->restitution) /
                   (s_a + s_b));
}
std::optional<double> combined_friction(const scene::Material* a, const scene::Material* b) {
  if (!a || !b || !a->friction || !b->friction) return std::nullopt;
  return std::sqrt(*a->friction * *b->friction);
}
}  // namespace

std::optional<contact::FrictionLaw> Compiler::friction(const scene::ContactLaw& law, const scene::Material* a,
                                                       const scene::Material* b, double radius_m,
                                                       const std::string& what) {
  const std::optional<double> of_materials = combined_friction(a, b);
  if (!law.friction && !of_materials) return contact::FrictionLaw{};
  static const scene::Friction nothing_said;
  const scene::Friction& source = law.friction ? *law.friction : nothing_said;
  const std::string label = what + ": friction: ";
  const std::size_t errors = errors_.size();
  contact::FrictionRequest request;
  request.law = source.law;
  request.coefficient = source.coefficient ? source.coefficient : of_materials;
  request.static_coefficient = source.static_coefficient;
  request.rolling = source.rolling;
  request.spinning = source.spinning;
  request.radius_m = radius_m;
  if (a && b && a->young_Pa && b->young_Pa && a->poisson && b->poisson)
    request.materials = contact::MaterialPair{*a->young_Pa, *a->poisson, *b->young_Pa, *b->poisson};
  const contact::FrictionRow* row =
      source.law.empty() ? &contact::default_friction() : contact::find_friction(source.law);
  if (!row) return std::nullopt;  // reported by the reader
  const auto place_of = [&source](std::string_view parameter) -> const Where& {
    for (const auto& [name, text] : source.parameters)
      if (name == parameter) return text.at;
    return source.places.of("parameters");
  };
  for (const auto& [name, text] : source.parameters) {
    Dimension dimension = dimension::number;
    for (const contact::FrictionParameter& p : row->parameters)
      if (p.name == name) dimension = p.dimension;
    if (const auto value = constant(text, dimension, label + name)) request.parameters.emplace_back(name, *value);
  }
  if (errors_.size() != errors) return std::nullopt;
  Result<contact::FrictionLaw> made = contact::specify(request);
  if (made) return *made;
  constexpr std::string_view kParam = "parameters.";
  for (const Diagnostic& d : made.errors())
    fail(d.at.source.starts_with(kParam) ? place_of(d.at.source.substr(kParam.size()))
                                         : source.places.of(d.at.source),
         label + d.text);
  return std::nullopt;
}

std::optional<int> Compiler::contact_kind(int contact, const geometry::PairRow& row, int first, int second,
                                          const scene::ContactLaw& law, const scene::Places& places,
                                          const std::string& what) {
  const geometry::Surface &f = model_.surfaces[at(first)], &s = model_.surfaces[at(second)];
  const scene::Material *m_a = surface_sources_[at(first)].material, *m_b = surface_sources_[at(second)].material;
  const geometry::Radii radii = row.radii(f, s);
  const double length = line_length_m(row, f, s);
  const KindKey key{contact, &row, m_a, m_b, radii.first_m, radii.second_m, length + s.length_m};
  if (const auto known = known_kinds_.find(key); known != known_kinds_.end()) return known->second;
  ContactKind kind;
  kind.contact = contact;
  kind.row = &row;
  kind.features = row.features;
  if (f.kind == geometry::Surface::Kind::sphere && s.kind == geometry::Surface::Kind::hole &&
      (scene_.planar || s.length_m == 0))
    kind.features = geometry::Features::fixed;
  const bool corner = radii.first_m == 0 || radii.second_m == 0;
  kind.radii = radii;
  kind.line_length_m = length;
  if (!corner) kind.law.radius_m = contact::effective_radius_m(radii.first_m, radii.second_m);
  contact::LawRequest request = law.law;
  if (row.shares_stiffness) request.share = row.share;
  const bool stiffness_given = law.stiffness.has_value();
  if (m_a && m_b && m_a->young_Pa && m_b->young_Pa && m_a->poisson && m_b->poisson && !stiffness_given) {
    if (corner && law.law_file.empty()) {
      fail(places.at, what + ": a corner has no curvature; give `stiffness`, or the `corner_radius` of the shape");
      return std::nullopt;
    }
    request.pairing = contact::Pairing{
        contact::effective_modulus_Pa(*m_a->young_Pa, *m_a->poisson, *m_b->young_Pa, *m_b->poisson), radii.first_m,
        radii.second_m, length};
  }
  const bool restitution_given = law.law.restitution || law.law.restitution_of_speed;
  if (!restitution_given) request.restitution = combined_restitution(m_a, m_b);
  for (const scene::Material* m : {m_a, m_b})
    if (m && m->young_Pa && m->density_kgpm3 &&
        (kind.young_Pa == 0 || *m->young_Pa / *m->density_kgpm3 < kind.young_Pa / kind.density_kgpm3)) {
      kind.young_Pa = *m->young_Pa;
      kind.density_kgpm3 = *m->density_kgpm3;
    }
  if (law.law_speed.rule == contact::LawSpeed::Rule::effective) {
    fail(places.of("law_speed"),
         what +
             ": law_speed: effective is for fixed-step engines; here each touch is located, "
             "use touch or a speed, e.g. 0.3 m/s");
    return std::nullopt;
  }
  if (law.impulsive) {
    if (law.law_speed != contact::LawSpeed{})
      fail(places.of("law_speed"),
           what + ": law_speed has no meaning with response: impulsive, which has no force law");
    if (law.friction && law.friction->law != "mindlin")
      fail(law.friction->places.of("law"),
           what + ": friction with response: impulsive is that of a tangential spring; expected law: mindlin");
    if (law.friction && (law.friction->rolling || law.friction->spinning))
      fail(law.friction->places.of(law.friction->rolling ? "rolling" : "spinning"),
           what + ": resistance to rolling and spinning does not act with response: impulsive");
    if (law.friction)
      warn(law.friction->places.at,
           what + ": friction acts in collisions only; a contact at rest slides freely with response: impulsive");
    if (request.law.empty() && law.law_file.empty()) {
      request.law = "bistiffness";
      if (request.elastic.empty()) request.elastic = "hooke";
      if (!stiffness_given && !request.pairing) request.stiffness = 1;  // only ratios matter
    }
  }
  std::string_view law_key = request.law;
  if (const contact::Alias* alias = contact::find_alias(law_key)) law_key = alias->key;
  const contact::DissipationRow* dissipation = contact::find_dissipation(law_key);
  if (dissipation && dissipation->restitution == contact::RestitutionUse::none && !restitution_given)
    request.restitution.reset();
  if (!dissipation && !restitution_given) request.restitution.reset();
  const contact::ElasticRow* elastic = contact::find_elastic(request.elastic.empty() ? law_key : request.elastic);
  const double exponent = request.exponent                                 ? *request.exponent
                          : elastic && elastic->exponent > 0               ? elastic->exponent
                          : dissipation && dissipation->fixed_exponent > 0 ? dissipation->fixed_exponent
                                                                           : 1.5;
  bool readable = true;  // what is there and cannot be read is not missing
  const auto read = [&](const scene::Function& text, const Dimension& dimension, const std::string& name) {
    const auto value = constant(text, dimension, what + ": " + name);
    readable = readable && value;
    return value.value_or(0.5);
  };
  const bool turns = s.stop && geometry::is_angle(s.stop->coordinate);
  if (law.stiffness)
    request.stiffness =
        read(*law.stiffness, turns ? dimension::torque : dimension::stiffness(exponent), "stiffness");
  for (const auto& [name, text] : law.parameters) {
    Dimension dimension = dimension::number;
    if (dissipation)
      for (const contact::Parameter& p : dissipation->parameters)
        if (p.name == name) dimension = p.dimension;
    request.parameters.emplace_back(name, read(text, dimension, name));
  }
  if (!law.law_file.empty()) {
    if (!law.own_law) {
      fail(places.of("law_file"), what + ": the law file has not been read (load_files does)");
      return std::nullopt;
    }
    if (!*law.own_law) {
      errors_.insert(errors_.end(), law.own_law->errors().begin(), law.own_law->errors().end());
      return std::nullopt;
    }
    request.user_law = **law.own_law;
  }
  const Result<contact::LawSpec> spec = contact::specify(request);
  if (!spec)
    for (const Diagnostic& d : spec.errors()) {
      const std::string key_of_word = d.at.source.starts_with("parameters.") ? "parameters" : d.at.source;
      fail(places.of(key_of_word), what + ": " + d.at.source + ": " + d.text);
    }
  std::optional<contact::FrictionLaw> sliding = contact::FrictionLaw{};
  if (!law.impulsive || law.friction) sliding = friction(law, m_a, m_b, kind.law.radius_m, what);
  if (!spec || !sliding || !readable) return std::nullopt;
  kind.law.spec = *spec;
  kind.request = request;
  for (const std::string& note : spec->notes) warn(places.of("law"), what + ": " + note);
  kind.law.friction = *sliding;
  if (!law.impulsive && spec->row && spec->row->family == contact::Family::dry && sliding->row &&
      sliding->row->memory == contact::FrictionMemory::contact_spring)
    warn(places.of("friction"), what + ": friction \"" + std::string(sliding->row->key) +
                                    "\" does not act while a contact under \"" + std::string(spec->row->key) +
                                    "\" is at rest; take friction \"lugre\"");
  model_.contact_kinds.push_back(std::move(kind));
  const int index = static_cast<int>(model_.contact_kinds.size()) - 1;
  known_kinds_.emplace(key, index);
  return index;
}

/// Rules for two materials hold for all their shapes on bodies that can move against each other and that no joint
/// connects; a pair given by name goes over them, a later rule over an earlier one is an error.
void Compiler::add_material_pairs() {
  std::vector<const scene::Contact*> rules;
  for (const scene::Contact& c : scene_.contacts)
    if (c.materials && !c.between) {
      for (const std::string& name : {c.materials->first, c.materials->second})
        material(name, c.places.of("materials"), "contact " + in_quotes(c.name));
      for (const scene::Contact* other : rules)
        if (*other->materials == *c.materials ||
            *other->materials == std::pair(c.materials->second, c.materials->first))
          fail(c.places.of("materials"), "contact " + in_quotes(c.name) +
                                             ": these materials have a contact already, " + in_quotes(other->name));
      rules.push_back(&c);
    }
  if (rules.empty() || !errors_.empty()) return;
  MaterialContacts& m = model_.by_materials;
  for (const Joint& j : model_.joints)
    if (model_.switched_on[at(j.switch_index)]) m.joined_bodies.emplace_back(std::minmax(j.body_a, j.body_b));
  for (const ContactPair& p : model_.pairs) m.named.emplace_back(std::minmax(p.first, p.second));
  for (auto* list : {&m.joined_bodies, &m.named}) {
    std::ranges::sort(*list);
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  // classes: what decides about the row of a pair and about the words of its law; sizes are taken at touch
  struct Class {
    const scene::Material* material;
    geometry::Surface::Kind kind;
    bool is_sharp, has_length;
    bool operator==(const Class&) const = default;
  };
  std::vector<Class> classes;
  std::vector<std::vector<int>> members;
  m.class_of.assign(model_.surfaces.size(), -1);
  for (std::size_t i = 0; i < model_.surfaces.size(); ++i) {
    const geometry::Surface& s = model_.surfaces[i];
    if (!surface_sources_[i].material || surface_sources_[i].name.empty()) continue;
    const Class own{surface_sources_[i].material, s.kind, s.corner_radius_m == 0, s.length_m > 0};
    const auto known = std::ranges::find(classes, own) - classes.begin();
    m.class_of[i] = static_cast<int>(known);
    if (at(static_cast<int>(known)) == classes.size()) {
      classes.push_back(own);
      members.emplace_back();
    }
    members[at(m.class_of[i])].push_back(static_cast<int>(i));
  }
  m.classes = static_cast<int>(classes.size());
  m.kind_of.assign(classes.size() * classes.size(), -1);
  const auto can_meet = [&](int i, int j) {
    const int a = model_.surfaces[at(i)].body, b = model_.surfaces[at(j)].body;
    return a != b && model_.bodies[at(a)].velocity_count + model_.bodies[at(b)].velocity_count > 0 &&
           !std::ranges::binary_search(m.joined_bodies, std::pair<int, int>(std::minmax(a, b))) &&
           !std::ranges::binary_search(m.named, std::pair<int, int>(std::minmax(i, j)));
  };
  const auto first_that_meet = [&](std::size_t a, std::size_t b) -> std::optional<std::pair<int, int>> {
    for (const int i : members[a])
      for (const int j : members[b])
        if (can_meet(i, j)) return std::pair{i, j};
    return std::nullopt;
  };
  for (const scene::Contact* rule : rules) {
    const std::string what = "contact " + in_quotes(rule->name);
    const auto contact =
        static_cast<int>(std::ranges::find(model_.contacts, rule->name, &Contact::name) - model_.contacts.begin());
    bool used = false;
    for (std::size_t a = 0; a < classes.size(); ++a)
      for (std::size_t b = 0; b <= a; ++b) {
        const std::string &m_a = classes[a].material->name, &m_b = classes[b].material->name;
        if (!(m_a == rule->materials->first && m_b == rule->materials->second) &&
            !(m_b == rule->materials->first && m_a == rule->materials->second))
          continue;
        const auto pair = first_that_meet(a, b);
        if (!pair) continue;
        const geometry::Surface &one = model_.surfaces[at(pair->first)], &other = model_.surfaces[at(pair->second)];
        if (!geometry::find_pair(one.kind, other.kind).row) {
          if (std::isfinite(one.reach_m) || std::isfinite(other.reach_m))
            warn(rule->places.of("materials"), what + ": " + std::string(geometry::name_of(other.kind)) + " and " +
                                                   std::string(geometry::name_of(one.kind)) +
                                                   " are not a pair of the table and do not touch");
          continue;
        }
        std::vector<ContactPair> made;
        if (!add_pair(contact, pair->first, pair->second, rule->law, rule->places, what, made)) return;
        if (!check_sizes(model_.contact_kinds[at(made[0].kind)], members[a], members[b], *rule, what)) return;
        m.kind_of[a * classes.size() + b] = m.kind_of[b * classes.size() + a] = made[0].kind;
        used = true;
      }
    if (!used) warn(rule->places.of("materials"), what + ": no two shapes that can touch are of these materials");
  }
}

/// The law of a kind was made for two surfaces; it must make sense for the sizes of all others of their classes.
bool Compiler::check_sizes(const ContactKind& kind, const std::vector<int>& first, const std::vector<int>& second,
                           const scene::Contact& rule, const std::string& what) {
  const bool first_is_first = model_.surfaces[at(first[0])].kind == kind.row->first;
  const std::vector<int>&ones = first_is_first ? first : second, &others = first_is_first ? second : first;
  const geometry::Surface::Kind around = kind.row->second;
  const bool inside = around == geometry::Surface::Kind::hole || around == geometry::Surface::Kind::socket;
  for (const int j : others)
    for (const int i : ones) {
      const geometry::Surface &f = model_.surfaces[at(i)], &s = model_.surfaces[at(j)];
      if (inside && f.body != s.body && !(f.radius_m < s.radius_m)) {
        fail(rule.places.of("materials"), what + ": the radius " + text_of(f.radius_m, 6) +
                                              " m does not fit into the " + std::string(geometry::name_of(s.kind)) +
                                              " of radius " + text_of(s.radius_m, 6) + " m");
        return false;
      }
      if (!inside && i != ones.front() && j != others.front()) break;  // one against all, and all against one
      const geometry::Radii radii = kind.row->radii(f, s);
      const bool as_known = radii.first_m == kind.radii.first_m && radii.second_m == kind.radii.second_m &&
                            line_length_m(*kind.row, f, s) == kind.line_length_m;
      if (!kind.request.pairing || as_known) continue;
      contact::LawRequest request = kind.request;
      request.pairing->radius_i_m = radii.first_m;
      request.pairing->radius_j_m = radii.second_m;
      request.pairing->length_m = line_length_m(*kind.row, f, s);
      if (const auto spec = contact::specify(request); !spec) {
        for (const Diagnostic& d : spec.errors()) fail(rule.places.of("materials"), what + ": " + d.text);
        return false;
      }
    }
  return true;
}

/// Shapes that overlap before anything has moved: a mistake, unless the scene says that it is meant.
void Compiler::find_initial_overlaps() {
  Motions motions;
  place_bodies(model_, 0, model_.start, motions);
  BroadPhase broad_phase(model_);
  for (const ContactPair& p : broad_phase.near(motions, motions, 0)) {
    const geometry::Surface &f = model_.surfaces[at(p.first)], &s = model_.surfaces[at(p.second)];
    const Contact& contact = model_.contacts[at(model_.contact_kinds[at(p.kind)].contact)];
    if (contact.allow_initial_overlap) continue;
    if (std::isfinite(f.reach_m) && std::isfinite(s.reach_m)) {
      const Vec3 c_f = motions[at(f.body)].p_m + motions[at(f.body)].R * f.centre,
                 c_s = motions[at(s.body)].p_m + motions[at(s.body)].R * s.centre;
      if (norm(c_f - c_s) > f.reach_m + s.reach_m) continue;
    }
    const auto closest = geometry::closest_spot(*model_.contact_kinds[at(p.kind)].row, f, s, motions[at(f.body)],
                                                motions[at(s.body)], 0);
    if (!closest || closest->gap_m >= -kOverlapAllowed * model_.length_m) continue;
    const geometry::Measure& m = closest->spot.feature.measure;
    const geometry::MeasureValue gap =
        geometry::gap_at(closest->spot.feature, motions[at(m.body_a)], motions[at(m.body_b)]);
    const Vec3 place = motions[at(m.body_b)].p_m + gap.end_b - closest->spot.feature.back_m * gap.b.linear;
    if (f.stop) {
      const scene::Joint& joint = *std::ranges::find(
          scene_.joints, contact.name, [](const scene::Joint& j) { return j.name + std::string(kStopSuffix); });
      fail(joint.limits->places.at, "joint " + in_quotes(joint.name) + ": limits: it begins " +
                                        text_of(-closest->gap_m, 3) + (geometry::is_angle(m) ? " rad" : " m") +
                                        " beyond a limit; say allow_initial_overlap: true if that is meant");
      continue;
    }
    Where where = scene_.places.at;
    for (const scene::Contact& c : scene_.contacts)
      if (c.name == contact.name) where = c.places.at;
    for (const scene::Joint& j : scene_.joints)
      if (j.name == contact.name) where = j.places.at;
    fail(where, "contact " + in_quotes(contact.name) + ": bodies " + in_quotes(model_.bodies[at(f.body)].name) +
                    " and " + in_quotes(model_.bodies[at(s.body)].name) + " overlap by " +
                    text_of(-closest->gap_m, 3) + " m at the start, at (" + text_of(place.x, 4) + ", " +
                    text_of(place.y, 4) + (scene_.planar ? "" : ", " + text_of(place.z, 4)) +
                    ") m; move them apart or say allow_initial_overlap: true");
  }
}

}  // namespace percuss::model
