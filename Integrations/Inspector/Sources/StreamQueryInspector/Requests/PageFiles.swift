internal import Foundation

/// A table with the files of the page, in which a request can only look up a name.
struct PageFiles: Sendable {
  private let files: [String: InspectorAnswer]

  /// The content types of the files, by file extension; files with other extensions are left out.
  private static let types = [
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "ico": "image/x-icon",
    "woff2": "font/woff2",
  ]

  /// Creates the table.
  ///
  /// - Parameter contents: The contents of the files, by their paths in the folder, such as `index.html`.
  init(_ contents: [String: Data]) {
    files = contents.reduce(into: [:]) { files, file in
      let ending = file.key.split(separator: ".").last.map(String.init) ?? ""
      if let type = Self.types[ending] {
        files[file.key] = InspectorAnswer(type: type, body: file.value)
      }
    }
  }

  /// The paths of the files.
  var names: Set<String> { Set(files.keys) }

  /// Returns an answer with the file of this name; `nil` if there is no such file.
  subscript(name: String) -> InspectorAnswer? { files[name] }
}
