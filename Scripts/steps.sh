# Sourced by what runs the steps of CI: writes down what each took, and prints it as a table.

# A line for each step: its name, its seconds, and the own lines of code that it compiled: those of the package manager, and
# those of compilers that scripts run themselves, see `swiftc` in Scripts/modules.sh.
steps_file=$PWD/.build-steps/steps.tsv

# begin_steps: forgets what was written down.
begin_steps() {
  mkdir -p "${steps_file%/*}"
  : >"$steps_file"
}

# begin_step NAME: remembers the time, for the lines that are compiled from now on.
begin_step() {
  mkdir -p "${steps_file%/*}"
  : >"$(begun "$1")"
  export STEPS_COMPILED
  STEPS_COMPILED=$(begun "$1").lines
  : >"$STEPS_COMPILED"
}

# begun NAME: the file whose time is the beginning of a step.
begun() { echo "${steps_file%/*}/begun-${1//[^A-Za-z]/-}"; }

# end_step NAME SECONDS [FOLDER…]: writes down a step that has built in these folders.
end_step() {
  printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$(compiled_lines "$(begun "$1")" "${@:3}")" \
    "$(awk '{ lines += $1 } END { print lines + 0 }' "$(begun "$1").lines")" >>"$steps_file"
}

# compiled_lines BEGUN FOLDER…: the lines of this project's files that the package manager has compiled in folders
# since the step began.
compiled_lines() {
  local begun=$1 object source place
  place=$(pwd -P)
  shift
  if (($# == 0)); then return 0; fi
  find "$@" -name output-file-map.json -exec cat {} + 2>/dev/null |
    # Each source file, with the object file that is made of it. A module that is compiled as a whole has an entry
    # without a name before them, with an object file that nothing is written to.
    awk -F '"' '
      /^  "/ { source = $2 }
      /^    "object": / && source ~ /\.swift$/ { print source; print $4 }
    ' |
    while IFS= read -r source && IFS= read -r object; do
      if [[ ($source == "$PWD"/* || $source == "$place"/*) && $source != */.build* && $object -nt $begun ]]; then
        cat "$source"
      fi
    done | wc -l
}

# refuse_warnings FILE: fails if what the package manager printed has warnings of this project's files. It may print where
# a folder really is, and not the link by which one came here.
refuse_warnings() {
  if HERE=$PWD/ PLACE=$(pwd -P)/ awk '
    /: warning: / && (index($0, ENVIRON["HERE"]) == 1 || index($0, ENVIRON["PLACE"]) == 1)
  ' "$1" | LC_ALL=C sort -u | grep . >&2; then
    echo "steps: the lines above are warnings" >&2
    return 1
  fi
}

# test_refusing: sees that `refuse_warnings` finds a warning in a checkout behind a link, by either name, and no others.
test_refusing() (
  scratch=$(cd "$(mktemp -d)" && pwd -P)
  trap 'rm -rf "$scratch"' EXIT
  mkdir "$scratch/a+b"
  ln -s a+b "$scratch/link"
  cd "$scratch/link"
  for place in "$scratch/link" "$scratch/a+b"; do
    echo "$place/Sources/A.swift:1:5: warning: unused" >log
    if refuse_warnings log 2>/dev/null; then
      echo "steps: self-test: a warning of $place was let through" >&2
      exit 1
    fi
  done
  printf '%s\n' "$scratch/other/A.swift:1:5: warning: unused" "$scratch/link/A.swift:1:5: note: unused" \
    "warning: $scratch/link: unused" >log
  refuse_warnings log
)

# test_counting: sees that `compiled_lines` counts the lines of each module that was compiled since the step began, whether
# as a whole or file by file, and no others.
test_counting() (
  scratch=$(cd "$(mktemp -d)" && pwd -P)
  trap 'rm -rf "$scratch"' EXIT
  mkdir -p "$scratch/project/.build/checkouts" "$scratch/other"
  ln -s project "$scratch/link"
  cd "$scratch/link"
  touch -t 202001010000 old.o
  touch -t 202001020000 begun
  touch new.o
  # plant MODULE WHOLE: what the package manager writes for a module of files that have one line, two and so on.
  plant() {
    mkdir -p ".build/$1.build"
    {
      echo '{'
      echo '  "": {'
      if $2; then printf '    "object": "%s",\n' "$PWD/new.o"; fi
      echo '    "swift-dependencies": "primary.swiftdeps"'
      for place in "${@:3}"; do
        printf '  },\n  "%s": {\n    "object": "%s",\n    "diagnostics": "A.dia"\n' "${place%=*}" "$PWD/${place#*=}"
      done
      printf '  }\n}'
    } >".build/$1.build/output-file-map.json"
  }
  echo 1 >A.swift
  printf '%s\n' 1 2 >B.swift
  printf '%s\n' 1 2 3 4 >C.swift
  seq 8 >D.swift
  seq 1000 | tee old.swift "$scratch/other/A.swift" >.build/checkouts/A.swift
  # Two of each kind, since what is wrong with one module may be made up for by the next.
  plant A true "$PWD/A.swift=new.o" "$PWD/old.swift=old.o"
  plant B true "$(pwd -P)/B.swift=new.o" "$scratch/other/A.swift=new.o"
  plant C false "$PWD/C.swift=new.o" "$PWD/.build/checkouts/A.swift=new.o"
  plant D false "$PWD/D.swift=new.o" "$PWD/old.swift=none.o"
  for modules in "A 1" "B 2" "C 4" "D 8" "A B 3" "B A 3" "A C 5" "C A 5" "A B C D 15" "D C B A 15" 0; do
    folders=()
    for module in ${modules%[0-9]*}; do if [[ $module == [A-D] ]]; then folders+=(".build/$module.build"); fi; done
    lines=$(compiled_lines begun ${folders[@]+"${folders[@]}"})
    if ((lines != ${modules##* })); then
      echo "steps: self-test: of the modules ${folders[*]-none}, ${lines:-no} lines were counted instead of ${modules##* }" >&2
      exit 1
    fi
  done
)

# Prints all steps that were written down, and their sum.
print_steps() {
  awk -F '\t' '
    BEGIN { printf "%-26s %8s %10s %12s\n", "step", "seconds", "lines", "of scripts" }
    function row(name, seconds, lines, others) { printf "%-26s %8d %10d %12d\n", name, seconds, lines, others }
    { row($1, $2, $3, $4); seconds += $2; lines += $3; others += $4 }
    END { row("all", seconds, lines, others) }
  ' "$steps_file"
}
