/// The answer of user code.
enum CommitAnswer<Answer, Result> {
  case answer(Answer)
  /// There is nothing to apply.
  case over(Result)
}
