// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "StreamQuery",
  platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "StreamQuery", targets: ["StreamQuery"]),
    .library(name: "StreamQueryPersistence", targets: ["StreamQueryPersistence"]),
    .library(name: "StreamQueryOperators", targets: ["StreamQueryOperators"]),
    .library(name: "StreamQueryUI", targets: ["StreamQueryUI"]),
    .library(name: "StreamQueryTesting", targets: ["StreamQueryTesting"]),
  ],
  targets: [
    .target(name: "StreamQuery"),
    // Stores, archives, the outbox and accounts. An app that keeps nothing does not link them.
    .target(name: "StreamQueryPersistence", dependencies: ["StreamQuery"]),
    .target(name: "StreamQueryOperators", dependencies: ["StreamQuery"]),
    // Uses the public surface of the others, and that for adapters, `@_spi(Adapters)`: what it needs, authors of other
    // adapters need too.
    .target(name: "StreamQueryUI", dependencies: ["StreamQuery", "StreamQueryOperators"]),
    .target(name: "StreamQueryTesting", dependencies: ["StreamQuery", "StreamQueryPersistence"]),
    .testTarget(
      name: "StreamQueryTests",
      dependencies: [
        "StreamQuery", "StreamQueryPersistence", "StreamQueryOperators", "StreamQueryTesting",
      ]
    ),
    .testTarget(
      name: "StreamQueryPersistenceTests",
      dependencies: [
        "StreamQuery", "StreamQueryPersistence", "StreamQueryOperators", "StreamQueryTesting",
      ]
    ),
    .testTarget(
      name: "StreamQueryOperatorsTests",
      dependencies: [
        "StreamQuery", "StreamQueryPersistence", "StreamQueryOperators", "StreamQueryTesting",
      ]
    ),
    .testTarget(
      name: "StreamQueryUITests",
      dependencies: [
        "StreamQuery", "StreamQueryPersistence", "StreamQueryOperators", "StreamQueryUI",
        "StreamQueryTesting",
      ]
    ),
    .testTarget(
      name: "StreamQueryTestingTests",
      dependencies: ["StreamQuery", "StreamQueryTesting"]
    ),
    // All tests whose code runs on several threads at once: the thread sanitizer needs no others. Helpers
    // that they share with other tests are links in `Support`.
    .testTarget(
      name: "StreamQueryThreadTests",
      dependencies: [
        "StreamQuery", "StreamQueryPersistence", "StreamQueryOperators", "StreamQueryTesting",
      ]
    ),
    // Replays recorded behaviour of the reference engine on the public surface. Its files are found
    // by path: a bundle would copy them into every build.
    .testTarget(
      name: "StreamQueryConformanceTests",
      dependencies: [
        "StreamQuery", "StreamQueryPersistence", "StreamQueryOperators", "StreamQueryTesting",
      ],
      exclude: [
        "Scenarios", "Random", "Further", "FORMAT.md", "DIFFERENCES.md", "Deviations.json",
        "Conflicts.json",
      ]
    ),
    // Imports the modules plainly: every documented call must compile for a user. Those of StreamQueryUI are
    // in its own tests, so that the release build needs no views.
    .testTarget(
      name: "StreamQueryAPITests",
      dependencies: [
        "StreamQuery", "StreamQueryPersistence", "StreamQueryOperators", "StreamQueryTesting",
      ]
    ),
    // An app as Xcode makes it: everything belongs to the main actor unless it says otherwise.
    .testTarget(
      name: "StreamQueryMainActorTests",
      dependencies: ["StreamQuery", "StreamQueryOperators", "StreamQueryTesting"]
    ),
  ],
  swiftLanguageModes: [.v6]
)

// What an app has to declare for the app defaults of `DefaultsStore` and for the files of `FileStore`,
// whose identity it compares. Elsewhere a resource would
// only let the package manager write code that needs Foundation.
for target in package.targets where target.name == "StreamQueryPersistence" {
  #if canImport(Darwin)
  target.resources = [.copy("PrivacyInfo.xcprivacy")]
  #else
  target.exclude = ["PrivacyInfo.xcprivacy"]
  #endif
}

// One set of settings for every target, so that no file compiles under other rules than its
// neighbour. Warnings become errors in `Scripts/check.sh` rather than here: SwiftPM refuses
// such flags in packages that others depend on.
for target in package.targets {
  target.swiftSettings = [
    // `any` is spelled out: an existential costs an indirection that should be seen.
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // Imports are not re-exported by accident.
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // A member is visible only where its module is imported.
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
    // Conformances of isolated types are isolated too.
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0470-isolated-conformances.md
    .enableUpcomingFeature("InferIsolatedConformances"),
    // A nonisolated async function runs where its caller runs: no hop from the main actor.
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    // A weak capture cannot be reassigned, so that closures that hold one stay Sendable.
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0481-weak-let.md
    .enableUpcomingFeature("ImmutableWeakCaptures"),
  ]
  if target.name == "StreamQueryMainActorTests" {
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0466-control-default-actor-isolation.md
    target.swiftSettings?.append(.defaultIsolation(MainActor.self))
  }
}

// CI compiles some settings with part of the tests: `STREAMQUERY_TESTS` names the test targets that are
// declared, with commas between them.
if let names = Context.environment["STREAMQUERY_TESTS"]?.split(separator: ",").map(String.init) {
  let known = package.targets.filter { $0.type == .test }.map(\.name)
  // Otherwise a wrong name would run no tests, and pass.
  precondition(names.allSatisfy { known.contains($0) }, "no such test target; there are \(known)")
  package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
  // No other target uses this one, which is large.
  let interface = "StreamQueryUI"
  let isUsed = package.targets.contains { target in
    target.dependencies.contains { if case .byNameItem(interface, _) = $0 { true } else { false } }
  }
  if !isUsed {
    package.targets.removeAll { $0.name == interface }
    package.products.removeAll { $0.name == interface }
  }
}
