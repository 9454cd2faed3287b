/// The order of runs within their scopes: which run comes after which.
///
/// Pure. A lane exists for as long as it has a run; the first run may perform.
package struct MutationLanes: Equatable, Sendable {
  private var lanes: [String: MutationLine] = [:]

  /// Creates an empty table.
  package init() {}

  /// The number of lanes.
  package var count: Int { lanes.count }

  /// Appends a run to a lane.
  ///
  /// - Parameters:
  ///   - run: The run, which is in no lane yet.
  ///   - name: The lane; `nil` is none, where every run is first.
  /// - Returns: Whether the run is the first of the lane.
  package mutating func join(_ run: MutationID, _ name: String?) -> Bool {
    guard let name else { return true }
    lanes[name, default: MutationLine()].append(run)
    return lanes[name]?.first == run
  }

  /// Removes a run from its lane, wherever it stands.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - name: Its lane.
  /// - Returns: The run that is first now, if the removed run was the first.
  /// - Complexity: O(1) at either end, otherwise O(*n*) in the length of the lane.
  package mutating func leave(_ run: MutationID, _ name: String?) -> MutationID? {
    // Taken out and put back, so that it is changed in place.
    guard let name, var lane = lanes.removeValue(forKey: name) else { return nil }
    let wasFirst = lane.first == run
    lane.remove(run)
    guard let first = lane.first else { return nil }
    lanes[name] = lane
    return wasFirst ? first : nil
  }

  /// The runs of a lane, in order.
  ///
  /// - Parameter name: The lane.
  /// - Returns: The runs.
  package func runs(in name: String) -> ArraySlice<MutationID> { lanes[name]?.runs ?? [] }

  /// The run of a lane that may perform.
  ///
  /// - Parameter name: The lane; `nil` is none.
  /// - Returns: The run.
  package func first(in name: String?) -> MutationID? {
    name.flatMap { lanes[$0]?.first }
  }
}
