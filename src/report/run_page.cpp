// Answer, impacts, plots, replay, ledger, provenance.
#include "percuss/report/run_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "percuss/recording/facts.h"
#include "percuss/report/numbers.h"
#include "percuss/report/page_parts.h"
#include "percuss/report/summary.h"

namespace percuss::report {

using recording::FilledTable;
using recording::Impact;
using recording::kNone;
using recording::Recording;

namespace {

constexpr std::size_t kMostPlotted = 100'000;          // of a plot
constexpr std::size_t kMostReplayNumbers = 4'000'000;  // of all bodies together
constexpr std::size_t kMostBodiesDrawn = 12, kMostPlotCurves = 8, kMostHits = 2000;

/// "bodies/ball" and "bodies" -> "ball".
std::string name_in(const std::string& table, const std::string& room) {
  return table.starts_with(room + "/") ? table.substr(room.size() + 1) : "";
}

class RunPage {
 public:
  explicit RunPage(const Recording& r) : r_(r) {}

  Page run() {
    page_.kind = "run";
    page_.title = r_.head.title;
    page_.subtitle = fmt::format("{}, {} {}, {} at tolerance {}", r_.head.scene_file, r_.head.program,
                                 r_.head.version, r_.head.integrator, r_.head.tolerance);
    page_.warnings = r_.head.warnings;
    page_.warnings.insert(page_.warnings.end(), r_.warnings.begin(), r_.warnings.end());
    if (!r_.is_whole())
      page_.warnings.insert(page_.warnings.begin(), fmt::format("The run did not reach its end: {}",
                                                                r_.failure.empty() ? recording::word_of(r_.end)
                                                                                   : std::string_view(r_.failure)));
    if (const std::size_t by = r_.thinned_by(); by > 1)
      page_.warnings.push_back(fmt::format("The file is long: this page has one in {} of its samples.", by));
    page_.answer = answer();
    add_replay();
    add_impacts();
    add_contacts();
    add_bodies();
    add_others();
    add_ledger();
    add_provenance();
    return std::move(page_);
  }

 private:
  std::string contact_of(const Impact& k) const {
    const auto i = static_cast<std::size_t>(k.contact);
    return i < r_.head.contacts.size() ? r_.head.contacts[i] : std::to_string(k.contact);
  }

  std::string answer() const {
    std::string out;
    if (r_.impacts.empty()) {
      out = fmt::format("No impact in {}. ", engineering(r_.time_s, "s", 4));
    } else {
      std::set<int> who;
      const Impact* hardest = &r_.impacts.front();
      for (const Impact& k : r_.impacts) {
        who.insert(k.contact);
        if (k.peak_force_N > hardest->peak_force_N) hardest = &k;
      }
      out = fmt::format("{} impact{} of {} contact{} in {}. ", r_.impact_count, r_.impact_count > 1 ? "s" : "",
                        who.size(), who.size() > 1 ? "s" : "", engineering(r_.time_s, "s", 4));
      if (hardest->peak_force_N > 0)
        out += fmt::format("Peak force {} (contact {}, {}). ", engineering(hardest->peak_force_N, "N", 4),
                           contact_of(*hardest), engineering(hardest->peak_s, "s", 5));
    }
    const recording::Ledger& l = r_.ledger;
    out += fmt::format("{} lost. ", engineering(l.end.lost_J() - l.start.lost_J(), "J", 4));
    if (!std::isfinite(l.error_J()) || !std::isfinite(l.exchanged_J))
      out += "Energy error: no number, as energies have become too large for one. ";
    else if (l.exchanged_J > 0)
      out +=
          fmt::format("Energy error at most {} of {} exchanged ({:.0e}). ", engineering(l.largest_error_J, "J", 2),
                      engineering(l.exchanged_J, "J", 4), l.largest_error_J / l.exchanged_J);
    if (r_.horizon) {
      std::string sentence = horizon_text(r_);
      sentence.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence.front())));
      out += sentence + ". ";
    }
    out += page_.warnings.empty()
               ? "No warnings."
               : fmt::format("{} warning{}.", page_.warnings.size(), page_.warnings.size() > 1 ? "s" : "");
    return out;
  }

  /// Columns of tables against their time; thinned together.
  struct Wanted {
    const FilledTable* table;
    std::string column, name;
    std::size_t item = 0;  // of an array
  };
  std::optional<PlotBlock> over_time(const std::string& id, const std::string& title, Axis y,
                                     const std::vector<Wanted>& wanted) {
    PlotBlock plot;
    plot.id = id;
    plot.title = title;
    plot.x = {"time", "s", {}, {}};
    plot.y = std::move(y);
    plot.over_time = true;
    std::vector<std::vector<double>> values;
    std::vector<const std::vector<double>*> series;
    std::vector<std::string> names;
    for (const Wanted& w : wanted)
      if (w.table && w.table->column(w.column) >= 0 && values.size() < kMostPlotCurves)
        values.push_back(w.table->values_of(w.column, w.item)), names.push_back(w.name);
    if (values.empty() || values.front().empty()) return std::nullopt;
    series.reserve(values.size());
    for (const auto& v : values) series.push_back(&v);
    const FilledTable& own = *wanted.front().table;
    const FilledTable* times = own.column("t") >= 0 ? &own : r_.find("time");
    if (!times || times->rows() != own.rows()) return std::nullopt;
    const std::vector<double> time = times->values_of("t");
    const std::vector<std::size_t> keep = thinned(time, series, kMostPlotted);
    const auto picked = [&keep](const std::vector<double>& v) {
      std::vector<double> out;
      out.reserve(keep.size());
      for (const std::size_t i : keep) out.push_back(v[i]);
      return out;
    };
    const int x = time_array(picked(time));
    for (std::size_t i = 0; i < values.size(); ++i)
      plot.lines.push_back({names[i], x, page_.arrays.add(picked(values[i]))});
    if (keep.size() < values.front().size())
      plot.note = fmt::format("{} of {} samples are drawn; no peak is lost.", keep.size(), values.front().size());
    return plot;
  }

  /// Plots with the same times share one array.
  int time_array(std::vector<double> t) {
    for (const int known : times_)
      if (page_.arrays.at(known) == t) return known;
    times_.push_back(page_.arrays.add(std::move(t)));
    return times_.back();
  }

  std::vector<const FilledTable*> tables_in(const std::string& room) const {
    std::vector<const FilledTable*> out;
    for (const FilledTable& t : r_.tables)
      if (!name_in(t.table.name, room).empty()) out.push_back(&t);
    return out;
  }

  void add_replay() {
    const FilledTable *bodies = r_.find("bodies"), *time = r_.find("time");
    if (r_.head.picture.empty() || !bodies || !time || bodies->rows() < 2 || time->rows() != bodies->rows()) return;
    ReplayBlock replay;
    replay.id = "replay";
    replay.picture = r_.head.picture;
    const bool planar = bodies->column("angle") >= 0;
    const std::vector<std::string> columns = planar
                                                 ? std::vector<std::string>{"x", "y", "angle"}
                                                 : std::vector<std::string>{"x", "y", "z", "qw", "qx", "qy", "qz"};
    const std::size_t rows = bodies->rows(), count = bodies->table.items.size();
    const std::size_t most = std::max<std::size_t>(kMostReplayNumbers / (count * columns.size()), 2);
    const std::size_t stride = (rows + most - 1) / most;
    const auto picked = [&](const FilledTable& t, const std::string& column, std::size_t item = 0) {
      const std::vector<double> all = t.values_of(column, item);
      std::vector<double> out;
      for (std::size_t i = 0; i < all.size(); i += stride) out.push_back(all[i]);
      return out;
    };
    replay.time = time_array(picked(*time, "t"));
    for (std::size_t b = 0; b < count; ++b) {
      ReplayBlock::Body body{bodies->table.items[b], {}};
      for (const std::string& c : columns) body.motion.push_back(page_.arrays.add(picked(*bodies, c, b)));
      replay.bodies.push_back(std::move(body));
    }
    for (const FilledTable* c : tables_in("contacts")) {
      if (c->column("px") < 0 || replay.contacts.size() >= 64) continue;
      ReplayBlock::Contact contact{name_in(c->table.name, "contacts"), {}, {}};
      for (const char* p : {"px", "py", "pz"}) contact.point.push_back(page_.arrays.add(picked(*c, p)));
      for (const char* f : {"fx", "fy", "fz"}) contact.force.push_back(page_.arrays.add(picked(*c, f)));
      replay.contacts.push_back(std::move(contact));
    }
    for (std::size_t i = 0; i < std::min(r_.impacts.size(), kMostHits); ++i) {
      const Impact& k = r_.impacts[i];
      replay.impacts.push_back({k.touch_s, k.separated() ? k.separation_s : k.touch_s, contact_of(k)});
    }
    page_.section("replay-section", "Replay").blocks.emplace_back(std::move(replay));
  }

  void add_impacts() {
    if (r_.impacts.empty()) return;
    TableBlock table;
    table.id = "impacts";
    table.title = "Impacts";
    table.columns = {
        {"#"},
        {"contact"},
        {"touch", "s", "first touch"},
        {"approach", "m/s", "approach speed"},
        {"law speed", "m/s", "what the law is calibrated with: the approach speed, or more under a load"},
        {"separation", "m/s", "separation speed"},
        {"prescribed", "", "restitution that the scene gives"},
        {"delivered", "", "kinematic restitution: separation over approach speed"},
        {"energetic", "", "energetic restitution: of the work of the normal force"},
        {"peak force", "N"},
        {"peak indentation", "m"},
        {"duration", "s"},
        {"impulse", "N s"},
        {"lost", "J", "along the normal"},
        {"friction", "J", "taken by friction"}};
    table.time_column = 2;
    double number = 0;
    for (const Impact& k : r_.impacts)
      table.rows.push_back({++number, contact_of(k), k.touch_s, k.approach_speed_mps, k.law_speed_mps,
                            k.separated() ? k.separation_speed_mps : kNone, k.prescribed.value_or(kNone),
                            k.delivered.value_or(kNone), k.energetic.value_or(kNone), k.peak_force_N,
                            k.peak_indentation_m, k.separation_s - k.touch_s, k.impulse_Ns, k.lost_J,
                            k.friction_J});
    table.note = "A click on a row moves the replay to its touch.";
    if (r_.raised_count > 0)
      table.note += fmt::format(" Law speed raised above the approach speed in {} of {} impact{}.", r_.raised_count,
                                r_.impact_count, r_.impact_count > 1 ? "s" : "");
    PageSection& s = page_.section("impacts-section", "Impacts");
    s.blocks.emplace_back(std::move(table));
    add_account(s);
  }

  /// Where delivered and prescribed restitution part, in shares of the approach's energy.
  void add_account(PageSection& s) {
    struct Part {
      double Impact::*value;
      const char *name, *meaning;
    };
    constexpr Part kParts[] = {
        {&Impact::bias, "law's bias",
         "what the law delivers in an isolated collision, squared, minus the prescribed"},
        {&Impact::extra_dissipation, "beyond isolated", "dissipation beyond that of the isolated collision"},
        {&Impact::other_work, "other forces", "work of gravity, joints, springs and forces during the contact"},
        {&Impact::other_contacts, "other contacts", "work of the other contacts"},
        {&Impact::mass_change, "mass change", "change of the effective mass during the contact"},
        {&Impact::remainder, "remainder", "computed by difference: what the parts leave"}};
    TableBlock table;
    table.id = "account";
    table.title = "Account of each restitution";
    table.columns = {
        {"#"}, {"contact"}, {"touch", "s", "first touch"}, {"difference", "", "delivered^2 - prescribed^2"}};
    for (const Part& p : kParts) table.columns.push_back({p.name, "", p.meaning});
    table.time_column = 2;
    bool has_all = false;
    for (std::size_t i = 0; i < r_.impacts.size(); ++i) {
      const Impact& k = r_.impacts[i];
      if (!k.delivered || !k.prescribed) continue;
      std::vector<Cell> row{static_cast<double>(i + 1), contact_of(k), k.touch_s,
                            *k.delivered * *k.delivered - *k.prescribed * *k.prescribed};
      for (const Part& p : kParts) row.emplace_back(k.*p.value);
      has_all = has_all || k.has_account();
      table.rows.push_back(std::move(row));
    }
    if (table.rows.empty()) return;
    table.note = has_all ? "The parts add up to the difference."
                         : "The last four parts are computed where the scene says outputs: {account: true}.";
    s.blocks.emplace_back(std::move(table));
  }

  void add_contacts() {
    const std::vector<const FilledTable*> contacts = tables_in("contacts");
    if (contacts.empty()) return;
    PageSection& s = page_.section("contacts-section", "Contacts");
    const auto all = [&](const char* column) {
      std::vector<Wanted> out;
      out.reserve(contacts.size());
      for (const FilledTable* c : contacts) out.push_back({c, column, name_in(c->table.name, "contacts")});
      return out;
    };
    if (auto p = over_time("force", "Contact force", {"force", "N", {}, {}}, all("force")))
      s.blocks.emplace_back(*p);
    if (auto p = over_time("indentation", "Indentation (below 0: gap)", {"indentation", "m", {}, {}},
                           all("indentation")))
      s.blocks.emplace_back(*p);
    if (auto p = loops(contacts, "force-indentation", "Force over indentation", "force", {"force", "N", {}, {}}))
      s.blocks.emplace_back(*p);
    if (auto p = loops(contacts, "phase", "Phase portrait in contact", "rate", {"rate", "m/s", {}, {}}))
      s.blocks.emplace_back(*p);
  }

  /// One column over the indentation while the contact touches.
  std::optional<PlotBlock> loops(const std::vector<const FilledTable*>& contacts, const std::string& id,
                                 const std::string& title, const char* column, Axis y_axis) {
    PlotBlock plot;
    plot.id = id;
    plot.title = title;
    plot.x = {"indentation", "m", {}, {}};
    plot.y = std::move(y_axis);
    for (const FilledTable* c : contacts) {
      if (plot.lines.size() >= kMostPlotCurves) break;
      const Loop loop = while_touching(*c, column, kMostPlotted);
      if (loop.in_touch < 8) continue;
      plot.lines.push_back(
          {name_in(c->table.name, "contacts"), page_.arrays.add(loop.depth_m), page_.arrays.add(loop.other)});
    }
    if (plot.lines.empty()) return std::nullopt;
    return plot;
  }

  void add_bodies() {
    const FilledTable* bodies = r_.find("bodies");
    if (!bodies || bodies->table.items.empty()) return;
    const std::vector<std::string>& names = bodies->table.items;
    PageSection& s = page_.section("motion", "Motion");
    for (std::size_t i = 0; i < std::min(names.size(), kMostBodiesDrawn); ++i) {
      const std::string& name = names[i];
      const auto group = [&](const char* what, const char* unit, std::initializer_list<const char*> columns) {
        std::vector<Wanted> wanted;
        for (const char* c : columns) {  // what never moves is not drawn
          if (changes(bodies->values_of(c, i))) wanted.push_back({bodies, c, c, i});
        }
        if (auto p = over_time("body-" + name + "-" + what, name + ": " + what, {what, unit, {}, {}}, wanted))
          s.blocks.emplace_back(*p);
      };
      group("position", "m", {"x", "y", "z"});
      group("velocity", "m/s", {"vx", "vy", "vz"});
      group("angle", "rad", {"angle"});
      group("angular velocity", "rad/s", {"w", "wx", "wy", "wz"});
    }
    if (names.size() > kMostBodiesDrawn)
      s.blocks.emplace_back(TextBlock{fmt::format("The first {} of {} bodies are drawn; percuss export has all.",
                                                  kMostBodiesDrawn, names.size())});
  }

  void add_others() {
    std::vector<Block> blocks;
    if (const FilledTable* t = r_.find("channels"))
      for (const recording::Column& c : t->table.columns)
        if (c.name != "t" && blocks.size() < 2 * kMostPlotCurves)
          if (auto p = over_time("channel-" + c.name, c.name, {c.name, c.unit, {}, {}}, {{t, c.name, c.name}}))
            blocks.emplace_back(*p);
    for (const FilledTable* j : tables_in("joints")) {
      if (blocks.size() >= 3 * kMostPlotCurves) break;
      const std::string name = name_in(j->table.name, "joints");
      if (j->column("eccentricity") >= 0)
        if (auto p = over_time("joint-" + name, name + ": eccentricity", {"eccentricity", "m", {}, {}},
                               {{j, "eccentricity", "eccentricity"}}))
          blocks.emplace_back(*p);
      std::vector<Wanted> reaction;
      for (const char* c : {"fx", "fy", "fz"}) reaction.push_back({j, c, c});
      std::string open;
      for (const std::string& r : r_.head.undetermined_reactions)
        if (r.starts_with(name + ".")) open += (open.empty() ? "" : ", ") + r.substr(name.size() + 1);
      const std::string title = name + ": reaction" + (open.empty() ? "" : " (undetermined: " + open + ")");
      if (auto p = over_time("reaction-" + name, title, {"force", "N", {}, {}}, reaction)) blocks.emplace_back(*p);
    }
    if (!blocks.empty()) page_.section("others", "Outputs and joints").blocks = std::move(blocks);
  }

  void add_ledger() {
    const FilledTable* t = r_.find("ledger");
    if (!t || t->rows() < 2) return;
    PageSection& s = page_.section("ledger-section", "Energy");
    std::vector<Wanted> wanted;
    using Kind = recording::EnergyTerm::Kind;
    for (const recording::EnergyTerm& term : recording::kEnergyTerms)
      if (term.kind != Kind::supplied && changes(t->values_of(term.key)))
        wanted.push_back({t, std::string(term.key), std::string(term.title)});
    if (auto p = over_time("ledger", "Where the energy is", {"energy", "J", {}, {}}, wanted)) {
      p->stacked = true;
      for (PlotBlock::Line& l : p->lines) {  // from its least value on, so that bands add up
        std::vector<double> v = page_.arrays.at(l.y);
        const double least = *std::ranges::min_element(v);
        if (!(least < 0) && l.name != "gravity") continue;
        for (double& x : v) x -= least;
        l.y = page_.arrays.add(std::move(v));
        if (l.name == "gravity") l.name = "gravity, above its least";
      }
      s.blocks.emplace_back(*p);
    }
    std::vector<Wanted> supplied;
    for (const recording::EnergyTerm& term : recording::kEnergyTerms) {
      const std::vector<double> v = t->values_of(term.key);
      if (term.kind == Kind::supplied && std::ranges::any_of(v, [](double x) { return x != 0; }))
        supplied.push_back({t, std::string(term.key), std::string(term.title)});
    }
    if (auto p = over_time("supplied", "Supplied", {"energy", "J", {}, {}}, supplied)) s.blocks.emplace_back(*p);
    if (auto p = over_time("energy-error", "Energy error", {"energy error", "J", {}, {}},
                           {{t, "error", "energy error"}}))
      s.blocks.emplace_back(*p);
  }

  void add_provenance() {
    PageSection& s = page_.section("provenance", "Provenance");
    TableBlock table;
    table.id = "facts";
    table.title = "What ran";
    table.columns = {{"fact"}, {"value"}};
    std::vector<std::string> shown{"program",    "version",    "build",        "scene_file",
                                   "scene_hash", "integrator", "tolerance",    "scene_overrides",
                                   "end",        "failure",    "scene_inputs", "fingerprint"};
    recording::Facts facts = recording::opening_facts(r_.head), closing = recording::closing_facts(r_);
    facts.insert(facts.end(), closing.begin(), closing.end());
    for (const std::string& name : shown)
      for (const auto& [key, value] : facts)
        if (key == name && !value.empty()) table.rows.push_back({name, value});
    s.blocks.emplace_back(std::move(table));
    s.blocks.emplace_back(CodeBlock{"The scene, " + r_.head.scene_file, r_.head.scene_text});
  }

  const Recording& r_;
  Page page_;
  std::vector<int> times_;
};

}  // namespace

Page run_page(const Recording& recording) { return RunPage(recording).run(); }

}  // namespace percuss::report
