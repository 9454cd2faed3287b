/// Why a server of a test did not come up.
package struct TestServerError: Error, CustomStringConvertible {
  /// What happened, with what the server said.
  package var description: String

  /// Creates an error.
  ///
  /// - Parameter description: What happened.
  package init(description: String) { self.description = description }
}
