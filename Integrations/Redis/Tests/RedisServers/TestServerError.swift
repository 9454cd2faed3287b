/// Why a server of a test did not come up.
package struct TestServerError: Error, CustomStringConvertible {
  /// What happened, with what the server said.
  package var description: String
}
