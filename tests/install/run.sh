#!/bin/sh
# Installs the built tree, builds a foreign project against it, runs both it and the installed program from elsewhere.
set -eu
source=$1 build=$2 compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null
cmake -S "$source/tests/install" -B "$work/foreign" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  ${CXXFLAGS:+-DCMAKE_CXX_FLAGS="$CXXFLAGS"} >/dev/null
ninja -C "$work/foreign" --quiet
"$work/foreign/foreign"
cmake -S "$source/tests/install" -B "$work/engine" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  ${CXXFLAGS:+-DCMAKE_CXX_FLAGS="$CXXFLAGS"} -DCOMPONENT=engine -DSCENE_EXAMPLE="$source/examples/scene_in_code.cpp" >/dev/null
ninja -C "$work/engine" --quiet
"$work/engine/with_engine"
cd /
"$work/prefix/bin/percuss" new | grep -q bouncing_ball
"$work/prefix/bin/percuss" --version | grep -q "$work/prefix/share/percuss"
"$work/prefix/bin/percuss" impact --law-file flores-by-hand --restitution 0.6 --stiffness 1.4e8 --mass 1 --velocity 4.2 --json |
  grep -q '"law": "flores-by-hand"'
if cmake -S "$source/tests/install" -B "$work/wrong" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCOMPONENT=nonsense >"$work/log" 2>&1; then
  echo "a component that does not exist was accepted"; exit 1
fi
grep -q 'percuss has no component "nonsense"' "$work/log"
