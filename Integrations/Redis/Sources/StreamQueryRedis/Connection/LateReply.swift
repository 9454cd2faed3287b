/// What happens with the reply of a command whose caller left.
enum LateReply: Equatable {
  /// It is thrown away.
  case ignored
  /// It is a list that begins with a text, and the command gives back what that says was taken, with
  /// the element behind it as the last argument.
  case givenBack(if: String, by: RedisCommand)

  /// Gives back what a reply says was taken.
  ///
  /// - Parameter reply: The reply.
  /// - Returns: The command that gives it back, if anything was taken.
  func undo(_ reply: RedisReply) -> RedisCommand? {
    guard case .givenBack(let sign, var command) = self,
      let elements = reply.elements, elements.count > 1,
      elements[0].text == sign, let taken = elements[1].bytes
    else { return nil }
    command.arguments.append(taken)
    return command
  }
}
