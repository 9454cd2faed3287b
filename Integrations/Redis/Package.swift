// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that only servers that share a cache depend on Redis and its C client.
let package = Package(
  name: "StreamQueryRedis",
  platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "StreamQueryShared", targets: ["StreamQueryShared"]),
    .library(name: "StreamQuerySharedTesting", targets: ["StreamQuerySharedTesting"]),
    .library(name: "StreamQueryRedis", targets: ["StreamQueryRedis"]),
  ],
  dependencies: [
    .package(name: "StreamQuery", path: "../..")
  ],
  targets: [
    .systemLibrary(
      name: "CHiredis",
      pkgConfig: "hiredis",
      providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]
    ),
    .target(
      name: "StreamQueryShared",
      dependencies: [.product(name: "StreamQuery", package: "StreamQuery")]
    ),
    // A store without a server, and the contract of every store.
    .target(
      name: "StreamQuerySharedTesting",
      dependencies: [
        "StreamQueryShared",
        .product(name: "StreamQuery", package: "StreamQuery"),
        .product(name: "StreamQueryTesting", package: "StreamQuery"),
      ]
    ),
    // The costs of sharing among a thousand servers: `swift run -c release SharingCosts`. Not `Network`: for
    // the core, that would be the framework.
    .executableTarget(
      name: "SharingCosts",
      dependencies: ["StreamQueryShared", "StreamQuerySharedTesting"]
    ),
    .target(name: "StreamQueryRedis", dependencies: ["StreamQueryShared", "CHiredis"]),
    .testTarget(
      name: "StreamQuerySharedTests",
      dependencies: [
        "StreamQueryShared",
        "StreamQuerySharedTesting",
        .product(name: "StreamQuery", package: "StreamQuery"),
        .product(name: "StreamQueryPersistence", package: "StreamQuery"),
        .product(name: "StreamQueryTesting", package: "StreamQuery"),
      ]
    ),
    .testTarget(
      name: "StreamQuerySharedTestingTests",
      dependencies: [
        "StreamQuerySharedTesting",
        "StreamQueryShared",
        .product(name: "StreamQuery", package: "StreamQuery"),
        .product(name: "StreamQueryTesting", package: "StreamQuery"),
      ]
    ),
    // A machine of the tests, which kill it.
    .executableTarget(
      name: "Peer",
      dependencies: [
        "StreamQueryRedis", "StreamQueryShared",
        .product(name: "StreamQuery", package: "StreamQuery"),
      ]
    ),
    // Real servers, and networks that fail.
    .target(name: "RedisServers", path: "Tests/RedisServers"),
    // The cost of a call, compared with Redis alone: `swift run -c release Load`.
    .executableTarget(
      name: "Load",
      dependencies: [
        "RedisServers", "StreamQueryRedis", "StreamQueryShared",
        .product(name: "StreamQuery", package: "StreamQuery"),
      ]
    ),
    // Four machines, one of which is killed: `swift run ManyMachines`.
    .executableTarget(
      name: "ManyMachines",
      dependencies: [
        "RedisServers", "StreamQueryRedis", "StreamQueryShared",
        .product(name: "StreamQuery", package: "StreamQuery"),
      ]
    ),
    .testTarget(
      name: "StreamQueryRedisTests",
      dependencies: [
        "StreamQueryRedis",
        "StreamQueryShared",
        "StreamQuerySharedTesting",
        "RedisServers",
        "Peer",
        "CHiredis",
        .product(name: "StreamQuery", package: "StreamQuery"),
        .product(name: "StreamQueryTesting", package: "StreamQuery"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)

// The settings of the root package.
for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
  ]
}

// The thread sanitizer needs the tests of connections only: `STREAMQUERY_REDIS_TESTS` names the test
// target that is declared, and programs that it does not start are left out.
if let name = Context.environment["STREAMQUERY_REDIS_TESTS"] {
  package.targets.removeAll { $0.type == .test && $0.name != name }
  let programs: Set = ["SharingCosts", "Load", "ManyMachines"]
  package.targets.removeAll { programs.contains($0.name) }
}
