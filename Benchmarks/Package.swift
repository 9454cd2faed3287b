// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that measuring costs users of the library nothing.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "StreamQuery", path: "..")],
  targets: [
    // Counts allocations, and marks what callgrind is to count.
    .target(name: "CMeasure"),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "CMeasure",
        .product(name: "StreamQuery", package: "StreamQuery"),
        .product(name: "StreamQueryPersistence", package: "StreamQuery"),
        .product(name: "StreamQueryOperators", package: "StreamQuery"),
        .product(name: "StreamQueryUI", package: "StreamQuery"),
        .product(name: "StreamQueryTesting", package: "StreamQuery"),
      ],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("ImmutableWeakCaptures"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
