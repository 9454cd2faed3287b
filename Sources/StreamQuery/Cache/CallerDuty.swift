/// What only the caller of a turn can do, for it needs the caller's own context.
enum CallerDuty: Sendable {
  /// Make the task of work that somebody else will start.
  case standBy(Standby)
  /// Have work run with a priority at least; `nil` is the caller's.
  case lend(TaskChain, WorkPriority?)
  case several([CallerDuty])
}
