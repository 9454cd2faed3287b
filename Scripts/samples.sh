#!/usr/bin/env bash
# Compiles every sample of the documentation against the modules: README.md, the articles, and the
# comments in the sources. A sample that is followed by a block of text is also run, and must print it.
#
#   Scripts/samples.sh                      all samples
#   Scripts/samples.sh --scratch-path DIR   use the modules built there (default .build-check)
#   Scripts/samples.sh FILE…                the samples of these files
#   Scripts/samples.sh --self-test          also see that a sample of the main actor can fail
#   Scripts/samples.sh --nested PACKAGE     those of a nested package, such as Integrations/Redis
#
# Such a sample runs in a simulation of its own, on the main actor, where it sees that simulation and a client of it as
# `simulation` and `client`: no sample waits in real time, and each prints the same every time. A sample that has
# `@main` or an import of its own is a program, and runs as one.
#
# A sample is a fenced block marked `swift`. It sees the app of Tests/StreamQueryAPITests/Support and
# Scripts/samples/Context.swift. What does not compile is no sample: leave its mark away. Nor is what
# takes more than 100 ms to type-check, or longer on a slow machine: see `type_checking_limit`.
#
# The samples of README.md, of StreamQueryUI, and of articles that import SwiftUI also see Scripts/samples/views. On Linux that is the module which
# stands in for SwiftUI, with the modules that Tests/SwiftUIStandIn builds beside it (.build-views). A
# `#Preview` is then no declaration but an expression: what it shows is compiled, and nothing is made of it.
#
# The samples of a nested package see the app and what Scripts/samples has in the folder of the package's name, and
# import what the files of that folder import. Articles whose first import from Integrations is a module of the package
# belong to it. None can be run: the script does not link what other packages bring.
#
# The samples of articles are one module and those of comments another, each in a function of its own: a compiler
# for each sample would take minutes. So types and extensions that stand outside of functions need names that no
# other sample has.
#
# Each module is compiled with the settings of this package; as a plain module of Swift 6, without the upcoming
# features of Package.swift; and with what new projects of Xcode set, where the main actor is the default isolation.
# Some features change what a type means, so that a method matches a requirement with them only. If that requirement
# has a default implementation, no error tells, so what is run is run from a plain module too.
#
# The code files of tutorials are compiled and tested: see Scripts/tutorials.sh.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/modules.sh
source Scripts/tutorials.sh
scratch=.build-check
self_test=false
nested=
files=()
while (($# > 0)); do
  case $1 in
    --scratch-path) scratch=$2; shift ;;
    --self-test) self_test=true ;;
    --nested) nested=${2%/}; shift ;;
    -*) echo "samples: unknown argument: $1" >&2; exit 2 ;;
    *) files+=("$1") ;;
  esac
  shift
done
articles_of_nested=0
if ((${#files[@]} == 0)); then
  articles_of_nested=1
  # Not by an exclusion of git, which in a nested package takes all files away: git compares it without the prefix that
  # the other patterns have in common.
  while IFS= read -r file; do if [[ -f $file && $file != *.docc/*.swift ]]; then files+=("$file"); fi
  done < <(git ls-files --cached --others --exclude-standard -- \
    "${nested:-.}"/{README.md,AGENTS.md,'Skills/*.md','Sources/*.md','Sources/*.swift','Sources/*.tutorial'})
  # Its articles could be missing, and its sources not.
  if [[ " ${files[*]} " != *" ${nested:+$nested/}README.md "* ]]; then
    echo "samples: README.md of ${nested:-this package} is not among its files" >&2
    exit 1
  fi
fi

limit=$(type_checking_limit)
rm -rf .build-samples
take_tutorials

# prepare KIND: builds what samples of a kind, `others`, `views` or `nested`, are compiled against. Sets what
# `build_modules` sets, and
#   work      where their files are
#   context   the sources of the app that they see
#   imports   the modules that they import besides those of all samples
#   objects   what they are linked with
prepare() {
  work=.build-samples/$1
  context=(Tests/StreamQueryAPITests/Support/*.swift)
  imports=
  objects=()
  case $1 in
    others) context+=(Scripts/samples/*.swift) ;;
    views)
      context+=(Scripts/samples/*.swift Scripts/samples/views/*.swift)
      imports="StreamQueryUI SwiftUI"
      ;;
    nested)
      context+=(Scripts/samples/"${nested##*/}"/*.swift)
      imports=$(sed -n 's/^import //p' Scripts/samples/"${nested##*/}"/*.swift | sort -u | tr '\n' ' ')
      ;;
  esac
  if [[ $1 == nested ]]; then
    # shellcheck disable=SC2046
    build_modules "$scratch" "$nested" $(modules_beside)
  elif [[ $1 == views && $(uname -s) != Darwin ]]; then
    build_views "$scratch"
    find_objects "$products" StreamQuery StreamQueryPersistence StreamQueryOperators StreamQueryTesting
    find_objects "$views_products" StreamQueryViews SwiftUI
  else
    build_modules "$scratch"
    find_objects "$products" StreamQuery StreamQueryPersistence StreamQueryOperators StreamQueryUI StreamQueryTesting
  fi
  settings+=(-I "$work")
  mkdir -p "$work"
  swiftc -emit-module -emit-module-path "$work/App.swiftmodule" -module-name App -enable-testing \
    -parse-as-library -o "$work/App.o" -c -wmo "${settings[@]}" "${context[@]}"
}

# run SAMPLE FLAG…: compiles a sample, runs it, and compares what it prints.
run() {
  local sample=$1 name=${1%.swift}
  shift
  swiftc "$@" -module-name Sample "$sample" "${objects[@]}" "$work/App.o" -o "$name.run" &&
    "$name.run" >"$name.printed" && diff "$name.expected" "$name.printed"
}

# run_each FILE…: runs the samples of files that say what they print: programs from a module with the settings of this
# package and from a plain one, all others in simulations.
run_each() {
  local expected sample main kind names file files simulated=()
  awk -v work="$work" -v imports="$imports" -f Scripts/samples.awk "$@"
  if ! ls "$work"/*.swift >/dev/null 2>&1; then
    echo "samples: none found" >&2
    return 1
  fi
  for expected in "$work"/*.expected; do
    if [[ ! -f $expected ]]; then continue; fi
    sample=${expected%.expected}.swift
    main=()
    if ! is_program "$sample"; then simulated+=("$(basename "$sample" .swift)"); continue; fi
    if grep -q '^@main ' "$sample"; then main=(-parse-as-library); fi
    run "$sample" "${settings[@]}" ${main[@]+"${main[@]}"}
    run "$sample" "${plain[@]}" "${paths[@]}" -I "$work" ${main[@]+"${main[@]}"}
  done
  # As below, the samples of articles are one module and those of comments another.
  for kind in md swift; do
    names=$(printf '%s\n' ${simulated[@]+"${simulated[@]}"} | grep "_${kind}_[0-9]*$" | tr '\n' ' ' || true)
    files=()
    for file in "$@"; do if [[ $file == *."$kind" ]]; then files+=("$file"); fi; done
    if [[ -n $names ]]; then simulate "$work" "${names% }" "${files[@]}"; fi
  done
}

# is_program SAMPLE: whether a sample, which begins below what the script has imported for it, is a program of its own.
is_program() { sed '1,/^#sourceLocation/d' "$1" | grep -qE '^(@main|import) '; }

# simulate FOLDER NAMES FILE…: builds the samples of these names as one program, each of which runs in a simulation, and
# compares what each prints with what FOLDER/NAME.expected says.
simulate() {
  local expected=$1 names=$2 folder=$1/simulated name status=0
  shift 2
  rm -rf "$folder"
  mkdir -p "$folder"
  awk -v work="$folder" -v imports="$imports" -v together=1 -v running="$names" \
    -f Scripts/samples.awk "$@"
  {
    printf '%s\n' "import StreamQuery" "import StreamQueryTesting" "" "@main @MainActor struct Samples {" \
      "  typealias Sample = @MainActor (QueryClient, Simulation) async throws -> Void" \
      "  static func run(_ name: String, _ sample: @escaping Sample) throws {" \
      "    print(\"samples: \\(name)\")" \
      "    try Simulation.onMainActor { simulation in" \
      "      try await sample(QueryClient(simulation: simulation), simulation)" \
      "    }" "  }" "  static func main() throws {"
    for name in $names; do echo "    try run(\"$name\", ${name//[^A-Za-z0-9]/_}(client:simulation:))"; done
    printf '%s\n' "  }" "}"
  } >"$folder/Main.swift"
  swiftc -module-name Samples -parse-as-library -suppress-warnings "${plain[@]}" "${paths[@]}" -I "$work" -wmo \
    "$folder"/*.swift "${objects[@]}" "$work/App.o" -o "$folder/run" || return 1
  "$folder/run" >"$folder/printed" || status=$?
  awk -v folder="$folder" '
    /^samples: / { file = folder "/" $2 ".printed"; printf "" > file; next }
    { print > file }' "$folder/printed"
  for name in $names; do
    touch "$folder/$name.printed"
    if ! diff -u --label "$name says" --label "$name prints" "$expected/$name.expected" "$folder/$name.printed"; then
      status=1
    fi
  done
  return "$status"
}

# MARK: Modules

# compile_together FOLDER FLAG… -- FILE…: all samples of the files as one module, in an app that is compiled
# the same way. Says nothing but what is wrong.
compile_together() {
  local folder=$work/$1 flags=("${paths[@]}" -I "$work/$1")
  shift
  while [[ $1 != -- ]]; do flags+=("$1"); shift; done
  shift
  rm -rf "$folder"
  mkdir -p "$folder"
  awk -v work="$folder" -v imports="$imports" -v together=1 -f Scripts/samples.awk "$@"
  local sources=("$folder"/*.swift) status=0
  if [[ ! -f ${sources[0]} ]]; then return 0; fi
  {
    swiftc -emit-module -emit-module-path "$folder/App.swiftmodule" -module-name App -enable-testing \
      -parse-as-library -wmo "${flags[@]}" \
      "${context[@]}" &&
      swiftc -emit-sil -o /dev/null -wmo -parse-as-library "${flags[@]}" -module-name Samples "${sources[@]}"
  } >"$folder/log" 2>&1 || status=$?
  if ((status != 0)); then cat "$folder/log"; fi
  return "$status"
}

# Nothing but the language mode; then the main actor as the default isolation, alone, and with what Xcode calls
# approachable concurrency, in both language modes.
plain=(-swift-version 6)
approachable=(MemberImportVisibility InferIsolatedConformances NonisolatedNonsendingByDefault)
of_swift_6=(DisableOutwardActorInference GlobalActorIsolatedTypesUsability InferSendableFromCaptures)
alone=(-swift-version 6 -default-isolation MainActor)
swift_6=("${alone[@]}")
swift_5=(-swift-version 5 -default-isolation MainActor)
for feature in "${approachable[@]}"; do
  swift_6+=(-enable-upcoming-feature "$feature")
  swift_5+=(-enable-upcoming-feature "$feature")
done
for feature in "${of_swift_6[@]}"; do swift_5+=(-enable-upcoming-feature "$feature"); done

# compile_in_time GROUP FILE…: the samples of files with the settings of this package. What takes too long to
# type-check three times, by what the machine takes then, is no sample; other warnings are no matter of it.
compile_in_time() {
  local folder=$1 bound=$limit
  shift
  for _ in 1 2 3; do
    compile_together "$folder" "${language[@]}" -Xfrontend -warn-long-expression-type-checking="$bound" -- "$@"
    if ! grep -q 'took .* to type-check' "$work/$folder/log"; then return 0; fi
    bound=$(type_checking_limit)
  done
  grep 'took .* to type-check' "$work/$folder/log"
  return 1
}

together() {
  local group=$1
  shift
  if (($# == 0)); then return 0; fi
  compile_in_time "$group" "$@"
  compile_together "$group-plain" "${plain[@]}" -- "$@"
  compile_together "$group-alone" "${alone[@]}" -- "$@"
  compile_together "$group-6" "${swift_6[@]}" -- "$@"
  compile_together "$group-5" "${swift_5[@]}" -- "$@"
}

# check_all KIND FILE…: everything, for the samples of one kind.
check_all() {
  local kind=$1 file articles=() comments=()
  shift
  if (($# == 0)); then return 0; fi
  prepare "$kind"
  run_each "$@"
  for file in "$@"; do
    if [[ $file == *.swift ]]; then comments+=("$file"); else articles+=("$file"); fi
  done
  together articles ${articles[@]+"${articles[@]}"}
  together comments ${comments[@]+"${comments[@]}"}
  echo "samples: $(find "$work" -maxdepth 1 -name '*.swift' | wc -l) compile, and print what they say"
}

# modules_beside: what the samples of the nested package import of other packages of Integrations.
modules_beside() {
  sed -nE "s/^import ($integrated)$/\1/p" "${files[@]}" | sort -u | while IFS= read -r module; do
    if [[ ! -d $nested/Sources/$module ]]; then echo "$module"; fi
  done
}

# package_of FILE: the package of Integrations whose module an article imports first, if it imports any.
package_of() {
  local module
  module=$(sed -nE "s/^import ($integrated)$/\1/p" "$1" | head -n 1)
  if [[ -n $module ]]; then (cd Integrations && printf 'Integrations/%s\n' */Sources/"$module" | sed 's|/Sources/.*||'); fi
}
integrated=$(printf '%s\n' Integrations/*/Sources/* | sed 's|.*/||' | paste -sd '|' -)

if [[ -n $nested ]]; then
  if ((articles_of_nested)); then
    while IFS= read -r file; do if [[ $(package_of "$file") == "$nested" ]]; then files+=("$file"); fi
    done < <(git ls-files --cached --others --exclude-standard -- 'Sources/*.md')
  fi
  check_all nested "${files[@]}"
  exit
fi
if ((${#files[@]} == 0)); then check_tutorials; exit; fi

others=()
views=()
for file in "${files[@]}"; do
  if [[ $file == Sources/StreamQueryUI/* || $file == README.md ]]; then
    views+=("$file")
  elif [[ $file == *.md ]] && grep -qE '^import (SwiftUI|StreamQueryUI)$' "$file"; then
    views+=("$file")
  elif [[ $file != *.md || -z $(package_of "$file") ]]; then
    others+=("$file")
  fi
done
check_all views ${views[@]+"${views[@]}"}
check_tutorials
if $self_test; then
  # A misspelt property of a view's query.
  planted=$work/StreamQueryUI.md
  cat >"$planted" <<'END'
```swift
QueryView(.user(1)) { user in
  Text(user.data?.nmae ?? "…")
}
```
END
  if compile_together planted "${alone[@]}" -- "$planted" >"$work/planted.log" ||
    ! grep -q "^$planted:3:.* error: .*nmae" "$work/planted.log"; then
    echo "samples: self-test: expected an error in line 3 of $planted, got:" >&2
    cat "$work/planted.log" >&2
    exit 1
  fi
fi
check_all others ${others[@]+"${others[@]}"}

$self_test || exit 0

# MARK: Self-test

# A sample that prints something else.
planted=$work/planted-output
mkdir -p "$planted"
cat >"$planted.md" <<'END'
```swift
let number = Query("number") { 1 }
print(try await client.fetch(number))
```

```text
2
```
END
awk -v work="$planted" -f Scripts/samples.awk "$planted.md"
name=$(basename "$planted"/*.expected .expected)
if simulate "$planted" "$name" "$planted.md" >"$work/planted.log" 2>&1 ||
  [[ $(grep -c -e '^-2$' -e '^+1$' "$work/planted.log") != 2 ]]; then
  echo "samples: self-test: expected 1 in place of 2, got:" >&2
  cat "$work/planted.log" >&2
  exit 1
fi

# A part of a key that belongs to the main actor; the sample before it says that its own does not.
cat >"$work/planted.md" <<'END'
```swift
nonisolated struct Place: Hashable {}
let key = QueryKey<User>("place", Place())
```

```swift
struct Region: Hashable, Sendable {}
let key = QueryKey<User>("region", Region())
```
END
if compile_together planted "${swift_6[@]}" -- "$work/planted.md" >"$work/planted.log"; then
  echo "samples: self-test: a key part of the main actor compiles" >&2
  exit 1
fi
if [[ $(grep -o '^[^ ]*: error:' "$work/planted.log" | sort -u) != "$work/planted.md:8:"*" error:" ]]; then
  echo "samples: self-test: expected one error in line 8 of $work/planted.md, got:" >&2
  cat "$work/planted.log" >&2
  exit 1
fi
