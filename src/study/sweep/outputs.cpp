// Names, brackets, and what they mean.
#include "percuss/study/sweep/outputs.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include "percuss/base/index.h"
#include "percuss/base/words.h"
#include "percuss/expression/parse.h"

namespace percuss::study {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct ImpactName {
  std::string_view name, meaning, unit;
  double impact::Outcome::*value;
  bool is_time = false;
};
constexpr ImpactName kImpactNames[] = {
    {"delivered", "delivered restitution", "", &impact::Outcome::restitution},
    {"peak_force", "peak force", "N", &impact::Outcome::peak_force_N},
    {"peak_indentation", "peak indentation", "m", &impact::Outcome::peak_indentation_m},
    {"lowest_force", "least force; below 0: the law pulled", "N", &impact::Outcome::lowest_force_N},
    {"duration", "of the contact", "s", &impact::Outcome::duration_s, true},
    {"peak_force_time", "from touch", "s", &impact::Outcome::peak_force_time_s, true},
    {"peak_indentation_time", "from touch", "s", &impact::Outcome::peak_indentation_time_s, true},
    {"stored", "energy stored at maximum compression", "J", &impact::Outcome::stored_energy_J},
    {"returned", "kinetic energy at the end", "J", &impact::Outcome::returned_energy_J},
    {"lost", "energy lost", "J", &impact::Outcome::lost_energy_J},
    {"plastic", "of it, left in the permanent indentation", "J", &impact::Outcome::plastic_energy_J},
    {"permanent_indentation", "permanent indentation", "m", &impact::Outcome::permanent_indentation_m},
};

using recording::Impact;
using recording::Recording;

template <class Value>
double largest(const Recording& r, int contact, Value&& value) {
  double out = 0;
  for (const Impact& k : r.impacts)
    if (contact < 0 || k.contact == contact) out = std::max(out, value(k));
  return out;
}
template <class Value>
double total(const Recording& r, int contact, Value&& value) {
  double out = 0;
  for (const Impact& k : r.impacts)
    if (contact < 0 || k.contact == contact) out += value(k);
  return out;
}

/// Of a contact, or with -1 of all.
struct ContactName {
  std::string_view name, meaning, unit;
  double (*value)(const Recording&, int contact);
};
constexpr ContactName kContactNames[] = {
    {"impacts", "how many, persistent contacts counted", "",
     [](const Recording& r, int c) { return total(r, c, [](const Impact&) { return 1.0; }); }},
    {"law_speed_raised", "in how many impacts the law speed was above the approach speed", "",
     [](const Recording& r, int c) {
       return total(r, c, [](const Impact& k) { return static_cast<double>(k.law_speed_raised); });
     }},
    {"peak_force", "peak force of all impacts", "N",
     [](const Recording& r, int c) { return largest(r, c, [](const Impact& k) { return k.peak_force_N; }); }},
    {"peak_indentation", "peak indentation of all impacts", "m",
     [](const Recording& r, int c) { return largest(r, c, [](const Impact& k) { return k.peak_indentation_m; }); }},
    {"peak_approach_speed", "fastest approach of all impacts", "m/s",
     [](const Recording& r, int c) { return largest(r, c, [](const Impact& k) { return k.approach_speed_mps; }); }},
    {"impulse", "of all impacts", "N s",
     [](const Recording& r, int c) { return total(r, c, [](const Impact& k) { return k.impulse_Ns; }); }},
    {"lost", "energy lost in impacts, along the normal and by friction", "J",
     [](const Recording& r, int c) {
       return total(r, c, [](const Impact& k) { return k.lost_J + k.friction_J; });
     }},
};

struct RunName {
  std::string_view name, meaning, unit;
  double (*value)(const Recording&);
};
constexpr RunName kRunNames[] = {
    {"lost", "energy lost in the run", "J",
     [](const Recording& r) { return r.ledger.end.lost_J() - r.ledger.start.lost_J(); }},
    {"supplied", "energy put in by drivers, forces and motions", "J",
     [](const Recording& r) { return r.ledger.end.supplied_J() - r.ledger.start.supplied_J(); }},
    {"kinetic", "energy at the end", "J", [](const Recording& r) { return r.ledger.end.kinetic_J; }},
    {"potential", "energy at the end", "J", [](const Recording& r) { return r.ledger.end.potential_J; }},
    {"energy_error", "largest error of the energy balance", "J",
     [](const Recording& r) { return r.ledger.largest_error_J; }},
    {"energy_exchanged", "largest amount of energy in play", "J",
     [](const Recording& r) { return r.ledger.exchanged_J; }},
    {"horizon", "until when a run at a hundredth of the tolerance stays with this one; the end, if to the end", "s",
     [](const Recording& r) {
       if (!r.horizon) return kNone;
       return r.horizon->together() ? r.time_s : r.horizon->parted_s;
     }},
    {"end_time", "time reached", "s", [](const Recording& r) { return r.time_s; }},
    {"steps", "of the integrator", "", [](const Recording& r) { return static_cast<double>(r.counts.steps); }},
    {"warnings", "how many", "", [](const Recording& r) { return static_cast<double>(r.warnings.size()); }},
    {"impacts", "of all contacts", "", [](const Recording& r) { return static_cast<double>(r.impact_count); }},
};
constexpr bool is_of_run(std::string_view name) {
  return std::ranges::any_of(kRunNames, [name](const RunName& n) { return n.name == name; });
}

constexpr std::array<std::string_view, 5> kTakes = {"max", "min", "mean", "first", "last"};

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool goes_on(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

std::string as_name(std::string text) {
  std::ranges::replace(text, '-', '_');
  return text;
}

class OutputReader {
 public:
  OutputReader(const OutputContext& context, std::vector<Diagnostic>& errors) : context_(context), errors_(errors) {
    for (std::size_t i = 0; i < context.axes.size(); ++i)
      if (!context.axes[i].empty()) know(context.axes[i], {Measure::Kind::axis, static_cast<int>(i)});
    if (context.isolated_impact)
      for (std::size_t i = 0; i < std::size(kImpactNames); ++i)
        know(std::string(kImpactNames[i].name), {Measure::Kind::of_impact, static_cast<int>(i)});
    if (!context.run) return;
    for (std::size_t i = 0; i < std::size(kRunNames); ++i)
      know(std::string(kRunNames[i].name), {Measure::Kind::of_run, static_cast<int>(i)});
    for (std::size_t i = 0; i < std::size(kContactNames); ++i)
      if (!is_of_run(kContactNames[i].name))
        know(std::string(kContactNames[i].name), {Measure::Kind::of_contact, static_cast<int>(i)});
    for (std::size_t c = 0; c < context.run->contacts.size(); ++c)
      for (std::size_t i = 0; i < std::size(kContactNames); ++i)
        know(as_name(context.run->contacts[c].name) + "." + std::string(kContactNames[i].name),
             {Measure::Kind::of_contact, static_cast<int>(i), static_cast<int>(c)});
  }

  Output read(const std::string& name, const scene::Function& source) {
    Output out{name, source.text, source.at, {}, {}, {}};
    std::vector<std::string> names = names_;
    out.variables = measures_;
    const std::string text = without_brackets(source, names, out.variables);
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == text) out.unit = unit_of_measure(out.variables[i]);
    const std::vector<std::string_view> views(names.begin(), names.end());
    Result<expression::Program> program = expression::parse(text, views);
    if (program)
      out.program = std::move(*program);
    else
      for (const Diagnostic& d : program.errors())
        errors_.push_back({{source.at.source, source.at.line, source.at.column + std::max(d.at.column - 1, 0)},
                           "output " + name + ": " + d.text});
    know(name, {Measure::Kind::output, static_cast<int>(units_.size())});
    units_.push_back(out.unit);
    return out;
  }

  bool knows(const std::string& name) const { return std::ranges::find(names_, name) != names_.end(); }

 private:
  void know(const std::string& name, Measure measure) {
    const bool is_measured = measure.kind != Measure::Kind::axis && measure.kind != Measure::Kind::output;
    if (is_measured && std::ranges::find(context_.axes, name) != context_.axes.end())
      errors_.push_back({{"axes"},
                         in_quotes(name) +
                             " is the name of an axis and of something measured; give the "
                             "axis another name and say what it sets: {sets: " +
                             name + "}"});
    names_.push_back(name);
    measures_.push_back(std::move(measure));
  }

  /// NAME[WHICH] becomes a variable of its own.
  std::string without_brackets(const scene::Function& source, std::vector<std::string>& names,
                               std::vector<Measure>& measures) {
    const std::string& text = source.text;
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
      if (!begins_name(text[i])) {
        // digits and dots of a number such as 1e5 must not begin a name at the e
        std::size_t end = i + 1;
        if (std::isdigit(static_cast<unsigned char>(text[i])) != 0)
          while (end < text.size() && goes_on(text[end])) ++end;
        out += text.substr(i, end - i);
        i = end;
        continue;
      }
      std::size_t end = i;
      while (end < text.size() && goes_on(text[end])) ++end;
      const std::string name = text.substr(i, end - i);
      std::size_t open = end;
      while (open < text.size() && text[open] == ' ') ++open;
      const std::size_t close = text.find(']', open);
      if (open >= text.size() || text[open] != '[' || close == std::string::npos) {
        out += name;
        i = end;
        continue;
      }
      const Where at{source.at.source, source.at.line, source.at.column + static_cast<int>(i)};
      Measure measure;
      if (const auto found = bracketed(name, text.substr(open + 1, close - open - 1), at)) measure = *found;
      names.push_back("measured_" + std::to_string(names.size()));
      measures.push_back(measure);
      out += names.back();
      i = close + 1;
    }
    return out;
  }

  std::optional<Measure> fail(const Where& at, std::string text) {
    errors_.push_back({at, std::move(text)});
    return std::nullopt;
  }

  std::optional<Measure> bracketed(const std::string& name, std::string which, const Where& at) {
    which = split_at(which, ',').size() == 1 ? split_at(which, ',').front() : which;  // without blanks around it
    if (!context_.run)
      return fail(at, name + "[" + which + "]: only runs of a scene have impacts in a row and channels");
    const std::vector<recording::Column> columns = recording::impact_columns();
    const std::size_t dot = name.rfind('.');
    const std::string last = dot == std::string::npos ? name : name.substr(dot + 1);
    const std::string before = dot == std::string::npos ? "" : name.substr(0, dot);
    int contact = -1;
    for (std::size_t c = 0; c < context_.run->contacts.size(); ++c)
      if (as_name(context_.run->contacts[c].name) == before) contact = static_cast<int>(c);
    const bool is_channel = is_channel_name(name);
    const auto column = std::ranges::find(columns, last, &recording::Column::name);
    if (column != columns.end() && (before.empty() || contact >= 0) && !is_channel) {
      const Result<double> number = read_number(which);
      if (!number || *number != std::floor(*number) || *number < 1 || *number > 1e6)
        return fail(at, name + "[" + which + "]: expected the number of an impact, from 1");
      return Measure{Measure::Kind::of_impact_number, static_cast<int>(column - columns.begin()), contact,
                     static_cast<int>(*number)};
    }
    if (!is_channel) {
      std::vector<std::string> known;
      for (const model::Channel& c : context_.run->channels) known.push_back(c.name);
      for (const recording::Column& c : columns) known.push_back(c.name);
      const std::vector<std::string_view> views(known.begin(), known.end());
      return fail(at, "nothing that is recorded is called " + in_quotes(name) + did_you_mean(name, views));
    }
    Measure out{Measure::Kind::of_channel};
    out.channel = name;
    if (const auto take = std::ranges::find(kTakes, which); take != kTakes.end()) {
      out.take = static_cast<Measure::Take>(1 + (take - kTakes.begin()));
      return out;
    }
    const Result<double> time = read_number(which, dimension::time);
    if (!time || *time < 0) return fail(at, name + "[" + which + "]: expected a time, or " + joined(kTakes));
    out.take = Measure::Take::at_time;
    out.time_s = *time;
    return out;
  }

  std::string unit_of_measure(const Measure& m) const {
    switch (m.kind) {
      case Measure::Kind::axis: return at(m.index) < context_.units.size() ? context_.units[at(m.index)] : "";
      case Measure::Kind::output: return units_[at(m.index)];
      case Measure::Kind::of_impact: return std::string(kImpactNames[at(m.index)].unit);
      case Measure::Kind::of_run: return std::string(kRunNames[at(m.index)].unit);
      case Measure::Kind::of_contact: return std::string(kContactNames[at(m.index)].unit);
      case Measure::Kind::of_impact_number: return recording::impact_columns()[at(m.index)].unit;
      case Measure::Kind::of_channel: break;
    }
    return unit_of_channel(*context_.run, m.channel);
  }

  bool is_channel_name(const std::string& name) const {
    return std::ranges::find(context_.run->channels, name, &model::Channel::name) != context_.run->channels.end();
  }

  const OutputContext& context_;
  std::vector<Diagnostic>& errors_;
  std::vector<std::string> names_;
  std::vector<Measure> measures_;
  std::vector<std::string> units_;  // of the outputs so far
};

}  // namespace

std::string unit_of_channel(const model::Model& model, std::string_view name) {
  const auto found = std::ranges::find(model.channels, name, &model::Channel::name);
  return found == model.channels.end() || found->dimension == Dimension{} ? "" : unit_of(found->dimension);
}

std::vector<OutputName> output_names() {
  const auto said = [](const auto& row) {
    return std::string(row.meaning) + (row.unit.empty() ? "" : " (" + std::string(row.unit) + ")");
  };
  std::vector<OutputName> out{{"AXIS", "the value of an axis of numbers"},
                              {"OUTPUT", "an output that stands before"}};
  for (const ImpactName& n : kImpactNames) out.push_back({std::string(n.name), "isolated impact: " + said(n)});
  for (const RunName& n : kRunNames) out.push_back({std::string(n.name), "scene: " + said(n)});
  for (const ContactName& n : kContactNames) {
    if (!is_of_run(n.name)) out.push_back({std::string(n.name), "scene: " + said(n)});
    out.push_back({"CONTACT." + std::string(n.name), "the same of one contact: " + said(n)});
  }
  for (const recording::Column& c : recording::impact_columns())
    out.push_back({c.name + "[K]", "scene: of the K-th impact" + (c.unit.empty() ? "" : ", " + c.unit) +
                                       "; CONTACT." + c.name + "[K] of one contact"});
  out.push_back(
      {"CHANNEL[0.5 s]", "scene: what an expression of a scene may name (ball.z, bounce.force), at a time"});
  out.push_back({"CHANNEL[max]", "and min, first, last, over the samples of the run; mean, over its time"});
  return out;
}

Result<std::vector<Output>> read_outputs(const std::vector<std::pair<std::string, scene::Function>>& texts,
                                         const OutputContext& context) {
  std::vector<Diagnostic> errors;
  std::vector<Output> out;
  OutputReader reader(context, errors);
  for (const auto& [name, text] : texts) {
    if (!expression::is_free_name(name) || name.find('.') != std::string::npos)
      errors.push_back({text.at, in_quotes(name) +
                                     " cannot name an output: a letter, then letters, digits and _, and no "
                                     "function or constant of expressions (e, pi, deg ...)"});
    // An output may have the name of what it keeps: "peak_force: peak_force". The later meaning is the output.
    out.push_back(reader.read(name, text));
  }
  if (!errors.empty()) return errors;
  return out;
}

namespace {
bool any_used(const std::vector<Output>& outputs, bool (*is_it)(const Measure&)) {
  for (const Output& o : outputs)
    for (std::size_t i = 0; i < o.variables.size(); ++i)
      if (is_it(o.variables[i]) && o.program.uses(static_cast<int>(i))) return true;
  return false;
}
}  // namespace

bool needs_times(const std::vector<Output>& outputs) {
  return any_used(outputs, [](const Measure& m) {
    return m.kind == Measure::Kind::of_impact && kImpactNames[at(m.index)].is_time;
  });
}

bool needs_horizon(const std::vector<Output>& outputs) {
  return any_used(outputs, [](const Measure& m) {
    return m.kind == Measure::Kind::of_run && kRunNames[at(m.index)].name == "horizon";
  });
}

std::vector<const Measure*> channels_of(const std::vector<Output>& outputs) {
  std::vector<const Measure*> out;
  for (const Output& o : outputs)
    for (const Measure& m : o.variables)
      if (m.kind == Measure::Kind::of_channel) out.push_back(&m);
  return out;
}

namespace {
std::string channel_name(std::size_t i) { return "of_the_study_" + std::to_string(i); }
}  // namespace

void ask_for_channels(const std::vector<const Measure*>& channels, scene::Outputs& outputs) {
  for (std::size_t i = 0; i < channels.size(); ++i) {
    outputs.channels.emplace_back(channel_name(i), scene::Function{channels[i]->channel, {}});
    if (channels[i]->take == Measure::Take::at_time) outputs.at_s.push_back(channels[i]->time_s);
  }
}

void ChannelSink::begin(const recording::Head&, const std::vector<recording::Table>& tables) {
  seen_.assign(channels_.size(), {});
  for (std::size_t t = 0; t < tables.size(); ++t) {
    if (tables[t].name != "channels") continue;
    table_ = t;
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      const auto found = std::ranges::find(tables[t].columns, channel_name(i), &recording::Column::name);
      seen_[i].column = static_cast<std::size_t>(found - tables[t].columns.begin());
    }
  }
}

bool ChannelSink::row(std::size_t table, std::span<const double> values) {
  if (table != table_) return true;
  const double t = values[0];
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    Seen& s = seen_[i];
    const double v = values[s.column];
    const double away = std::abs(t - channels_[i]->time_s);
    switch (channels_[i]->take) {
      case Measure::Take::at_time:
        if (s.count == 0 || away < s.nearest_s) s.value = v, s.nearest_s = away;
        break;
      case Measure::Take::max: s.value = s.count == 0 ? v : std::max(s.value, v); break;
      case Measure::Take::min: s.value = s.count == 0 ? v : std::min(s.value, v); break;
      case Measure::Take::mean:
        if (s.count == 0) s.first_t_s = t;
        if (s.count > 0) s.sum += (t - s.last_t_s) * (s.last + v) / 2;
        s.last = v;
        s.last_t_s = t;
        s.value = t > s.first_t_s ? s.sum / (t - s.first_t_s) : v;
        break;
      case Measure::Take::first:
        if (s.count == 0) s.value = v;
        break;
      case Measure::Take::last: s.value = v; break;
    }
    ++s.count;
  }
  return true;
}

std::vector<double> ChannelSink::values() const {
  std::vector<double> out;
  out.reserve(seen_.size());
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const bool missed =
        channels_[i]->take == Measure::Take::at_time && !(seen_[i].nearest_s <= 1e-9 * (1 + channels_[i]->time_s));
    out.push_back(seen_[i].count == 0 || missed ? kNone : seen_[i].value);
  }
  return out;
}

namespace {

double of_impact_number(const Measure& m, const Recording& r) {
  int k = 0;
  for (const Impact& impact : r.impacts)
    if ((m.contact < 0 || impact.contact == m.contact) && ++k == m.number)
      return recording::impact_row(impact)[at(m.index)];
  return kNone;
}

}  // namespace

std::vector<double> evaluate(const std::vector<Output>& outputs, const Measured& measured) {
  std::vector<double> out, slots;
  out.reserve(outputs.size());
  std::size_t channel = 0;
  for (const Output& o : outputs) {
    slots.assign(o.variables.size(), 0);
    for (std::size_t i = 0; i < o.variables.size(); ++i) {
      const Measure& m = o.variables[i];
      const std::size_t number = m.kind == Measure::Kind::of_channel ? channel++ : 0;
      if (!o.program.uses(static_cast<int>(i))) continue;
      switch (m.kind) {
        case Measure::Kind::axis: slots[i] = measured.axes[at(m.index)]; break;
        case Measure::Kind::output: slots[i] = out[at(m.index)]; break;
        case Measure::Kind::of_impact: slots[i] = measured.impact->*kImpactNames[at(m.index)].value; break;
        case Measure::Kind::of_run: slots[i] = kRunNames[at(m.index)].value(*measured.run); break;
        case Measure::Kind::of_contact:
          slots[i] = kContactNames[at(m.index)].value(*measured.run, m.contact);
          break;
        case Measure::Kind::of_impact_number: slots[i] = of_impact_number(m, *measured.run); break;
        case Measure::Kind::of_channel: slots[i] = measured.channels[number]; break;
      }
    }
    out.push_back(o.program.evaluate<double>(slots));
  }
  return out;
}

}  // namespace percuss::study
