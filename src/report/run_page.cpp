// Answer, impacts, plots, replay, ledger, provenance.
#include "percuss/report/run_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "percuss/report/numbers.h"
#include "percuss/report/page_parts.h"

namespace percuss::report {

using recording::FilledTable;
using recording::Results;

namespace {

constexpr std::size_t kMostSamples = 100'000;          // of a plot
constexpr std::size_t kMostReplayNumbers = 4'000'000;  // of all bodies together
constexpr std::size_t kMostBodies = 12, kMostCurves = 8, kMostHits = 2000;

/// "bodies/ball" and "bodies" -> "ball".
std::string name_in(const std::string& table, const std::string& room) {
  return table.starts_with(room + "/") ? table.substr(room.size() + 1) : "";
}

class Builder {
 public:
  explicit Builder(const Results& r) : r_(r) {}

  Page run() {
    page_.kind = "run";
    page_.title = r_.fact("title");
    page_.subtitle = fmt::format("{}, {} {}, {} at tolerance {}", r_.fact("scene_file"), r_.fact("program"),
                                 r_.fact("version"), r_.fact("integrator"), r_.fact("tolerance"));
    page_.warnings = r_.lines("warnings");
    if (r_.fact("status") != "complete")
      page_.warnings.insert(
          page_.warnings.begin(),
          "The run did not reach its end: " + (r_.fact("end").empty() ? "it was killed" : r_.fact("end")));
    if (const std::size_t by = r_.thinned_by(); by > 1)
      page_.warnings.push_back(fmt::format("The file is long: this page has one in {} of its samples.", by));
    read_impacts();
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
  struct Hit {
    std::string contact;
    double touch_s, peak_s, release_s, approach, separation, prescribed, delivered, force_N, depth_m, lost_J,
        friction_J, impulse;
  };

  void read_impacts() {
    const FilledTable* t = r_.find("impacts");
    if (!t) return;
    const std::vector<std::string> contacts = r_.lines("contacts");
    const auto get = [&](std::size_t row, const char* name) {
      const int c = t->column(name);
      return c < 0 ? std::nan("") : t->at(row, static_cast<std::size_t>(c));
    };
    for (std::size_t i = 0; i < t->rows(); ++i) {
      const auto contact = static_cast<std::size_t>(get(i, "contact"));
      hits_.push_back({contact < contacts.size() ? contacts[contact] : std::to_string(contact), get(i, "touch"),
                       get(i, "peak"), get(i, "release"), get(i, "approach"),
                       std::isnan(get(i, "release")) ? std::nan("") : get(i, "separation"), get(i, "prescribed"),
                       get(i, "delivered"), get(i, "max_force"), get(i, "max_depth"), get(i, "lost"),
                       get(i, "friction"), get(i, "impulse")});
    }
  }

  double last_of(const char* table, const char* column) const {
    const FilledTable* t = r_.find(table);
    const int c = t ? t->column(column) : -1;
    return c < 0 || t->rows() == 0 ? std::nan("") : t->at(t->rows() - 1, static_cast<std::size_t>(c));
  }

  std::string answer() const {
    const double end = last_of("ledger", "t");
    std::string out = fmt::format("In {} ", engineering(std::isnan(end) ? 0 : end, "s", 4));
    if (hits_.empty()) {
      out += "nothing struck. ";
    } else {
      std::set<std::string> who;
      const Hit* hardest = &hits_.front();
      for (const Hit& h : hits_) {
        who.insert(h.contact);
        if (h.force_N > hardest->force_N) hardest = &h;
      }
      out += fmt::format("{} impact{} of {} contact{}. ", hits_.size(), hits_.size() > 1 ? "s" : "", who.size(),
                         who.size() > 1 ? "s" : "");
      if (hardest->force_N > 0)
        out += fmt::format("Peak force {} (contact {}, {}). ", engineering(hardest->force_N, "N", 4),
                           hardest->contact, engineering(hardest->peak_s, "s", 5));
    }
    double lost = 0;
    for (const recording::EnergyTerm& term : recording::kEnergyTerms)
      if (term.kind == recording::EnergyTerm::Kind::lost) lost += last_of("ledger", std::string(term.key).c_str());
    if (std::isfinite(lost)) out += fmt::format("{} were lost. ", engineering(lost, "J", 4));
    if (const std::string error = r_.fact("largest_error_J"); !error.empty())
      out += fmt::format("Energy error at most {} of {} exchanged. ", engineering(std::stod(error), "J", 2),
                         engineering(std::stod(r_.fact("exchanged_J")), "J", 4));
    out += page_.warnings.empty()
               ? "No warnings."
               : fmt::format("{} warning{}.", page_.warnings.size(), page_.warnings.size() > 1 ? "s" : "");
    return out;
  }

  /// Columns of tables against their time; thinned together.
  struct Wanted {
    const FilledTable* table;
    std::string column, name;
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
      if (w.table && w.table->column(w.column) >= 0 && values.size() < kMostCurves)
        values.push_back(w.table->values_of(w.column)), names.push_back(w.name);
    if (values.empty() || values.front().empty()) return std::nullopt;
    series.reserve(values.size());
    for (const auto& v : values) series.push_back(&v);
    const std::vector<double> time = wanted.front().table->values_of("t");
    const std::vector<std::size_t> keep = thinned(time, series, kMostSamples);
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
    const std::string picture = r_.fact("picture");
    const std::vector<const FilledTable*> bodies = tables_in("bodies");
    if (picture.empty() || bodies.empty() || bodies.front()->rows() < 2) return;
    ReplayBlock replay;
    replay.id = "replay";
    replay.picture = picture;
    const bool planar = bodies.front()->column("angle") >= 0;
    const std::vector<std::string> columns = planar
                                                 ? std::vector<std::string>{"x", "y", "angle"}
                                                 : std::vector<std::string>{"x", "y", "z", "qw", "qx", "qy", "qz"};
    const std::size_t rows = bodies.front()->rows();
    const std::size_t most = std::max<std::size_t>(kMostReplayNumbers / (bodies.size() * columns.size()), 2);
    const std::size_t stride = (rows + most - 1) / most;
    const auto picked = [&](const FilledTable& t, const std::string& column) {
      const std::vector<double> all = t.values_of(column);
      std::vector<double> out;
      for (std::size_t i = 0; i < all.size(); i += stride) out.push_back(all[i]);
      return out;
    };
    replay.time = time_array(picked(*bodies.front(), "t"));
    for (const FilledTable* b : bodies) {
      ReplayBlock::Body body{name_in(b->table.name, "bodies"), {}};
      for (const std::string& c : columns) body.motion.push_back(page_.arrays.add(picked(*b, c)));
      replay.bodies.push_back(std::move(body));
    }
    for (const FilledTable* c : tables_in("contacts")) {
      if (c->column("px") < 0 || replay.contacts.size() >= 64) continue;
      ReplayBlock::Contact contact{name_in(c->table.name, "contacts"), {}, {}};
      for (const char* p : {"px", "py", "pz"}) contact.point.push_back(page_.arrays.add(picked(*c, p)));
      for (const char* f : {"fx", "fy", "fz"}) contact.force.push_back(page_.arrays.add(picked(*c, f)));
      replay.contacts.push_back(std::move(contact));
    }
    for (std::size_t i = 0; i < std::min(hits_.size(), kMostHits); ++i)
      replay.impacts.push_back({hits_[i].touch_s,
                                std::isnan(hits_[i].release_s) ? hits_[i].touch_s : hits_[i].release_s,
                                hits_[i].contact});
    page_.section("replay-section", "Replay").blocks.emplace_back(std::move(replay));
  }

  void add_impacts() {
    if (hits_.empty()) return;
    TableBlock table;
    table.id = "impacts";
    table.title = "Impacts";
    table.columns = {{"#"},
                     {"contact"},
                     {"touch", "s", "first touch"},
                     {"v-", "m/s", "speed of approach"},
                     {"v+", "m/s", "speed of separation"},
                     {"prescribed", "", "restitution that the scene gives"},
                     {"delivered", "", "restitution that came out"},
                     {"max force", "N"},
                     {"max depth", "m"},
                     {"duration", "s"},
                     {"impulse", "N s"},
                     {"lost", "J", "along the normal"},
                     {"friction", "J", "taken by friction"}};
    table.time_column = 2;
    double number = 0;
    for (const Hit& h : hits_)
      table.rows.push_back({++number, h.contact, h.touch_s, h.approach, h.separation, h.prescribed, h.delivered,
                            h.force_N, h.depth_m, h.release_s - h.touch_s, h.impulse, h.lost_J, h.friction_J});
    table.note = "A click on a row moves the replay to its touch.";
    PageSection& s = page_.section("impacts-section", "Impacts");
    s.blocks.emplace_back(std::move(table));
    add_account(s);
  }

  /// Where delivered and prescribed restitution part, in shares of the approach's energy.
  void add_account(PageSection& s) {
    struct Part {
      const char *column, *name, *meaning;
    };
    constexpr Part kParts[] = {
        {"bias", "law's bias", "what the law delivers in an isolated collision, squared, minus the prescribed"},
        {"extra_dissipation", "beyond free", "dissipation beyond that of the isolated collision"},
        {"other_work", "other forces", "work of gravity, joints, springs and forces during the contact"},
        {"other_contacts", "other contacts", "work of the other contacts"},
        {"mass_change", "mass change", "change of the effective mass during the contact"},
        {"remainder", "remainder", "computed by difference: what the parts leave"}};
    const FilledTable& t = *r_.find("impacts");
    TableBlock table;
    table.id = "account";
    table.title = "Account of each restitution";
    table.columns = {
        {"#"}, {"contact"}, {"touch", "s", "first touch"}, {"difference", "", "delivered^2 - prescribed^2"}};
    for (const Part& p : kParts) table.columns.push_back({p.name, "", p.meaning});
    table.time_column = 2;
    bool has_all = false;
    for (std::size_t i = 0; i < hits_.size(); ++i) {
      const Hit& h = hits_[i];
      if (!std::isfinite(h.delivered) || !std::isfinite(h.prescribed)) continue;
      std::vector<Cell> row{static_cast<double>(i + 1), h.contact, h.touch_s,
                            h.delivered * h.delivered - h.prescribed * h.prescribed};
      for (const Part& p : kParts) {
        const int c = t.column(p.column);
        const double value = c < 0 ? std::nan("") : t.at(i, static_cast<std::size_t>(c));
        has_all = has_all || (p.column == std::string_view("remainder") && std::isfinite(value));
        row.emplace_back(value);
      }
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
    if (auto p = over_time("depth", "Depth (below 0: gap)", {"depth", "m", {}, {}}, all("depth")))
      s.blocks.emplace_back(*p);
    if (auto p = loops(contacts, "force-depth", "Force over depth", "force", {"force", "N", {}, {}}))
      s.blocks.emplace_back(*p);
    if (auto p = loops(contacts, "phase", "Phase portrait in contact", "rate", {"rate", "m/s", {}, {}}))
      s.blocks.emplace_back(*p);
  }

  /// One column over the depth while the contact touches.
  std::optional<PlotBlock> loops(const std::vector<const FilledTable*>& contacts, const std::string& id,
                                 const std::string& title, const char* column, Axis y_axis) {
    PlotBlock plot;
    plot.id = id;
    plot.title = title;
    plot.x = {"depth", "m", {}, {}};
    plot.y = std::move(y_axis);
    for (const FilledTable* c : contacts) {
      if (plot.lines.size() >= kMostCurves) break;
      const Loop loop = while_touching(*c, column, kMostSamples);
      if (loop.in_touch < 8) continue;
      plot.lines.push_back(
          {name_in(c->table.name, "contacts"), page_.arrays.add(loop.depth_m), page_.arrays.add(loop.other)});
    }
    if (plot.lines.empty()) return std::nullopt;
    return plot;
  }

  void add_bodies() {
    const std::vector<const FilledTable*> bodies = tables_in("bodies");
    if (bodies.empty()) return;
    PageSection& s = page_.section("motion", "Motion");
    for (std::size_t i = 0; i < std::min(bodies.size(), kMostBodies); ++i) {
      const FilledTable& b = *bodies[i];
      const std::string name = name_in(b.table.name, "bodies");
      const auto group = [&](const char* what, const char* unit, std::initializer_list<const char*> columns) {
        std::vector<Wanted> wanted;
        for (const char* c : columns) {  // what never moves is not drawn
          if (changes(b.values_of(c))) wanted.push_back({&b, c, c});
        }
        if (auto p = over_time("body-" + name + "-" + what, name + ": " + what, {what, unit, {}, {}}, wanted))
          s.blocks.emplace_back(*p);
      };
      group("position", "m", {"x", "y", "z"});
      group("velocity", "m/s", {"vx", "vy", "vz"});
      group("angle", "rad", {"angle"});
      group("angular velocity", "rad/s", {"w", "wx", "wy", "wz"});
    }
    if (bodies.size() > kMostBodies)
      s.blocks.emplace_back(TextBlock{
          fmt::format("The first {} of {} bodies are drawn; percuss export has all.", kMostBodies, bodies.size())});
  }

  void add_others() {
    std::vector<Block> blocks;
    if (const FilledTable* t = r_.find("channels"))
      for (const recording::Column& c : t->table.columns)
        if (c.name != "t" && blocks.size() < 2 * kMostCurves)
          if (auto p = over_time("channel-" + c.name, c.name, {c.name, c.unit, {}, {}}, {{t, c.name, c.name}}))
            blocks.emplace_back(*p);
    for (const FilledTable* j : tables_in("joints")) {
      if (blocks.size() >= 3 * kMostCurves) break;
      const std::string name = name_in(j->table.name, "joints");
      if (j->column("eccentricity") >= 0)
        if (auto p = over_time("joint-" + name, name + ": eccentricity", {"eccentricity", "m", {}, {}},
                               {{j, "eccentricity", "eccentricity"}}))
          blocks.emplace_back(*p);
      std::vector<Wanted> reaction;
      for (const char* c : {"fx", "fy", "fz"}) reaction.push_back({j, c, c});
      if (auto p = over_time("reaction-" + name, name + ": reaction", {"force", "N", {}, {}}, reaction))
        blocks.emplace_back(*p);
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
    for (const char* name : {"program", "version", "build", "scene_file", "scene_hash", "scene_overrides",
                             "integrator", "tolerance", "status", "end", "fingerprint", "format_version"})
      if (const std::string value = r_.fact(name); !value.empty()) table.rows.push_back({std::string(name), value});
    s.blocks.emplace_back(std::move(table));
    s.blocks.emplace_back(CodeBlock{"The scene, " + r_.fact("scene_file"), r_.fact("scene_text")});
  }

  const Results& r_;
  Page page_;
  std::vector<Hit> hits_;
  std::vector<int> times_;
};

}  // namespace

Page run_page(const Results& results) { return Builder(results).run(); }

}  // namespace percuss::report
