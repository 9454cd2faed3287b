/// The objects that look at deliveries, in the order in which they came; none is retained.
@MainActor
struct PumpLookers {
  private struct Place {
    weak var object: (any PumpLooker)?
  }

  private var places: [Place] = []
  /// Where each is; one that is gone may leave its identifier to another.
  private var indices: [ObjectIdentifier: Int] = [:]
  /// How many places are left at least.
  private var goneCount = 0

  var isEmpty: Bool { places.isEmpty }

  /// All that are there now.
  var all: [any PumpLooker] {
    mutating get {
      let left = left
      // An object that is released does not say so.
      if 2 * left.count <= places.count { removeGone() }
      return left
    }
  }

  private var left: [any PumpLooker] { places.compactMap(\.object) }

  /// Adds one, unless it is there.
  mutating func add(_ looker: any PumpLooker) {
    let id = ObjectIdentifier(looker)
    if let index = indices[id], places[index].object === looker { return }
    if places.count >= 16, places.count == places.capacity { removeGone() }
    indices[id] = places.count
    places.append(Place(object: looker))
  }

  mutating func remove(_ looker: any PumpLooker) {
    guard let index = indices[ObjectIdentifier(looker)], places[index].object === looker
    else { return }
    indices[ObjectIdentifier(looker)] = nil
    places[index].object = nil
    goneCount += 1
    if 2 * goneCount >= places.count { removeGone() }
  }

  private mutating func removeGone() {
    let left = left
    places = []
    indices = [:]
    goneCount = 0
    for looker in left {
      indices[ObjectIdentifier(looker)] = places.count
      places.append(Place(object: looker))
    }
  }
}
