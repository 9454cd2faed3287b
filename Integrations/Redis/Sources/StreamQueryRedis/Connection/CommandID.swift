/// The identity of a command of a connection, which is used once.
struct CommandID: Hashable, Sendable {
  var number: UInt64
}
