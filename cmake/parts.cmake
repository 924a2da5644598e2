# What is built, and what each part asks of the machine. Those who want the laws alone need a compiler and Boost:
#   cmake -S percuss -B build -DPERCUSS_PARTS=contact
set(PERCUSS_PARTS program CACHE STRING "what is built, with all that it stands on: contact, impact, collision, engine, io, program")

# each part and those it stands on
set(percuss_contact_needs "")
set(percuss_impact_needs contact)
set(percuss_collision_needs contact)
set(percuss_engine_needs contact impact collision)
set(percuss_io_needs contact impact collision engine)
set(percuss_program_needs contact impact collision engine io)
set(all_parts contact impact collision engine io program)

set(percuss_parts "")
foreach(part IN LISTS PERCUSS_PARTS)
  if(NOT part IN_LIST all_parts)
    message(FATAL_ERROR "PERCUSS_PARTS: there is no part \"${part}\"; there are ${all_parts}")
  endif()
  list(APPEND percuss_parts ${percuss_${part}_needs} ${part})
endforeach()
list(REMOVE_DUPLICATES percuss_parts)

find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED)  # Boost.Math, headers only
if("collision" IN_LIST percuss_parts)
  find_package(Eigen3 3.4 REQUIRED NO_MODULE)
endif()
if("io" IN_LIST percuss_parts)
  enable_language(C)  # FindHDF5 asks for it
  find_package(yaml-cpp 0.7 REQUIRED)
  find_package(Qhull 8.0 REQUIRED)
  find_package(HDF5 1.10 REQUIRED COMPONENTS C)
endif()
if("program" IN_LIST percuss_parts)
  find_package(fmt 9 REQUIRED)
  find_package(nlohmann_json 3.11 REQUIRED)
  find_package(CLI11 2.1 REQUIRED)
  find_package(SQLite3 3.40 REQUIRED)
  find_package(Ceres 2.1 REQUIRED)
  option(PERCUSS_MPI "sweeps under mpirun, where MPI is installed" ON)
  if(PERCUSS_MPI)
    find_package(MPI COMPONENTS CXX QUIET)
  endif()
endif()
