/// Who is whose successor: the runs of each scope, one after the other.
///
/// Pure. A lane exists for as long as somebody is in it; the first one may perform.
package struct MutationLanes: Equatable, Sendable {
  private var lanes: [String: MutationLine] = [:]

  /// Creates an empty table.
  package init() {}

  /// How many lanes there are.
  package var count: Int { lanes.count }

  /// Puts a run at the end of a lane.
  ///
  /// - Parameters:
  ///   - run: The run, which is in no lane yet.
  ///   - name: The lane; `nil` is none, where everyone is first.
  /// - Returns: Whether it is the first.
  package mutating func join(_ run: MutationID, _ name: String?) -> Bool {
    guard let name else { return true }
    lanes[name, default: MutationLine()].append(run)
    return lanes[name]?.first == run
  }

  /// Takes a run out of its lane, wherever it stands.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - name: Its lane.
  /// - Returns: The run that is first now, if the one that left was.
  /// - Complexity: O(1) at either end, else O(*n*) in the length of the lane.
  package mutating func leave(_ run: MutationID, _ name: String?) -> MutationID? {
    // Taken out and put back, so that it is changed in place.
    guard let name, var lane = lanes.removeValue(forKey: name) else { return nil }
    let wasFirst = lane.first == run
    lane.remove(run)
    guard let first = lane.first else { return nil }
    lanes[name] = lane
    return wasFirst ? first : nil
  }

  /// Those in a lane, in order.
  ///
  /// - Parameter name: The lane.
  /// - Returns: The runs.
  package func runs(in name: String) -> ArraySlice<MutationID> { lanes[name]?.runs ?? [] }

  /// The one of a lane that may perform.
  ///
  /// - Parameter name: The lane; `nil` is none.
  /// - Returns: The run.
  package func first(in name: String?) -> MutationID? {
    name.flatMap { lanes[$0]?.first }
  }
}
