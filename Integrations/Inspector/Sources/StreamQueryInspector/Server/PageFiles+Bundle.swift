internal import Foundation

extension PageFiles {
  /// Reads the files that come with the package.
  static func bundled() -> Self {
    let folder =
      Bundle.module.url(forResource: "Page", withExtension: nil)
      ?? Bundle.module.bundleURL.appending(path: "Page", directoryHint: .isDirectory)
    let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
    var contents: [String: Data] = [:]
    for path in paths { contents[path] = try? Data(contentsOf: folder.appending(path: path)) }
    return Self(contents)
  }
}
