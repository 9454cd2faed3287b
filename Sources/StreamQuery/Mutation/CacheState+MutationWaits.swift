extension CacheState {
  /// Whether a run at the end of a lane would wait for a piece that is about to wait for it.
  ///
  /// It would wait for all that are in its lane, so nobody may be there who waits for the piece.
  ///
  /// - Parameters:
  ///   - scope: The lane; `nil` is none, where nobody waits.
  ///   - piece: The piece.
  ///   - cache: Whose state this is.
  /// - Returns: Whether the two would wait for each other.
  /// - Complexity: O(*n*) in the lengths of the lanes of those that wait for the piece.
  func closesCircle(_ scope: String?, _ piece: MutationPiece, of cache: ObjectIdentifier) -> Bool {
    guard let scope else { return false }
    return runs(waitingFor: piece, of: cache).contains { self.scope(of: $0) == scope }
  }

  /// The runs that go on only when a piece does: its own, those whose pieces wait for that, and those
  /// behind either in their lanes.
  ///
  /// - Parameters:
  ///   - piece: The piece.
  ///   - cache: Whose state this is: what is asked may lead through runs of other clients.
  /// - Returns: The runs.
  func runs(
    waitingFor piece: MutationPiece,
    of cache: ObjectIdentifier
  ) -> Set<MutationID> {
    var runs: Set<MutationID> = []
    var open = [piece]
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(piece)]
    func add(_ wait: MutationWait?) {
      guard let wait, wait.isOn, seen.insert(ObjectIdentifier(wait.piece)).inserted else { return }
      open.append(wait.piece)
    }
    while let piece = open.popLast() {
      add(piece.outer)
      guard piece.cache == cache, let index = mutations.find(piece.run) else { continue }
      runs.insert(piece.run)
      for wait in mutations.slots[index].resumers { add(wait) }
      guard let scope = scope(of: piece.run) else { continue }
      for run in mutations.lanes.runs(behind: piece.run, in: scope)
      where runs.insert(run).inserted {
        guard let index = mutations.find(run) else { continue }
        add(mutations.slots[index].job?.caller)
        for wait in mutations.slots[index].resumers { add(wait) }
      }
    }
    return runs
  }

  private func scope(of run: MutationID) -> String? {
    mutations.find(run).flatMap { mutations.slots[$0].job?.scope }
  }
}
