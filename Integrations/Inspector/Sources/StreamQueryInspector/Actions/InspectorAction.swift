internal import Foundation

/// An action that a user of the page asks for, as the body of `POST /do` says.
enum InspectorAction: Equatable, Sendable {
  /// An action on one entry.
  enum EntryAction: String, CaseIterable, Sendable {
    case invalidate, refetch, reset, remove, setStale, failNext, clearFailNext
  }

  /// Performs an action on the entry of the key with this number in the record.
  case entry(EntryAction, key: Int)
  /// Writes the data that the user has typed to the entry of the key with this number.
  case setData(key: Int)
  /// Makes the client believe that it is offline, or ends this simulation.
  case network(isOffline: Bool)
  /// Makes each attempt take longer.
  case delay(seconds: Double)
  /// Ends all simulated conditions: offline, delay and failures.
  case end
  /// Answers the page's question whether somebody is there, so that simulated conditions stay.
  case stay

  /// The longest delay of an attempt, in seconds.
  static let longestDelay = 600.0

  private struct Fields: Decodable {
    var `do`: String
    var key: Int?
    var seconds: Double?
  }

  /// Reads an action.
  ///
  /// - Parameter body: The body of the request.
  /// - Throws: A refusal, with a sentence that says what is wrong.
  init(body: Data) throws(ActionRefusal) {
    guard let fields = try? InspectorJSON.decoder.decode(Fields.self, from: body) else {
      throw ActionRefusal(400, #"The body is no action, such as {"do": "invalidate", "key": 1}."#)
    }
    switch fields.do {
    case "offline": self = .network(isOffline: true)
    case "online": self = .network(isOffline: false)
    case "end": self = .end
    case "stay": self = .stay
    case "delay":
      guard let seconds = fields.seconds, (0...Self.longestDelay).contains(seconds) else {
        throw ActionRefusal(400, "A delay has from 0 to \(Int(Self.longestDelay)) seconds.")
      }
      self = .delay(seconds: seconds)
    case let name:
      let action = EntryAction(rawValue: name)
      guard action != nil || name == "setData" else {
        throw ActionRefusal(400, "There is no such action: \(name.prefix(40)).")
      }
      guard let key = fields.key else {
        throw ActionRefusal(400, "The number of a key is missing.")
      }
      self = action.map { .entry($0, key: key) } ?? .setData(key: key)
    }
  }

  /// The number of the key that the action concerns; `nil` if it concerns the whole client.
  var key: Int? {
    switch self {
    case .entry(_, let key), .setData(let key): key
    case .network, .delay, .end, .stay: nil
    }
  }

  /// The sentence that says what was done.
  ///
  /// - Parameter key: The printed form of the key.
  /// - Returns: The sentence.
  func sentence(about key: String) -> String {
    switch self {
    case .entry(.invalidate, _): "Invalidated \(key)."
    case .entry(.refetch, _): "Asked for a refetch of \(key)."
    case .entry(.reset, _): "Reset \(key)."
    case .entry(.remove, _): "Removed \(key)."
    case .entry(.setStale, _): "Made \(key) stale."
    case .entry(.failNext, _): "The next fetch of \(key) fails, with all of its attempts."
    case .entry(.clearFailNext, _): "No fetch of \(key) is made to fail."
    case .setData: "Wrote \(key)."
    case .network(isOffline: true): "The client believes that it is offline."
    case .network(isOffline: false): "The client believes its network again."
    case .delay(let seconds) where seconds > 0: "Each attempt takes \(seconds) s longer."
    case .delay: "Attempts take as long as they take."
    case .end: "There are no conditions any more."
    case .stay: "The conditions stay."
    }
  }
}

/// The reason why an action was not performed.
struct ActionRefusal: Error, Equatable, Sendable {
  /// The HTTP status of the answer.
  var status: Int
  /// The sentence that the page shows.
  var text: String

  init(_ status: Int, _ text: String) {
    self.status = status
    self.text = text
  }
}
