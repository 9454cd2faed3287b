/// What a task inherits from whoever starts it.
enum Inheritance {
  /// Runs code without the library's own task-locals.
  ///
  /// The work of an entry or a run is started by whoever happens to perform errands: also by code
  /// inside an update, an option or a callback that has nothing to do with it.
  static func without<Result>(_ body: () -> Result) -> Result {
    guard UpdateChain.current != nil || MutationJob.current != nil || AskRound.current != 0 else {
      return body()
    }
    return UpdateChain.$current.withValue(nil) {
      MutationJob.$current.withValue(nil) { AskRound.$current.withValue(0) { body() } }
    }
  }
}
