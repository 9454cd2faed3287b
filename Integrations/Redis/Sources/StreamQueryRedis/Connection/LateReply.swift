/// The thing to do with a reply whose caller left.
enum LateReply: Equatable {
  /// It is dropped.
  case ignored
  /// If the reply is a list that begins with this text, the command gives back what was taken; its last
  /// argument is the next element of the list.
  case givenBack(if: String, by: RedisCommand)

  /// Gives back the elements that a command took, by its reply.
  ///
  /// - Parameter reply: The reply.
  /// - Returns: The command that gives it back; `nil` if nothing was taken.
  func undo(_ reply: RedisReply) -> RedisCommand? {
    guard case .givenBack(let sign, var command) = self,
      let elements = reply.elements, elements.count > 1,
      elements[0].text == sign, let taken = elements[1].bytes
    else { return nil }
    command.arguments.append(taken)
    return command
  }
}
