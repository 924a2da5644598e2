# The headers that are installed, by the component that they belong to: what users of the library are meant to include, and what
# those include themselves. All others are ours alone.
set(percuss_contact_headers
  base/diagnostic.h base/dual.h base/pack.h base/scalar.h base/units.h base/vector.h base/version.h contact/elastic.h
  contact/episode.h contact/friction.h contact/friction_specification.h contact/law.h contact/restitution.h contact/rows.h
  contact/shape.h contact/specification.h
  contact/stiffness.h contact/user_law.h expression/amount.h expression/breaks.h expression/interval.h expression/parse.h expression/program.h expression/table.h)
set(percuss_impact_headers
  impact/batch.h impact/described.h impact/impact.h impact/map.h impact/validity.h)
set(percuss_collision_headers
  linear/bounded_forces.h linear/dense.h linear/mobility.h linear/sizes.h linear/spectrum.h collision/collide.h
  collision/rigid_rules.h collision/sensitivity.h collision/system.h collision/vibration.h)
set(percuss_engine_headers
  base/archive.h dynamics/energy.h dynamics/equilibrium.h dynamics/evaluation.h dynamics/events/kinds.h dynamics/natural_modes.h dynamics/observer.h
  dynamics/observers/account.h dynamics/observers/impacts.h dynamics/observers/ledger.h dynamics/observers/samples.h
  dynamics/path.h dynamics/profile.h dynamics/projection.h dynamics/response.h dynamics/simulate.h dynamics/simulation.h
  dynamics/state.h dynamics/stepper.h dynamics/strike.h geometry/convex.h geometry/measure.h geometry/pairs.h
  geometry/surface.h joint/table.h model/attach.h model/compile.h model/controller.h model/head.h model/kinematics.h model/model.h
  model/rows.h model/settings.h ode/integrator.h ode/tolerance.h recording/facts.h recording/recording.h
  recording/table.h scene/constants.h scene/node.h scene/read.h scene/scene.h scene/schema.h)
set(percuss_io_headers
  io/checkpoint_file.h io/csv.h io/files.h io/hdf5.h io/hull.h io/journal.h io/law_file.h io/mesh_file.h
  io/recorded_run.h io/result_file.h io/scene_file.h io/urdf.h io/urdf_scene.h io/yaml.h)
