#!/bin/sh
# A room includes only rooms above it in this list (and itself).
set -eu
cd "$1/src"
rooms="base linear expression ode contact impact collision geometry joint scene recording model dynamics io study report cli"
failed=0
allowed=""
for room in $rooms; do
  allowed="$allowed $room"
  [ -d "$room" ] || continue
  for file in $(find "$room" -name "*.h" -o -name "*.cpp"); do
    [ -f "$file" ] || continue
    for used in $(sed -n 's|^ *#include "percuss/\([a-z]*\)/.*|\1|p' "$file" | sort -u); do
      case " $allowed " in
        *" $used "*) ;;
        *) echo "$file includes $used, which is below $room"; failed=1 ;;
      esac
    done
    if grep -n '^ *#include "\(\.\./\|[a-z_]*/\)' "$file" | grep -v '"percuss/'; then
      echo "$file: project headers are included as \"percuss/room/name.h\""; failed=1
    fi
  done
done
for room in *; do
  case " $rooms CMakeLists.txt " in *" $room "*) ;; *) echo "src/$room is not a room of the design"; failed=1 ;; esac
done
exit $failed
