/// The reason why an inspector cannot listen, or has stopped.
public enum InspectorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another program, or another inspector, listens on the port.
  case portTaken(UInt16)
  /// The system does not let the app listen. The port is 0 if any free port would do.
  case cannotListen(port: UInt16, reason: String)
  /// The system has taken the socket away, and does not let the app listen on the port again.
  case lost(port: UInt16, reason: String)
  /// The client keeps no record, so there is nothing to see.
  case notRecording
  /// The client has ended, or the inspector was stopped.
  case ended

  /// A sentence about the error, with a remedy if there is one.
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

  /// The system's reason alone; for an error without one, the ``description``.
  var reason: String {
    switch self {
    case .cannotListen(_, let reason), .lost(_, let reason): reason
    case .portTaken, .notRecording, .ended: description
    }
  }
}
