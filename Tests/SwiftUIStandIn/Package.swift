// swift-tools-version: 6.3
import PackageDescription

// Runs the SwiftUI files of StreamQueryUI on Linux, beside a module that stands in for SwiftUI. It is
// a package of its own because everything that is built beside such a module finds it: `canImport`
// looks into one folder of modules. On Apple's systems the same tests run with the real SwiftUI.
let package = Package(
  name: "SwiftUIStandIn",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "StreamQuery", path: "../..")],
  targets: [
    // The folder of StreamQueryUI, by a link. It has another name because the root package has a
    // target of that name, and SwiftPM wants them to be unique.
    .target(
      name: "StreamQueryViews",
      dependencies: [
        .product(name: "StreamQuery", package: "StreamQuery"),
        .product(name: "StreamQueryOperators", package: "StreamQuery"),
      ],
      exclude: ["StreamQueryUI.docc"]
    ),
    // The app of the playgrounds, by a link. It imports StreamQueryUI, which is called otherwise here.
    // An executable, because it has `@main`; nobody runs it here.
    .executableTarget(
      name: "SampleApp",
      dependencies: [
        "StreamQueryViews",
        .product(name: "StreamQuery", package: "StreamQuery"),
      ]
    ),
    .testTarget(
      name: "StreamQueryViewsTests",
      dependencies: [
        "StreamQueryViews", "SampleApp",
        .product(name: "StreamQuery", package: "StreamQuery"),
        .product(name: "StreamQueryPersistence", package: "StreamQuery"),
        .product(name: "StreamQueryTesting", package: "StreamQuery"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
#if !canImport(Darwin)
package.targets.insert(.target(name: "SwiftUI"), at: 0)
for target in package.targets where target.name != "SwiftUI" {
  target.dependencies.insert("SwiftUI", at: 0)
}
#endif

// Those of the root package.
for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
  ]
  if target.name == "SampleApp" {
    target.swiftSettings?.append(
      .unsafeFlags(["-module-alias", "StreamQueryUI=StreamQueryViews"])
    )
  }
}

// CI has compiled the modules of the root package already, in the folder STREAMQUERY_BUILT: see Scripts/modules.sh.
// Beside another sum of theirs, everything here is compiled anew.
if let built = Context.environment["STREAMQUERY_BUILT"],
  let sum = Context.environment["STREAMQUERY_BUILT_SUM"]
{
  package.dependencies = []
  for target in package.targets where target.name != "SwiftUI" {
    target.dependencies.removeAll { if case .productItem = $0 { true } else { false } }
    target.swiftSettings?.append(.unsafeFlags(["-I", "\(built)/Modules", "-DBUILT_\(sum)"]))
    if target.name == "StreamQueryViews" {
      let archive = "\(built)/libStreamQuery.a"
      target.linkerSettings = [
        .unsafeFlags(["-Xlinker", "--whole-archive", archive, "-Xlinker", "--no-whole-archive"])
      ]
    }
  }
}
