/// The reason for which an inspector does not listen, or not any more.
public enum InspectorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another program, or another inspector, listens on the port.
  case portTaken(UInt16)
  /// The system does not let the app listen; the port, 0 if any would do, and the system's reason.
  case cannotListen(port: UInt16, reason: String)
  /// The system has taken the socket away, and does not let the app listen on the port again; the system's reason.
  case lost(port: UInt16, reason: String)
  /// The client keeps no record, so there is nothing to see.
  case notRecording
  /// The client has ended, or the inspector was stopped.
  case ended

  /// A sentence that says what to do about it.
  public var description: String {
    switch self {
    case .portTaken(let port):
      "port \(port) is taken: end what listens there, or let Inspector(client) choose a port"
    case .cannotListen(let port, let reason):
      "the inspector cannot listen on port \(port): \(reason)"
    case .lost(let port, let reason):
      "the inspector has lost port \(port), and cannot listen there again: \(reason)"
    case .notRecording:
      "the client keeps no record: set `configuration.record = .last(1_000)` before you make it"
    case .ended:
      "the client has ended, or the inspector was stopped"
    }
  }

  /// The reason of the system, without the sentence around it.
  var reason: String {
    switch self {
    case .cannotListen(_, let reason), .lost(_, let reason): reason
    case .portTaken, .notRecording, .ended: description
    }
  }
}
