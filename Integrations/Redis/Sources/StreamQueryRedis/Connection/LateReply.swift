/// The action for a reply that comes after the caller has left.
enum LateReply: Equatable {
  /// The reply is dropped.
  case ignored
  /// If the reply is a list that begins with this text, the caller has taken something: the command gives it
  /// back, with the second element of the list as its last argument.
  case givenBack(if: String, by: RedisCommand)

  /// Makes the command that undoes the effect that a late reply reports.
  ///
  /// - Parameter reply: The reply.
  /// - Returns: The command; `nil` if there is nothing to undo.
  func undo(_ reply: RedisReply) -> RedisCommand? {
    guard case .givenBack(let sign, var command) = self,
      let elements = reply.elements, elements.count > 1,
      elements[0].text == sign, let taken = elements[1].bytes
    else { return nil }
    command.arguments.append(taken)
    return command
  }
}
