/// What a caller waits for, and which observer wants to hear of it.
struct WaitSubject: Sendable {
  let observer: any WaitObserver
  let isElsewhere: Bool
  let text: @Sendable () -> String
}
