# Sourced by scripts that compile Swift files against the modules of this package.

# build_modules FOLDER: builds the modules in a scratch folder. Sets
#   products   where they are
#   paths      flags that find them, and what tests need
#   settings   those flags, and the language mode and features of Package.swift
build_modules() {
  local scratch=$1 flags=() feature platform
  # As in check.sh: other flags in the same folder would build everything again.
  if [[ $scratch == .build-check ]]; then flags=(-Xswiftc -warnings-as-errors); fi
  swift build --scratch-path "$scratch" ${flags[@]+"${flags[@]}"}
  products=$(swift build --scratch-path "$scratch" --show-bin-path)
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
