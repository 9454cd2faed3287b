/// The objects that look at deliveries, in the order in which they came; they are not retained.
@MainActor
struct DeliveryParticipants {
  private struct Place {
    weak var object: (any DeliveryParticipant)?
  }

  private var places: [Place] = []
  /// The place of each; the identifier of a released one may be reused.
  private var indices: [ObjectIdentifier: Int] = [:]
  /// The number of released ones, at least.
  private var goneCount = 0

  var isEmpty: Bool { places.isEmpty }

  /// All that exist.
  var all: [any DeliveryParticipant] {
    mutating get {
      let left = left
      // A release is not reported, so released ones are counted here.
      if 2 * left.count <= places.count { removeGone() }
      return left
    }
  }

  private var left: [any DeliveryParticipant] { places.compactMap(\.object) }

  /// Adds one, unless it is there.
  mutating func add(_ looker: any DeliveryParticipant) {
    let id = ObjectIdentifier(looker)
    if let index = indices[id], places[index].object === looker { return }
    if places.count >= 16, places.count == places.capacity { removeGone() }
    indices[id] = places.count
    places.append(Place(object: looker))
  }

  mutating func remove(_ looker: any DeliveryParticipant) {
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
