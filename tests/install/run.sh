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
# Every file an installed header includes is installed, and all headers can be included together.
include=$work/prefix/include
for file in $(cd "$include" && find percuss -name "*.h"); do
  echo "#include \"$file\"" >>"$work/headers.cpp"
  for used in $(sed -n 's/^#include "\(percuss\/[^"]*\)".*/\1/p' "$include/$file"); do
    [ -f "$include/$used" ] || { echo "$file includes $used, which is not installed"; exit 1; }
  done
done

# The engine asks for no library that reads files; io does.
cmake -S "$source/tests/install" -B "$work/engine" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  ${CXXFLAGS:+-DCMAKE_CXX_FLAGS="$CXXFLAGS"} -DCOMPONENT=engine -DSCENE_EXAMPLE="$source/examples/scene_in_code.cpp" \
  -DCMAKE_DISABLE_FIND_PACKAGE_yaml-cpp=ON -DCMAKE_DISABLE_FIND_PACKAGE_HDF5=ON -DCMAKE_DISABLE_FIND_PACKAGE_Qhull=ON >/dev/null
ninja -C "$work/engine" --quiet
"$work/engine/with_scene"
cmake -S "$source/tests/install" -B "$work/io" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  ${CXXFLAGS:+-DCMAKE_CXX_FLAGS="$CXXFLAGS"} -DCOMPONENT=io -DSCENE_EXAMPLE="$source/examples/controller_in_the_loop.cpp" \
  -DEVERY_HEADER="$work/headers.cpp" >/dev/null
ninja -C "$work/io" --quiet
"$work/io/with_scene" >/dev/null
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
