// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that only apps with an inspector depend on a server. FlyingFox has no dependencies.
let package = Package(
  name: "StreamQueryInspector",
  platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "StreamQueryInspector", targets: ["StreamQueryInspector"]),
    .library(name: "RecordedStories", targets: ["RecordedStories"]),
  ],
  dependencies: [
    .package(name: "StreamQuery", path: "../.."),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
  ],
  targets: [
    .target(
      name: "StreamQueryInspector",
      dependencies: [
        .product(name: "StreamQuery", package: "StreamQuery"),
        .product(name: "StreamQueryOperators", package: "StreamQuery"),
        .product(name: "StreamQueryPersistence", package: "StreamQuery"),
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ],
      // The page as it is: its folder is what a browser sees.
      resources: [.copy("Page")]
    ),
    // The stories that are checked in under Stories, which `Inspect` of Playgrounds writes.
    .target(
      name: "RecordedStories",
      dependencies: [
        .product(name: "StreamQuery", package: "StreamQuery"),
        .product(name: "StreamQueryPersistence", package: "StreamQuery"),
        .product(name: "StreamQueryTesting", package: "StreamQuery"),
      ]
    ),
    .testTarget(
      name: "StreamQueryInspectorTests",
      dependencies: [
        "StreamQueryInspector",
        "RecordedStories",
        .product(name: "StreamQuery", package: "StreamQuery"),
        .product(name: "StreamQueryPersistence", package: "StreamQuery"),
        .product(name: "StreamQueryTesting", package: "StreamQuery"),
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)

// The settings of the root package.
for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
  ]
}
