# Sourced by scripts that compile Swift files against the modules of this package.

# build_modules FOLDER [PACKAGE]: builds the modules in a scratch folder, by this package or by another
# one that uses it. Sets
#   products   where they are
#   paths      flags that find them, and what tests need
#   settings   those flags, and the language mode and features of Package.swift
build_modules() {
  local scratch=$1 flags=(--package-path "${2:-.}") feature platform
  # As in check.sh: other flags in the same folder would build everything again.
  case $scratch in
    .build-check) flags+=(-Xswiftc -warnings-as-errors) ;;
    # With its tests: only they use the test kit there, which samples use.
    "$PWD/.build-views") flags+=(--build-tests -Xswiftc -warnings-as-errors) ;;
  esac
  swift build --scratch-path "$scratch" "${flags[@]}"
  products=$(swift build --scratch-path "$scratch" "${flags[@]}" --show-bin-path)
  paths=(-I "$products/Modules" -I "$products")
  if [[ $(uname -s) == Darwin ]]; then
    platform=$(xcrun --show-sdk-platform-path)
    paths+=(
      -sdk "$(xcrun --show-sdk-path)" -target "$(uname -m)-apple-macosx15.0"
      -F "$platform/Developer/Library/Frameworks" -I "$platform/Developer/usr/lib"
      -plugin-path "$platform/Developer/usr/lib/swift/host/plugins/testing"
    )
  else
    paths+=(-plugin-path "$(dirname "$(readlink -f "$(command -v swiftc)")")/../lib/swift/host/plugins/testing")
  fi
  settings=(-swift-version 6 "${paths[@]}")
  while IFS= read -r feature; do settings+=(-enable-upcoming-feature "$feature")
  done < <(sed -n 's/.*enableUpcomingFeature("\(.*\)").*/\1/p' Package.swift)
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
