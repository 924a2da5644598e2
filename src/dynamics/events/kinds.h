// What can happen.
#pragma once

#include <string_view>

namespace percuss::dynamics {

enum class EventKind {
  touch,                // two surfaces come into contact
  separation,           // a contact ends: the overlap has become a gap
  maximum_compression,  // the rate changes sign, of laws whose force depends on it
  force_ends,           // the law's force has become zero, the overlap has not
  force_returns,        // it is pressed again before it has separated
  reload,               // a plastic contact is as deep again as it has been
  slip,                 // a contact spring slips; a dry contact that held moves again
  stick,                // a contact spring sticks again
  opening,              // a contact at rest is pulled off
  loss,                 // the contact point is no more: a corner slid off its face
  handover,             // it is no more, and another one goes on in its place
  collision,            // surfaces strike whose response is impulsive
  user,                 // an event of the scene
  sample,               // a sampled controller computes its outputs
  break_point,          // functions of time go over to their next pieces
  branch                // a comparison on the motion, in an expression, changes
};
std::string_view name_of(EventKind kind);

}  // namespace percuss::dynamics
