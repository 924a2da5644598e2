// Contacts: shapes to surfaces, words to laws.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "percuss/base/index.h"
#include "percuss/base/words.h"
#include "percuss/model/compiler.h"
#include "percuss/scene/law_file.h"

namespace percuss::model {

void Compiler::add_contacts() {
  for (const scene::Contact& source : scene_.contacts) add_contact(source);
}

/// "body" (its only shape) or "body.shape".
std::optional<geometry::Surface> Compiler::surface(const std::string& name, const Where& place,
                                                   const std::string& what, const scene::Material*& its_material) {
  const std::size_t dot = name.find('.');
  const std::string body_name = name.substr(0, dot);
  const int body = body_index(body_name, place, what);
  if (body < 0) return std::nullopt;
  const scene::Body* source = body_sources_[at(body)];
  const std::vector<scene::Shape> none;
  const std::vector<scene::Shape>& shapes = source ? source->shapes : none;
  const scene::Shape* shape = nullptr;
  if (dot == std::string::npos) {
    if (shapes.size() != 1) {
      fail(place,
           what + ": body " + in_quotes(body_name) +
               (shapes.empty() ? " has no shape" : " has several shapes; name one as " + body_name + ".SHAPE"));
      return std::nullopt;
    }
    shape = &shapes.front();
  } else {
    const std::string wanted = name.substr(dot + 1);
    std::vector<std::string_view> names;
    for (const scene::Shape& s : shapes) {
      names.push_back(s.name);
      if (s.name != wanted) continue;
      if (shape) {
        fail(place, what + ": body " + in_quotes(body_name) + " has several shapes called " + in_quotes(wanted) +
                        "; give them names");
        return std::nullopt;
      }
      shape = &s;
    }
    if (!shape) {
      fail(place, what + ": body " + in_quotes(body_name) + " has no shape " + in_quotes(wanted) +
                      did_you_mean(wanted, names));
      return std::nullopt;
    }
  }
  if (!shape->material.empty()) its_material = material(shape->material, shape->places.of("material"), what);
  geometry::Surface s;
  s.kind = shape->kind == "sphere" ? "sphere" : shape->kind == "plane" ? "plane" : std::string_view{};
  if (shape->kind.empty()) return std::nullopt;  // reported by the reader
  if (s.kind.empty()) {
    fail(place, what + ": a " + shape->kind + " has no contact yet; sphere and plane have");
    return std::nullopt;
  }
  if (s.kind == "sphere" && !shape->radius_m) {
    fail(shape->places.at, what + ": the sphere of body " + in_quotes(body_name) + " has no radius");
    return std::nullopt;
  }
  const Body& b = model_.bodies[at(body)];
  s.body = body;
  s.centre = shape->at_m + b.origin_m;
  s.normal = shape->axis.value_or(scene_.planar ? kAxisY : kAxisZ);
  s.radius_m = shape->radius_m.value_or(0);
  s.inside = shape->inside;
  if (b.kind == Body::Kind::particle && norm(s.centre) > 0)
    fail(place, what + ": a particle has its shape at its place");
  return s;
}

void Compiler::add_contact(const scene::Contact& source) {
  const std::string what = "contact " + in_quotes(source.name);
  Contact contact;
  contact.name = source.name;
  const Where& place = source.places.of("between");
  const scene::Material *m_a = nullptr, *m_b = nullptr;
  const auto a = source.between.first.empty() ? std::nullopt : surface(source.between.first, place, what, m_a);
  const auto b = source.between.first.empty() ? std::nullopt : surface(source.between.second, place, what, m_b);
  contact::LawRequest request = source.law;
  if (a && b) {
    contact.body_a = a->body;
    contact.body_b = b->body;
    if (a->body == b->body) fail(place, what + ": a body does not touch itself");
    if (model_.bodies[at(a->body)].velocity_count + model_.bodies[at(b->body)].velocity_count == 0)
      fail(place, what + ": neither of its bodies can move");
    const auto [row, swapped] = geometry::find_pair(a->kind, b->kind);
    if (!row) {
      fail(place,
           what + ": " + std::string(a->kind) + " and " + std::string(b->kind) + " are not a pair of the table");
      return;
    }
    if (a->inside && b->inside) fail(place, what + ": two hollow spheres do not touch");
    const geometry::Gap gap = swapped ? row->make(*b, *a) : row->make(*a, *b);
    if (gap.sign < 0 && !(gap.offset_m > 0)) fail(place, what + ": the ball does not fit into the hollow sphere");
    contact.measure = add_measure(gap.measure);
    contact.sign = gap.sign;
    contact.offset_m = gap.offset_m;
    contact.radius_m = contact::effective_radius_m(gap.radius_a_m, gap.radius_b_m);
    const bool stiffness_given =
        std::ranges::any_of(source.parameters, [](const auto& p) { return p.first == "stiffness"; });
    if (m_a && m_b && m_a->young_Pa && m_b->young_Pa && m_a->poisson && m_b->poisson && !stiffness_given)
      request.pairing = contact::Pairing{
          contact::effective_modulus_Pa(*m_a->young_Pa, *m_a->poisson, *m_b->young_Pa, *m_b->poisson),
          gap.radius_a_m, gap.radius_b_m, 0};
    for (const scene::Material* m : {m_a, m_b})
      if (m && m->young_Pa && m->density_kgpm3 &&
          (contact.young_Pa == 0 || *m->young_Pa / *m->density_kgpm3 < contact.young_Pa / contact.density_kgpm3)) {
        contact.young_Pa = *m->young_Pa;
        contact.density_kgpm3 = *m->density_kgpm3;
      }
  }
  std::string_view key = request.law;
  if (const contact::Alias* alias = contact::find_alias(key)) key = alias->key;
  const contact::DissipationRow* row = contact::find_dissipation(key);
  const contact::ElasticRow* elastic = contact::find_elastic(request.elastic.empty() ? key : request.elastic);
  const double exponent = request.exponent                   ? *request.exponent
                          : elastic && elastic->exponent > 0 ? elastic->exponent
                          : row && row->fixed_exponent > 0   ? row->fixed_exponent
                                                             : 1.5;
  for (const auto& [name, text] : source.parameters) {
    Dimension dimension = dimension::stiffness(exponent);
    if (name != "stiffness") {
      dimension = dimension::number;
      if (row)
        for (const contact::Parameter& p : row->parameters)
          if (p.name == name) dimension = p.dimension;
    }
    const auto value = constant(text, dimension, what + ": " + name);
    if (!value) continue;
    if (name == "stiffness")
      request.stiffness = *value;
    else
      request.parameters.emplace_back(name, *value);
  }
  if (!source.law_file.empty()) {
    namespace fs = std::filesystem;
    fs::path path = fs::path(scene_.source).parent_path() / source.law_file;
    std::error_code error;
    if (!fs::exists(path, error) && !scene_.law_folder.empty())  // one that is shipped, by its name
      for (const char* ending : {"", ".yaml"})
        if (const fs::path shipped = fs::path(scene_.law_folder) / (source.law_file + ending);
            fs::exists(shipped, error))
          path = shipped;
    const Result<contact::UserLaw> law = scene::read_law_file(path);
    if (law)
      request.user_law = *law;
    else
      errors_.insert(errors_.end(), law.errors().begin(), law.errors().end());
    if (!law) return;
  }
  const Result<contact::LawSpec> spec = contact::specify(request);
  if (!spec) {
    for (const Diagnostic& d : spec.errors()) {
      std::string key_of_word = d.at.source.starts_with("param") ? "parameters" : d.at.source;
      fail(source.places.of(key_of_word), what + ": " + d.at.source + ": " + d.text);
    }
    return;
  }
  contact.spec = *spec;
  for (const std::string& note : spec->notes) warn(source.places.of("law"), what + ": " + note);
  contact.persistent = source.persistent;
  contact.rest_speed_mps = source.rest_speed_mps.value_or(-1);
  contact.dissipated_at = add_quadratures(3);
  contact.impulse_at = contact.dissipated_at + 1;
  contact.other_work_at = contact.dissipated_at + 2;
  if (contact.measure >= 0) model_.contacts.push_back(std::move(contact));
}

}  // namespace percuss::model
