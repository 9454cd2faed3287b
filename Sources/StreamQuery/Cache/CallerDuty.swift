/// What only the caller of a transaction can do, because it needs the caller's own context.
enum CallerDuty: Sendable {
  /// Make the task for work that somebody else will start.
  case standBy(Standby)
  /// Raise the priority of work to at least this one; `nil` is the caller's.
  case lend(TaskChain, WorkPriority?)
  case several([CallerDuty])
}
