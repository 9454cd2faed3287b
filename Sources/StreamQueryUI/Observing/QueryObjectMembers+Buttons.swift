@_spi(Adapters) public import StreamQuery

// Commands that do not wait, for buttons: `Button("Reload", action: user.refetch)`. In an asynchronous
// caller, the compiler chooses the commands that wait.
//
// No command retains the object: its observation ends when it is released, even if a fetch was begun.
extension _QueryObjectMembers {
  /// Fetches like the asynchronous ``refetch(superseding:)``, without waiting.
  public func refetch() { begin { $0.startRefetch() } }

  /// Invalidates the query without waiting.
  public func invalidate() {
    begin { client?.markInvalidated(.query($0.query)) }
  }

  /// Resets the query without waiting.
  public func reset() { begin { client?.startReset($0.query) } }

  /// Fetches again without waiting; the result of a running fetch is not used.
  func startAnew() { begin { $0.startRefetchAnew() } }

  private func begin(_ command: (QueryObserver<Stored>) -> Void) {
    guard let observer = commanded else { return }
    command(observer)
    arrivedNow()
  }

  /// The observer; `nil` if commands have no effect.
  ///
  /// A command to an object that was never started is reported as a misuse.
  var commanded: QueryObserver<Stored>? {
    if client == nil, delivery == nil, query.key != Query.none.key {
      ViewMisuse.neverStarted(String(describing: Self.self)).report()
    }
    // In a preview, commands do not change states.
    return delivery?.prepared == nil ? observer : nil
  }
}

extension _QueryObjectMembers where Stored: PageSequenceValue {
  /// Fetches the page after the last one, without waiting.
  public func fetchNextPage() { begin { $0.startFetchingNextPage() } }

  /// Fetches the page before the first one, without waiting.
  public func fetchPreviousPage() { begin { $0.startFetchingPreviousPage() } }
}
