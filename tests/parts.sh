#!/bin/sh
# Each part asks for what it needs alone: the laws are built, and the engine configured, as if the libraries of all other
# parts were missing.
set -eu
source=$1 compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
without() {
  for package in "$@"; do printf -- "-DCMAKE_DISABLE_FIND_PACKAGE_%s=ON " "$package"; done
}
files="yaml-cpp HDF5 Qhull"
program="fmt nlohmann_json CLI11 SQLite3 Ceres MPI GTest"
cmake -S "$source" -B "$work/contact" -G Ninja --no-warn-unused-cli -DCMAKE_CXX_COMPILER="$compiler" -DPERCUSS_PARTS=contact $(without Eigen3 $files $program) >/dev/null
ninja -C "$work/contact" --quiet
cmake --install "$work/contact" --prefix "$work/prefix" >/dev/null
[ ! -e "$work/prefix/include/percuss/dynamics" ] || { echo "headers of other parts are installed with the laws"; exit 1; }
cmake -S "$source" -B "$work/engine" -G Ninja --no-warn-unused-cli -DCMAKE_CXX_COMPILER="$compiler" -DPERCUSS_PARTS=engine $(without $files $program) >/dev/null
cmake -S "$source" -B "$work/io" -G Ninja --no-warn-unused-cli -DCMAKE_CXX_COMPILER="$compiler" -DPERCUSS_PARTS=io $(without $program) >/dev/null
if cmake -S "$source" -B "$work/wrong" -G Ninja --no-warn-unused-cli -DCMAKE_CXX_COMPILER="$compiler" -DPERCUSS_PARTS=laws >"$work/log" 2>&1; then
  echo "a part that does not exist was accepted"; exit 1
fi
grep -q 'there is no part "laws"' "$work/log"
# No room of the core opens a file, or includes a library that does.
if grep -rnE "fstream|filesystem|fopen|yaml-cpp|hdf5\.h|libqhull|sqlite3" $(for room in base expression ode contact impact collision geometry joint scene recording model dynamics; do echo "$source/src/$room"; done); then
  echo "files are opened in src/io alone"; exit 1
fi
