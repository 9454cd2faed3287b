/// The number of a command, which no other command of the connection gets.
struct CommandID: Hashable, Sendable {
  var number: UInt64
}
