// Functions of time and of what the scene measures; events.
#include <algorithm>
#include <cctype>
#include <cmath>

#include "percuss/base/index.h"
#include "percuss/base/words.h"
#include "percuss/expression/parse.h"
#include "percuss/joint/table.h"
#include "percuss/model/channel_table.h"
#include "percuss/model/compiler.h"
#include "percuss/model/kinematics.h"

namespace percuss::model {

namespace {
constexpr int kTriedBreaks = 100;
constexpr double kTriedSeconds = 1e6;
}  // namespace

/// Of a joint's coordinate, its first without a name; a length where there is no such thing, which is told
/// elsewhere.
Dimension Compiler::coordinate_dimension(const std::string& joint, const std::string& coordinate) const {
  const auto found = std::ranges::find(model_.joints, joint, &Joint::name);
  const Coordinate* c = found == model_.joints.end() ? nullptr : found->coordinate(coordinate);
  return c ? c->dimension : dimension::length;
}

/// Every name that an expression may use, beside t and the constants.
void Compiler::name_channels() {
  using Of = ChannelRow::Of;
  const auto add = [this](Of of, const std::string& name, std::size_t index, const Dimension& coordinate) {
    for (const ChannelRow& row : channel_rows()) {
      if (row.of != of || !row.exists(scene_.planar)) continue;
      Channel c{name + "." + std::string(row.suffix),
                row.kind,
                static_cast<int>(index),
                row.component,
                row.dimension,
                std::string(row.unit)};
      if (of == Of::spring) {
        const bool turns = coordinate == dimension::number;
        if (row.kind == Channel::Kind::spring_force) {
          if (turns) c.dimension = dimension::torque;
          c.unit = turns ? "N m" : "N";
        } else {
          if (turns) c.dimension.m = 0;
          c.unit = std::string(turns ? "rad" : "m") + (row.kind == Channel::Kind::spring_rate ? "/s" : "");
        }
      }
      model_.channels.push_back(std::move(c));
    }
  };
  for (std::size_t b = 1; b < model_.bodies.size(); ++b) add(Of::body, model_.bodies[b].name, b, {});
  for (std::size_t i = 0; i < model_.variables.size(); ++i)
    model_.channels.push_back(
        {model_.variables[i], Channel::Kind::variable, static_cast<int>(i), 0, dimension::number, ""});
  add_markers();
  for (std::size_t m = 0; m < model_.markers.size(); ++m) add(Of::marker, model_.markers[m].name, m, {});
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    add(model_.joints[j].row->build ? Of::joint : Of::coupling, model_.joints[j].name, j, {});
  for (std::size_t i = 0; i < scene_.drivers.size(); ++i) add(Of::driver, scene_.drivers[i].name, i, {});
  add(Of::system, "system", 0, {});
  for (const Joint& j : model_.joints)
    for (const Coordinate& c : j.coordinates) {
      const Dimension rate{c.dimension.m, c.dimension.kg, c.dimension.s - 1};
      std::string name = j.name + "." + c.name;
      std::ranges::replace(name, '-', '_');
      const bool turns = c.dimension == dimension::number;
      model_.channels.push_back(
          {name, Channel::Kind::measure_value, c.measure, 0, c.dimension, turns ? "rad" : unit_of(c.dimension)});
      model_.channels.push_back(
          {name + "_rate", Channel::Kind::measure_rate, c.measure, 0, rate, turns ? "rad/s" : unit_of(rate)});
    }
  for (std::size_t i = 0; i < scene_.springs.size(); ++i)  // compiled later, in this order
    add(Of::spring, scene_.springs[i].name, i,
        scene_.springs[i].joint.empty()
            ? dimension::length
            : coordinate_dimension(scene_.springs[i].joint, scene_.springs[i].coordinate));
  const std::size_t of_joints = model_.contacts.size();  // those of clearance joints are there already
  for (std::size_t i = 0; i < of_joints; ++i) add(Of::contact, model_.contacts[i].name, i, {});
  for (std::size_t i = 0; i < scene_.contacts.size(); ++i)
    add(Of::contact, scene_.contacts[i].name, of_joints + i, {});
  for (std::size_t i = 0; i < model_.channels.size(); ++i)
    channel_of_.emplace(model_.channels[i].name, static_cast<int>(i));
}

void Compiler::add_markers() {
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const scene::Body* source = body_sources_[b];
    if (!source) continue;
    const Body& body = model_.bodies[b];
    const bool is_point = body.kind == Body::Kind::particle || body.kind == Body::Kind::planar_particle;
    for (const auto& [name, point_m] : source->markers) {
      const Where& place = source->places.of("markers");
      const std::string what = "body " + in_quotes(source->name) + ": marker " + in_quotes(name);
      if (is_point && norm(point_m) > 0)
        fail(place, what + ": a particle has no directions: a marker is at its place");
      if (scene_.planar && point_m.z != 0) fail(place, what + ": a planar scene lies in z = 0");
      model_.markers.push_back({source->name + "." + name, static_cast<int>(b), point_m + body.origin_m});
    }
  }
}

/// A marker, or the frame of a body.
std::optional<int> Compiler::marker_called(std::string_view name) {
  const auto known = std::ranges::find(model_.markers, name, &Marker::name);
  if (known != model_.markers.end()) return static_cast<int>(known - model_.markers.begin());
  const auto body = std::ranges::find(model_.bodies, name, &Body::name);
  if (body == model_.bodies.end()) return std::nullopt;
  model_.markers.push_back({std::string(name), static_cast<int>(body - model_.bodies.begin()), body->origin_m});
  return static_cast<int>(model_.markers.size()) - 1;
}

namespace {
struct MarkerFunction {
  std::string_view name;
  Channel::Kind kind;
  std::size_t markers;
  Dimension dimension;
  std::string_view unit;
};
constexpr MarkerFunction kMarkerFunctions[] = {
    {"distance", Channel::Kind::marker_distance, 2, dimension::length, "m"},
    {"distance_rate", Channel::Kind::marker_distance_rate, 2, dimension::velocity, "m/s"},
    {"angle", Channel::Kind::marker_angle, 3, dimension::number, "rad"},
};
}  // namespace

/// distance(A, B) and its like are channels too, made where they are first read; the text gets their names.
std::string Compiler::with_marker_channels(const std::string& text, const Where& place, const std::string& what) {
  std::string out = text;
  for (const MarkerFunction& f : kMarkerFunctions)
    for (std::size_t from = 0; (from = out.find(std::string(f.name) + "(", from)) != std::string::npos;) {
      const bool begins = from == 0 || !(std::isalnum(static_cast<unsigned char>(out[from - 1])) ||
                                         out[from - 1] == '_' || out[from - 1] == '.');
      const std::size_t open = from + f.name.size(), close = out.find(')', open);
      if (!begins || close == std::string::npos) {
        from = open;
        continue;
      }
      const std::vector<std::string> names =
          split_at(std::string_view(out).substr(open + 1, close - open - 1), ',');
      const std::string call = std::string(f.name) + "(" +
                               percuss::joined(std::vector<std::string_view>(names.begin(), names.end())) + ")";
      if (names.size() != f.markers) {
        fail(place, what + ": " + call + ": expected " + (f.markers == 2 ? "two" : "three") + " markers");
        return "0";
      }
      MarkerSet set{-1, -1, -1};
      for (std::size_t k = 0; k < names.size(); ++k) {
        const auto marker = marker_called(names[k]);
        std::vector<std::string_view> known;
        for (const Marker& m : model_.markers) known.push_back(m.name);
        for (const Body& b : model_.bodies) known.push_back(b.name);
        if (!marker) {
          fail(place, what + ": " + call + ": no marker or body is called " + in_quotes(names[k]) +
                          did_you_mean(names[k], known));
          return "0";
        }
        set[k] = *marker;
      }
      const auto [channel, is_new] = channel_of_.emplace(call, static_cast<int>(model_.channels.size()));
      if (is_new) {
        const std::string name = "between_markers_" + std::to_string(model_.marker_sets.size());
        model_.channels.push_back(
            {name, f.kind, static_cast<int>(model_.marker_sets.size()), 0, f.dimension, std::string(f.unit)});
        model_.marker_sets.push_back(set);
        channel_of_.emplace(name, channel->second);
      }
      const std::string& name = model_.channels[at(channel->second)].name;
      out.replace(from, close + 1 - from, name);
      from += name.size();
    }
  return out;
}

Function Compiler::function(const scene::Function& text, const Dimension& dimension, const std::string& what,
                            bool of_time_alone) {
  if (const Result<double> number = read_number(text.text, dimension)) {
    Function f;
    f.value = *number;
    return f;
  } else if (number.errors().front().kind == Diagnostic::Kind::dimension) {
    fail(text.at, what + ": " + number.errors().front().text);
    return {};
  }
  return expression_of(text.text, text.at, what, of_time_alone);
}

std::optional<double> Compiler::constant(const scene::Function& text, const Dimension& dimension,
                                         const std::string& what) {
  const Result<double> number = scene_.constants.number(text.text, dimension);
  if (number) return *number;
  fail(text.at, what + ": " + number.errors().front().text);
  return std::nullopt;
}

/// The parser has been told of the names in use only; the hint is from all that could be.
std::string Compiler::unknown_name(const std::string& text, const Diagnostic& found, bool of_time_alone) const {
  std::vector<std::string_view> names{"t"};
  for (const std::string& name : scene_.constants.names()) names.push_back(name);
  if (!of_time_alone)
    for (const Channel& channel : model_.channels) names.push_back(channel.name);
  const Result<expression::Program> wide = expression::parse(text, names);
  return wide ? found.text : wide.errors().front().text;
}

Function Compiler::expression_of(const std::string& given, const Where& place, const std::string& what,
                                 bool of_time_alone) {
  const std::string text = of_time_alone ? given : with_marker_channels(given, place, what);
  // the names that stand in the text: a scene may have a hundred thousand channels
  Function f;
  std::vector<std::string_view> used{"t"};
  std::vector<double> values;
  std::vector<std::string_view> constants;
  scene::with_names_replaced(text, [&](std::string_view name) {
    if (const auto channel = channel_of_.find(name); !of_time_alone && channel != channel_of_.end()) {
      if (std::ranges::find(used, channel->first) != used.end()) return std::string{};
      used.push_back(channel->first);
      f.channels.push_back(channel->second);
    } else if (const auto slot = scene_.constants.find(name)) {
      if (std::ranges::find(constants, scene_.constants.names()[*slot]) != constants.end()) return std::string{};
      constants.push_back(scene_.constants.names()[*slot]);
      values.push_back(scene_.constants.value(*slot));
    }
    return std::string{};
  });
  if (f.channels.size() > Function::kMostChannels)
    fail(place, what + ": more than 63 measured numbers in one expression");
  const std::size_t first_constant = used.size();
  used.insert(used.end(), constants.begin(), constants.end());
  const Result<expression::Program> program = expression::parse(text, used);
  if (!program) {
    const Diagnostic& d = program.errors().front();
    fail({place.source, place.line, place.line > 0 ? place.column + std::max(d.at.column - 1, 0) : 0,
          place.instance},
         what + ": " + (d.text.starts_with("unknown name") ? unknown_name(text, d, of_time_alone) : d.text));
    return {};
  }
  f.program = *program;
  for (std::size_t i = 0; i < values.size(); ++i)
    f.program = f.program.with(static_cast<int>(first_constant + i), values[i]);
  f.is_constant = f.channels.empty() && !f.program.uses(0);
  f.sites = f.program.sites();
  if (f.is_constant) {
    const double zero = 0;
    f.value = f.program.evaluate(std::span(&zero, 1));
    if (!std::isfinite(f.value)) fail(place, what + ": " + in_quotes(text) + " is not a number");
  }
  return f;
}

/// Places of the pieces; and no position may jump, as far as that is seen now: the first break points are tried.
void Compiler::add_pieces() {
  each_function(model_, [this](Function& f) {
    if (f.sites.empty()) return;
    f.pieces_at = static_cast<int>(model_.pieces);
    model_.pieces += f.sites.size();
    if (f.has_breaks()) f.clock = model_.clocks++;
  });
  const auto check = [this](const Function& f, const Where& place, const std::string& what) {
    if (!f.has_breaks()) return;
    std::vector<double> left(f.sites.size(), 0.0);
    expression::settle_time_pieces(f.program, f.sites, 0, left);
    std::vector<double> right = left;
    double t = 0;
    for (int k = 0; k < kTriedBreaks; ++k) {
      const double end = std::min(settings_.duration_s, t + kTriedSeconds);
      const expression::NextBreak next = expression::next_break(f.program, f.sites, left, t, end);
      if (!next.at) return;
      t = *next.at;
      expression::settle_time_pieces(f.program, f.sites, t, right);
      const double before = expression::differentiate_on(f.program, t, left).value,
                   after = expression::differentiate_on(f.program, t, right).value;
      if (jumps(before, after, model_.length_m))
        return fail(place, what + ": its position jumps from " + text_of(before, 6) + " to " + text_of(after, 6) +
                               " at t = " + text_of(t, 9) +
                               " s; only its rate can jump: use a ramp, e.g. table(t, ...) or step(t, ...)");
      left = right;
    }
  };
  for (std::size_t i = 0; i < model_.drivers.size(); ++i)
    for (const scene::Driver& source : scene_.drivers)
      if (source.name == model_.drivers[i].name && source.value)
        check(model_.drivers[i].function, source.value->at, "driver " + in_quotes(source.name));
  for (std::size_t b = 0; b < model_.bodies.size(); ++b)
    if (const scene::Body* source = body_sources_[b];
        source && source->motion && model_.bodies[b].motion.size() == 4) {
      const scene::Motion& m = *source->motion;
      const scene::Function* const texts[] = {&m.x, &m.y, &m.z, &m.angle};
      for (std::size_t k = 0; k < 4; ++k)
        check(model_.bodies[b].motion[k], texts[k]->at, "body " + in_quotes(source->name));
    }
}

/// EXPRESSION crosses VALUE: the function whose zero is looked for is their difference.
void Compiler::add_events() {
  for (const scene::Event& source : scene_.events) {
    const std::string what = "event " + in_quotes(source.name);
    Event event;
    event.name = source.name;
    event.once = source.once;
    const Where& place = source.places.of("when");
    struct Word {
      std::string_view text;
      Event::Direction direction;
    };
    constexpr Word kWords[] = {{" crosses ", Event::Direction::both},
                               {" rises through ", Event::Direction::rising},
                               {" falls through ", Event::Direction::falling}};
    bool found = false;
    for (const Word& word : kWords) {
      const std::size_t where = source.when.find(word.text);
      if (where == std::string::npos) continue;
      found = true;
      event.direction = word.direction;
      const std::string left = with_marker_channels(source.when.substr(0, where), place, what);
      std::string right = source.when.substr(where + word.text.size());
      Dimension dimension{};
      if (const auto channel = channel_of_.find(left); channel != channel_of_.end())
        dimension = model_.channels[at(channel->second)].dimension;
      if (const Result<double> number = read_number(right, dimension)) right = text_of(*number);
      event.function = expression_of("(" + left + ") - (" + right + ")",
                                     {place.source, place.line, std::max(place.column - 1, 0)}, what, false);
    }
    if (!found)
      fail(place, what + ": when: expected EXPRESSION crosses VALUE (or rises through, falls through), found " +
                      in_quotes(source.when));
    for (const std::string& then : source.then) add_action(source, then, what, event);
    model_.events.push_back(std::move(event));
  }
}

/// What an event does, in the words of `then`.
void Compiler::add_action(const scene::Event& source, const std::string& then, const std::string& what,
                          Event& event) {
  const Where& place = source.places.of("then");
  const std::size_t blank = then.find(' ');
  const std::string verb = then.substr(0, blank);
  std::string name = blank == std::string::npos ? "" : then.substr(blank + 1);
  if (then == "record") {
    event.record = true;
  } else if (then == "stop") {
    event.stop = event.record = true;
  } else if ((verb == "enable" || verb == "disable" || verb == "release") && !name.empty()) {
    const auto known = std::ranges::find(model_.switches, name);
    std::vector<std::string_view> names(model_.switches.begin(), model_.switches.end());
    std::erase_if(names, [](std::string_view n) { return n.find('.') != std::string_view::npos; });
    if (known == model_.switches.end())
      return fail(place, what + ": no force, spring, joint, driver or contact is called " + in_quotes(name) +
                             did_you_mean(name, names));
    const auto contact = std::ranges::find(model_.contacts, name, &Contact::name);
    if (contact != model_.contacts.end() && contact->impulsive)
      return fail(place,
                  what + ": contact " + in_quotes(name) + ": with response: impulsive it cannot be switched");
    event.switches.emplace_back(static_cast<int>(known - model_.switches.begin()), verb == "enable");
  } else if ((verb == "lock" || verb == "unlock") && !name.empty()) {
    const int joint = joint_index(name, place, what);
    if (joint < 0) return;
    if (model_.joints[at(joint)].coordinates.empty())
      return fail(place, what + ": joint " + in_quotes(name) + " has no coordinate that could be locked");
    event.switches.emplace_back(lock_of(model_.joints[at(joint)]), verb == "lock");
  } else if (verb == "set" && !name.empty()) {
    const std::size_t end = name.find(' ');
    const std::string variable = name.substr(0, end);
    const auto known = std::ranges::find(model_.variables, variable);
    const std::vector<std::string_view> names(model_.variables.begin(), model_.variables.end());
    if (known == model_.variables.end())
      return fail(place, what + ": no variable is called " + in_quotes(variable) + did_you_mean(variable, names));
    if (end == std::string::npos)
      return fail(place, what + ": expected set VARIABLE EXPRESSION, found " + in_quotes(then));
    event.sets.emplace_back(static_cast<int>(known - model_.variables.begin()),
                            expression_of(name.substr(end + 1), place, what + ": set " + variable, false));
  } else {
    fail(place, what +
                    ": then: expected record, stop, enable, disable or release NAME, lock or unlock JOINT, or set "
                    "VARIABLE EXPRESSION, found " +
                    in_quotes(then));
  }
}

/// A row for each coordinate, off until an event locks them where they are.
int Compiler::lock_of(const Joint& joint) {
  const std::string name = joint.name + ".lock";
  const auto known = std::ranges::find(model_.switches, name);
  if (known != model_.switches.end()) return static_cast<int>(known - model_.switches.begin());
  const int index = add_switch(name, false);
  for (const Coordinate& c : joint.coordinates) {
    Row row;
    row.terms = {{c.measure, 1.0}};
    row.switch_index = index;
    row.name = name;
    add_row(std::move(row));
  }
  return index;
}

void Compiler::add_variables() {
  for (const auto& [name, text] : scene_.variables) {
    const std::string what = "variables." + name;
    if (!expression::is_free_name(name) || name == "t" || name.find('.') != std::string::npos)
      fail(text.at, "variables: " + in_quotes(name) + " cannot be a name of a variable");
    if (scene_.constants.contains(name)) fail(text.at, what + ": a constant has this name already");
    const Result<expression::Amount> start = scene_.constants.amount(text.text);
    if (!start) fail(text.at, what + ": " + start.errors().front().text);
    model_.variables.push_back(name);
    model_.variable_start.push_back(start ? start->si : 0);
  }
}

}  // namespace percuss::model
