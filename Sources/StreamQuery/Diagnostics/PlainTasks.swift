/// Tells the plain tasks of an app from those of the library.
package enum PlainTasks {
  /// What the tasks of an app inherit from the test of main-actor code in which they begin.
  ///
  /// A task keeps it until it has ended, so that its holders can be counted.
  @TaskLocal package static var mark: (any AnyObject & Sendable)?

  /// Starts a task of the library, which does not inherit the mark.
  ///
  /// - Parameter body: Starts it.
  /// - Returns: What the body returns.
  package static func without<Result>(_ body: () -> Result) -> Result {
    mark == nil ? body() : $mark.withValue(nil) { body() }
  }
}
