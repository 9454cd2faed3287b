# Sourced by scripts that compile Swift files against the modules of this package.

# Those that the documentation has, each after those that it uses.
documented_modules=(StreamQuery StreamQueryPersistence StreamQueryOperators StreamQueryUI StreamQueryTesting)

# swiftc ARGUMENT…: the compiler; counts the lines that it is given for the table of Scripts/steps.sh.
swiftc() {
  local argument sources=()
  if [[ -n ${STEPS_COMPILED:-} ]]; then
    for argument in "$@"; do if [[ $argument == *.swift ]]; then sources+=("$argument"); fi; done
    if ((${#sources[@]} > 0)); then { cat "${sources[@]}" 2>/dev/null || true; } | wc -l >>"$STEPS_COMPILED"; fi
  fi
  command swiftc "$@"
}

# find_docc: sets `docc` to the documentation compiler, which sits beside the compiler; on a Mac, xcrun knows where.
find_docc() {
  local swiftc
  swiftc=$(type -P swiftc)
  docc=$(dirname "$(readlink -f "$swiftc" 2>/dev/null || echo "$swiftc")")/docc
  if [[ ! -x $docc ]]; then docc=$(command -v docc || xcrun --find docc); fi
}

# build_modules FOLDER [PACKAGE [TARGET…]]: builds the modules in a scratch folder, of this package or of a nested one,
# and targets of packages that it depends on. Sets
#   products   where they are
#   paths      flags that find them, and what tests need
#   language   the language mode and features of Package.swift
#   settings   all those flags
build_modules() {
  local scratch=$1 flags=(--package-path "${2:-.}" --scratch-path "$1") feature flag platform target
  # Otherwise the package manager may take the plan of the package that was built in this folder before.
  flags+=(--disable-build-manifest-caching)
  # As in check.sh: other flags in the same folder would build everything again.
  if [[ $scratch == .build-check ]]; then flags+=(-Xswiftc -warnings-as-errors); fi
  swift build "${flags[@]}"
  for target in "${@:3}"; do swift build "${flags[@]}" --target "$target"; done
  products=$(swift build "${flags[@]}" --show-bin-path)
  paths=(-I "$products/Modules" -I "$products")
  # The modules of C that a nested package needs are where the package manager says so to the compiler.
  while IFS= read -r flag; do paths+=(-Xcc "$flag")
  done < <(grep -oE '"(-fmodule-map-file=|-I/)[^"]*"' "$scratch/debug.yaml" | tr -d '"' | sort -u)
  if [[ $(uname -s) == Darwin ]]; then
    platform=$(xcrun --show-sdk-platform-path)
    paths+=(
      -sdk "$(xcrun --show-sdk-path)" -target "$(uname -m)-apple-macosx15.0"
      -F "$platform/Developer/Library/Frameworks" -I "$platform/Developer/usr/lib"
      -plugin-path "$platform/Developer/usr/lib/swift/host/plugins/testing"
    )
  else
    paths+=(-plugin-path "$(dirname "$(readlink -f "$(type -P swiftc)")")/../lib/swift/host/plugins/testing")
  fi
  language=(-swift-version 6)
  while IFS= read -r feature; do language+=(-enable-upcoming-feature "$feature")
  done < <(sed -n 's/.*enableUpcomingFeature("\(.*\)").*/\1/p' Package.swift)
  settings=("${language[@]}" "${paths[@]}")
}

# find_objects FOLDER MODULE…: adds the object files of modules that were built there to `objects`. Those of files
# that are gone may lie beside the others, and do not count.
find_objects() {
  local folder=$1 module source
  for module in "${@:2}"; do
    while IFS= read -r source; do objects+=("$folder/$module.build/$(basename "$source").o")
    done < <(find -L Sources/"$module" Tests/SwiftUIStandIn/Sources/"$module" -name '*.swift' -not -path '*.docc/*' 2>/dev/null | sort)
  done
}

# build_views FOLDER: builds Tests/SwiftUIStandIn with its tests, in .build-views. On Linux it uses the modules that
# are built in the scratch folder of this package, which so are not compiled again. Sets what `build_modules` sets
# for both, and
#   views_flags      flags of the package manager
#   views_products   where its modules are
build_views() {
  local archive objects=()
  build_modules "$1"
  views_flags=(--package-path Tests/SwiftUIStandIn --scratch-path "$PWD/.build-views")
  views_flags+=(-Xswiftc -warnings-as-errors)
  if [[ $(uname -s) != Darwin ]]; then
    archive=$products/libStreamQuery.a
    rm -f "$archive"
    find_objects "$products" StreamQuery StreamQueryPersistence StreamQueryOperators StreamQueryTesting
    ar rcsD "$archive" "${objects[@]}"
    export STREAMQUERY_BUILT=$products
    STREAMQUERY_BUILT_SUM=$(cksum <"$archive" | cut -d ' ' -f 1)
    export STREAMQUERY_BUILT_SUM
  fi
  swift build --build-tests "${views_flags[@]}"
  views_products=$(swift build "${views_flags[@]}" --show-bin-path)
  paths+=(-I "$views_products/Modules" -I "$views_products")
  settings+=(-I "$views_products/Modules" -I "$views_products")
  if [[ $(uname -s) != Darwin ]]; then
    # There the module has another name.
    paths+=(-module-alias StreamQueryUI=StreamQueryViews)
    settings+=(-module-alias StreamQueryUI=StreamQueryViews)
  fi
}

# How many milliseconds an expression may take to type-check on this machine: 100 where the reference,
# of which nothing is ours, takes 15, more on a slower machine, and 400 at most.
type_checking_limit() {
  local folder took fastest=0 limit
  folder=$(mktemp -d)
  cat >"$folder/Reference.swift" <<'SWIFT'
let numbers: [Int] = [3, 1, 2]
let large = numbers.map { ($0, $0) }.filter { $0.0 > 1 }.map { $0.1 }.count
SWIFT
  for _ in 1 2 3; do
    took=$(swiftc -typecheck -Xfrontend -warn-long-expression-type-checking=1 "$folder/Reference.swift" 2>&1 |
      sed -n 's/.*: warning: expression took \([0-9]*\)ms.*/\1/p' | sort -n | tail -n 1)
    if ((fastest == 0 || ${took:-1} < fastest)); then fastest=${took:-1}; fi
  done
  rm -rf "$folder"
  limit=$((100 * fastest / 15))
  echo $((limit < 100 ? 100 : limit > 400 ? 400 : limit))
}
