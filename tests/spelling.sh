#!/bin/sh
# One word for one thing: words that the project does not use do not occur in messages, keys, columns, pages and scenes.
set -eu
cd "$1"
# what was called otherwise, or is a riddle; the word to use is in docs/reference/words.md
words='wanted|biggest|books|spots?|percussions?|goes? over|holds? back|being killed|size of things|not there|residual[ _]depth|max[ _]force|max[ _]depth|zero[-_]depth|dents?'
failed=0
if grep -rnwE "($words)" README.md CONTRIBUTING.md docs/guide docs/theory docs/reference scenes studies papers data examples --include=*.md --include=*.yaml --include=*.txt |
  grep -v "docs/reference/words.md"; then
  echo "spelling: words of another vocabulary in the pages or scenes above"; failed=1
fi
# string literals, comments left out
if grep -rnE "\"[^\"]*\b($words|depths?)\b[^\"]*\"" src --include=*.cpp --include=*.h |
  grep -vE "#include|^[^:]*:[0-9]+: *///?|(pi|plastic|hertz)\.depth|-depth\",|text_of\(depth|values_of|in_quotes\(wanted\)|, depths\)"; then
  echo "spelling: words of another vocabulary in the messages, keys or columns above"; failed=1
fi
exit $failed
