// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that only those who use it depend on GRDB and on SQLite.
let package = Package(
  name: "GRDBStore",
  platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [.library(name: "GRDBStore", targets: ["GRDBStore"])],
  dependencies: [
    .package(name: "StreamQuery", path: "../.."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .target(
      name: "GRDBStore",
      dependencies: [
        .product(name: "StreamQueryPersistence", package: "StreamQuery"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]
    ),
    .testTarget(
      name: "GRDBStoreTests",
      dependencies: [
        "GRDBStore",
        .product(name: "StreamQuery", package: "StreamQuery"),
        .product(name: "StreamQueryPersistence", package: "StreamQuery"),
        .product(name: "StreamQueryTesting", package: "StreamQuery"),
        .product(name: "GRDB", package: "GRDB.swift"),
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
