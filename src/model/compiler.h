// The parts of `compile` share these: names, functions, errors.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "percuss/base/words.h"
#include "percuss/model/compile.h"
#include "percuss/scene/scene.h"
#include "percuss/scene/shape_table.h"

namespace percuss::joint {
struct Geometry;
}

namespace percuss::model {

/// What is known of a body at the start.
struct BodyStart {
  bool position_known = false, rotation_known = false;
  bool has_guess = false;  // of its position
  Vec3 origin_m;           // of the user's frame, in the world
  Quat rotation;
  double turn_rad = 0;
  Mat3 R;
  std::optional<Vec3> velocity_mps, angular_velocity_radps;
};

class Compiler {
 public:
  explicit Compiler(const scene::Scene& scene) : scene_(scene) {}
  Result<Compiled> run();

 private:
  // ---- compile.cpp
  void fail(const Where& at, std::string text) { errors_.push_back({at, std::move(text)}); }
  /// Keys that would say nothing here.
  void refuse(const scene::Places& places, std::initializer_list<std::string_view> keys, const std::string& why) {
    for (const std::string_view key : keys)
      if (places.keys.contains(key)) fail(places.of(key), why + std::string(key));
  }
  void warn(const Where& at, const std::string& text);
  void check_names();
  int body_index(std::string_view name, const Where& at, const std::string& what);
  int joint_index(std::string_view name, const Where& at, const std::string& what);
  int coordinate_measure(const std::string& joint, const std::string& coordinate, const scene::Places& places,
                         const std::string& what, Dimension* dimension = nullptr);
  const scene::Material* material(std::string_view name, const Where& at, const std::string& what);
  int add_measure(const geometry::Measure& measure);
  int add_switch(const std::string& name, bool on);
  void lay_out();
  void set_aside_rows_that_are_off();
  void append_rows_that_are_off();
  void set_rest_lengths();
  // ---- touching.cpp
  void put_in_touch();
  void put_in_touch(const scene::Body& source, int body);
  double gap_after(const std::vector<ContactPair>& pairs, const Body& body, const Vec3& shift_m) const;
  void turn_with_first_body(const Row& row);
  void set_settings();
  void set_outputs();
  bool add_vector_output(const std::string& name, const scene::Function& text);
  // ---- functions.cpp
  void name_channels();
  void add_markers();
  std::optional<int> marker_called(std::string_view name);
  std::string with_marker_channels(const std::string& text, const Where& at, const std::string& what);
  void refuse_results(const Function& f, const Where& at, const std::string& what);
  Dimension coordinate_dimension(const std::string& joint, const std::string& coordinate) const;
  Function function(const scene::Function& text, const Dimension& dimension, const std::string& what,
                    bool of_time_alone);
  std::string unknown_name(const std::string& text, const Diagnostic& found, bool of_time_alone) const;
  Function expression_of(const std::string& text, const Where& at, const std::string& what, bool of_time_alone);
  std::optional<double> constant(const scene::Function& text, const Dimension& dimension, const std::string& what);
  void add_events();
  void add_action(const scene::Event& source, const std::string& then, const std::string& what, Event& event);
  int lock_of(const Joint& joint);
  void add_variables();
  void add_pieces();
  // ---- bodies.cpp
  void add_bodies();
  void add_body(const scene::Body& source);
  void set_mass(const scene::Body& source, Body& body);
  void set_start(const scene::Body& source, const Body& body);
  // ---- connections.cpp
  void add_joints();
  void add_joint(const scene::Joint& source);
  void add_coupling(const scene::Joint& source, Joint joint);
  void check_needs(const scene::Joint& source, const joint::JointRow& row, const std::string& what);
  void add_row(Row row);
  bool resolve_points(const std::optional<Vec3>& at, const std::optional<std::pair<Vec3, Vec3>>& anchors, int a,
                      int b, const scene::Places& places, const std::string& what, Vec3& on_a, Vec3& on_b);
  bool resolve_frames(const scene::Joint& source, const joint::JointRow& row, joint::Geometry& g,
                      const std::string& what);
  void add_drivers();
  void add_limits(const scene::Joint& source, const Joint& joint);
  void set_spring_force(const scene::Spring& source, bool only_pulls, const std::string& what, Spring& spring);
  void refuse_to_drive_clearance(const scene::Driver& source, int measure, const std::string& what);
  void add_springs();
  void add_forces();
  void hold_between_samples(Force& force, double every_s);
  // ---- contacts.cpp
  struct SurfaceSource {
    const scene::Material* material = nullptr;
    std::string name;  // body.shape
  };
  void add_contacts();
  void add_surfaces(const scene::Body& source, int body);
  std::vector<int> surfaces_called(const std::string& name, const Where& at, const std::string& what);
  int add_surface(geometry::Surface surface, SurfaceSource source);
  void add_contact(const scene::Contact& source);
  int add_contact_rule(const std::string& name, const scene::ContactLaw& law);
  bool add_pair(int contact, int a, int b, const scene::ContactLaw& law, const scene::Places& places,
                const std::string& what, std::vector<ContactPair>& out);
  std::optional<int> contact_kind(int contact, const geometry::PairRow& row, int first, int second,
                                  const scene::ContactLaw& law, const scene::Places& places,
                                  const std::string& what);
  std::optional<contact::FrictionLaw> friction(const scene::ContactLaw& law, const scene::Material* a,
                                               const scene::Material* b, double radius_m, const std::string& what);
  void add_material_pairs();
  bool check_sizes(const ContactKind& kind, const std::vector<int>& first, const std::vector<int>& second,
                   const scene::Contact& rule, const std::string& what);
  void find_initial_overlaps();
  // ---- clearance.cpp
  void add_clearance(const scene::Joint& source, const joint::Geometry& g, Joint& joint);
  // ---- assembly.cpp
  void guess_places();
  void write_start();
  void assemble_positions();
  void assemble_velocities();
  void find_redundant_rows();
  void note_undetermined_reactions(std::span<const double> y);

  const scene::Scene& scene_;
  Model model_;
  Settings settings_;
  std::vector<BodyStart> starts_;                 // [body]
  std::vector<const scene::Body*> body_sources_;  // [body], null for an undeclared ground
  std::vector<SurfaceSource> surface_sources_;    // [surface]
  struct KindKey {
    int contact;
    const geometry::PairRow* row;
    const scene::Material *m_a, *m_b;
    double r_a, r_b, length;
    auto operator<=>(const KindKey&) const = default;
  };
  std::map<KindKey, int> known_kinds_;
  std::vector<Row> off_rows_;                           // of joints and drivers that are off at the start; locks
  std::map<std::string, int, std::less<>> channel_of_;  // names that expressions may use
  struct AssemblyRow {
    Row row;
    bool as_placed;  // the places of both bodies are given: only their velocities are sought
  };
  std::vector<AssemblyRow> assembly_rows_;           // of clearance joints, as if they were ideal
  std::vector<std::pair<int, bool>> start_targets_;  // rows whose target is taken after assembly
  struct PointJoint {                                // for guesses: bodies whose points meet
    int a, b;
    Vec3 on_a, on_b;
  };
  std::vector<PointJoint> point_joints_;
  std::vector<std::string> channel_names_;
  std::vector<std::string_view> variable_names_;
  std::vector<Diagnostic> errors_;
};

}  // namespace percuss::model
