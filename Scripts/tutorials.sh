# Sourced by Scripts/samples.sh: compiles what a reader has after each section of a tutorial, and runs the tests in it.
#
# The code files of Name.tutorial are in the folder Name beside it. Together they are a module; files with `Tests` in
# their names are another one, which imports it with `@testable` by the name that it has there. They see SwiftUI, on
# Linux its stand-in. Each module is compiled with what new projects of Xcode set. One with tests is also compiled in
# the mode of Swift 6, with that and as a plain module, and its tests are run.

# compile_section FOLDER NAME FLAG… -- FILE…: compiles a module and its tests, in that folder.
compile_section() {
  local folder=$1 name=$2 flags=("${paths[@]}" -I "$1" -parse-as-library) file sources=() tests=()
  shift 2
  while [[ $1 != -- ]]; do flags+=("$1"); shift; done
  shift
  for file in "$@"; do
    if [[ $file == *Tests*.swift ]]; then tests+=("$file"); else sources+=("$file"); fi
  done
  rm -rf "$folder"
  mkdir -p "$folder"
  # A program of tests has another beginning than the app.
  swiftc "${flags[@]}" -wmo -enable-testing -Xfrontend -entry-point-function-name -Xfrontend "${name}_main" \
    -emit-module -emit-module-path "$folder/$name.swiftmodule" -module-name "$name" \
    -c -o "$folder/$name.o" "${sources[@]}" Scripts/samples/Networking.swift || return 1
  if ((${#tests[@]} == 0)); then return 0; fi
  cat >"$folder/Runner.swift" <<'END'
import Testing

@main struct Runner {
  static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
END
  swiftc "${flags[@]}" -wmo -module-name "${name}Tests" -c -o "$folder/Tests.o" \
    "${tests[@]}" "$folder/Runner.swift"
}

# test_section FOLDER NAME: runs the tests of a module that was compiled there.
test_section() {
  swiftc "$1/Tests.o" "$1/$2.o" "${objects[@]}" -o "$1/tests" && "$1/tests" >"$1/log" 2>&1 || {
    cat "$1/log" >&2
    return 1
  }
}

# check_tutorial TUTORIAL: says nothing but what is wrong.
check_tutorial() {
  local folder=${1%.tutorial} output name file section=0 sections files
  output=$work/tutorial-${folder##*/}
  name=$(sed -n 's/^@testable import //p' "$folder"/*.swift | sort -u)
  for file in "$folder"/*.swift; do
    if grep -q "file: ${file##*/}[,)]" "$1"; then continue; fi
    echo "tutorials: $1 does not show $file" >&2
    return 1
  done
  sections=$(awk -f Scripts/tutorials.awk "$1") || return 1
  while read -r -a files; do
    files=("${files[@]/#/$folder/}")
    section=$((section + 1))
    compile_section "$output-$section-5" "${name:-Tutorial}" "${swift_5[@]}" -- "${files[@]}" || return 1
    if [[ ${files[*]} != *Tests* ]]; then continue; fi
    compile_section "$output-$section-6" "${name:-Tutorial}" "${swift_6[@]}" -- "${files[@]}" || return 1
    compile_section "$output-$section" "${name:-Tutorial}" "${plain[@]}" -- "${files[@]}" || return 1
    test_section "$output-$section" "${name:-Tutorial}" || return 1
  done <<<"$sections"
}

# take_tutorials: moves the tutorials from `files` to `tutorials`.
take_tutorials() {
  local file given=(${files[@]+"${files[@]}"})
  files=()
  tutorials=()
  for file in ${given[@]+"${given[@]}"}; do
    if [[ $file == *.tutorial ]]; then tutorials+=("$file"); else files+=("$file"); fi
  done
}

# check_tutorials: checks all of `tutorials`, beside the samples of views.
check_tutorials() {
  local tutorial checked=0
  for tutorial in ${tutorials[@]+"${tutorials[@]}"}; do
    # A table of contents has no code.
    if [[ ! -d ${tutorial%.tutorial} ]]; then continue; fi
    if [[ ${work:-} != *views ]]; then prepare views; fi
    check_tutorial "$tutorial"
    if $self_test && ((checked == 0)); then
      refuse_planted "$tutorial" 's/isEmpty/isEmtpy/' "has no member 'isEmtpy'"
      refuse_planted "$tutorial" 's/keepsPreviousData: true/keepsPreviousData: false/' 'failed'
    fi
    checked=$((checked + 1))
  done
  if ((checked > 0)); then
    echo "samples: $checked tutorial(s) compile after each section, and their tests pass"
  fi
}

# refuse_planted TUTORIAL EDIT TEXT: a copy of a tutorial, with its code edited, must be refused with this text.
refuse_planted() {
  local copy=$work/planted/${1##*/}
  rm -rf "$work/planted"
  mkdir -p "$work/planted"
  cp -R "$1" "${1%.tutorial}" "$work/planted"
  sed -i.before "$2" "${copy%.tutorial}"/*.swift
  if check_tutorial "$copy" >"$work/planted/log" 2>&1 || ! grep -q "$3" "$work/planted/log"; then
    echo "tutorials: self-test: expected '$3' of $1 after $2, got:" >&2
    cat "$work/planted/log" >&2
    exit 1
  fi
}
