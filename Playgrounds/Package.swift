// swift-tools-version: 6.3
import PackageDescription

let pages = [
  "SearchAsYouType", "DependentQueries", "KeptPagination", "InfiniteFeed", "OptimisticEditing",
  "SeveralQueries", "StreamedAnswer", "Relaunch",
]

/// A page of `StreamQuery.playground`, whose text the executable's `main.swift` is a link to.
func page(_ name: String) -> Target {
  .executableTarget(
    name: name,
    dependencies: [
      .product(name: "StreamQuery", package: "StreamQuery"),
      .product(name: "StreamQueryPersistence", package: "StreamQuery"),
      .product(name: "StreamQueryOperators", package: "StreamQuery"),
      .product(name: "StreamQueryTesting", package: "StreamQuery"),
    ]
  )
}

let sampleApp: [Target.Dependency] = [
  .product(name: "StreamQuery", package: "StreamQuery"),
  .product(name: "StreamQueryUI", package: "StreamQuery"),
]
let simulation = Target.Dependency.product(name: "StreamQueryTesting", package: "StreamQuery")

// A package of its own, so that a server for the tour is no dependency of the library.
let package = Package(
  name: "Playgrounds",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "StreamQuery", path: ".."),
    .package(name: "StreamQueryInspector", path: "../Integrations/Inspector"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
  ],
  targets: [
    .executableTarget(
      name: "Tour",
      dependencies: [
        .product(name: "StreamQuery", package: "StreamQuery"),
        .product(name: "StreamQueryOperators", package: "StreamQuery"),
        .product(name: "FlyingFox", package: "FlyingFox"),
      ]
    ),
    .executableTarget(
      name: "BusyServer",
      dependencies: [
        .product(name: "StreamQuery", package: "StreamQuery"),
        .product(name: "StreamQueryTesting", package: "StreamQuery"),
      ]
    ),
    .executableTarget(
      name: "KilledApp",
      dependencies: [
        .product(name: "StreamQuery", package: "StreamQuery"),
        .product(name: "StreamQueryPersistence", package: "StreamQuery"),
      ]
    ),
    // The models of the app in `SampleApp`, by links to their folders: in virtual time, and before the server.
    .executableTarget(name: "SampleStory", dependencies: sampleApp + [simulation]),
    .executableTarget(
      name: "ServedStory",
      dependencies: sampleApp + [
        simulation, .product(name: "FlyingFox", package: "FlyingFox"),
      ]
    ),
    // The same models before an inspector, and the stories of its package.
    .executableTarget(
      name: "Inspect",
      dependencies: sampleApp + [
        simulation,
        .product(name: "StreamQueryInspector", package: "StreamQueryInspector"),
        .product(name: "RecordedStories", package: "StreamQueryInspector"),
      ]
    ),
  ] + pages.map(page),
  swiftLanguageModes: [.v6]
)

#if canImport(Darwin)
// The app itself. Elsewhere there is no SwiftUI: Tests/SwiftUIStandIn builds and tests it there.
package.targets.append(.executableTarget(name: "SampleApp", dependencies: sampleApp))
#endif

// The settings of the root package: what the tour shows compiles under the same rules.
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
