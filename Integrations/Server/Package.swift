// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that only servers depend on the packages of servers. Hummingbird and
// SwiftNIO are fetched for the example only: SwiftPM leaves them out where just the library is used.
let package = Package(
  name: "StreamQueryServer",
  platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "StreamQueryServer", targets: ["StreamQueryServer"]),
    .library(name: "StreamQuerySharedServer", targets: ["StreamQuerySharedServer"]),
  ],
  dependencies: [
    .package(name: "StreamQuery", path: "../.."),
    // Only its part without a server: nothing here needs hiredis.
    .package(name: "StreamQueryRedis", path: "../Redis"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
  ],
  targets: [
    .target(
      name: "StreamQueryServer",
      dependencies: [
        .product(name: "StreamQuery", package: "StreamQuery"),
        .product(name: "StreamQueryPersistence", package: "StreamQuery"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]
    ),
    // The same for the cache that many machines share.
    .target(
      name: "StreamQuerySharedServer",
      dependencies: [
        "StreamQueryServer",
        .product(name: "StreamQueryShared", package: "StreamQueryRedis"),
        .product(name: "StreamQuery", package: "StreamQuery"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]
    ),
    .executableTarget(
      name: "Example",
      dependencies: [
        "StreamQueryServer",
        .product(name: "StreamQuery", package: "StreamQuery"),
        .product(name: "StreamQueryPersistence", package: "StreamQuery"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .testTarget(
      name: "StreamQueryServerTests",
      dependencies: [
        "StreamQueryServer",
        .product(name: "StreamQuery", package: "StreamQuery"),
        .product(name: "StreamQueryPersistence", package: "StreamQuery"),
        .product(name: "StreamQueryTesting", package: "StreamQuery"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
      ]
    ),
    .testTarget(
      name: "StreamQuerySharedServerTests",
      dependencies: [
        "StreamQuerySharedServer",
        "StreamQueryServer",
        .product(name: "StreamQueryShared", package: "StreamQueryRedis"),
        .product(name: "StreamQuerySharedTesting", package: "StreamQueryRedis"),
        .product(name: "StreamQuery", package: "StreamQuery"),
        .product(name: "StreamQueryTesting", package: "StreamQuery"),
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
      ]
    ),
    // Not with `HummingbirdTesting`: its HTTP client brings BoringSSL, and 670 files to compile.
    .testTarget(
      name: "ExampleTests",
      dependencies: [
        "Example",
        .product(name: "StreamQuery", package: "StreamQuery"),
        .product(name: "StreamQueryPersistence", package: "StreamQuery"),
        .product(name: "StreamQueryTesting", package: "StreamQuery"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
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
