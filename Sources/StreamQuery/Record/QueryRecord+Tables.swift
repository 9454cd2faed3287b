extension QueryRecord {
  /// A key with the type of its values.
  ///
  /// The number stands for one entry: if the key gets another entry later, that has another number.
  public struct Key: Hashable, Sendable, _FreeOfActors, Identifiable {
    /// The number of the key.
    public var number: Int
    /// The key as it prints, such as `["user", 42]`.
    public var text: String
    /// The name of the values' type.
    public var valueType: String
    /// The parts of the key, by which a tool can group keys.
    public var parts: [Part]
    /// The state before the first event; `nil` if there was no entry then.
    public var base: State?

    /// The number of the key.
    public var id: Int { number }

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - number: The number of the key.
    ///   - text: The key as it prints.
    ///   - valueType: The name of the values' type.
    ///   - parts: The parts of the key.
    ///   - base: The state before the first event.
    package init(
      number: Int,
      text: String,
      valueType: String,
      parts: [Part],
      base: State? = nil
    ) {
      self.number = number
      self.text = text
      self.valueType = valueType
      self.parts = parts
      self.base = base
    }
  }

  /// A part of a key, as plain data.
  public enum Part: Hashable, Sendable {
    /// An absent value.
    case null
    /// A truth value.
    case bool(Bool)
    /// A whole number; 2.0 counts as 2, because JSON does not tell them apart.
    case int(Int)
    /// Any other finite number: a fraction, or a whole number that does not fit into an `Int`.
    case number(Double)
    /// A text, or the text of a value for which there is no other case.
    case text(String)
    /// The elements of a list.
    case list([Part])
    /// Named parts.
    case fields([String: Part])
  }

  /// A run of a mutation.
  public struct Run: Hashable, Sendable, _FreeOfActors, Identifiable {
    /// The number of the run.
    public var number: Int
    /// The key of the mutation as it prints.
    public var mutation: String
    /// The scope, in which runs wait for each other; `nil` without one.
    public var scope: String?
    /// The time at which the run was requested.
    public var started: Duration
    /// The status before the first event; `nil` if the run began later.
    public var base: RunStatus?

    /// The number of the run.
    public var id: Int { number }

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - number: The number of the run.
    ///   - mutation: The key of the mutation as it prints.
    ///   - scope: The scope, in which runs wait for each other.
    ///   - started: The time at which the run was requested.
    ///   - base: The status before the first event.
    package init(
      number: Int,
      mutation: String,
      scope: String? = nil,
      started: Duration,
      base: RunStatus? = nil
    ) {
      self.number = number
      self.mutation = mutation
      self.scope = scope
      self.started = started
      self.base = base
    }
  }

  /// The status of a run, after its last step.
  public enum RunStatus: Hashable, Sendable, CaseIterable {
    /// The run was requested, or its pause is over, and no attempt has begun since.
    case started
    /// The run waits for its scope, the network or the app.
    case paused
    /// An attempt runs.
    case performing
    /// The run waits for its next attempt.
    case retrying
    /// The durable run failed, and waits for a decision about its error.
    case stopped
    /// The run ended with an output.
    case succeeded
    /// The run ended with an error.
    case failed
    /// The run was cancelled.
    case cancelled
  }

  /// The options of an entry's query that help to explain what the entry does.
  public struct Options: Hashable, Sendable, _FreeOfActors, Identifiable {
    /// The number of the options.
    public var number: Int
    /// How long data counts as fresh.
    public var staleTime: Span
    /// How long an entry without observers is kept.
    public var gcTime: Span
    /// The retries of failed attempts, in words; `nil` if they are not known.
    public var retry: String?
    /// Whether the query fetches by itself; `nil` if a function decides.
    public var isEnabled: Bool?
    /// The interval of polling; `nil` without polling.
    public var refetchInterval: Span?

    /// The number of the options.
    public var id: Int { number }

    /// Creates options.
    ///
    /// - Parameters:
    ///   - number: The number of the options.
    ///   - staleTime: How long data counts as fresh.
    ///   - gcTime: How long an entry without observers is kept.
    package init(number: Int, staleTime: Span, gcTime: Span) {
      self.number = number
      self.staleTime = staleTime
      self.gcTime = gcTime
      isEnabled = true
    }
  }

  /// A length of time among options.
  public enum Span: Hashable, Sendable {
    /// A duration.
    case after(Duration)
    /// A time without an end.
    case never
    /// Data is never stale, not even after an invalidation.
    case `static`
    /// A function decides how long.
    case dynamic
  }

  /// An error that an event refers to.
  public struct Failure: Hashable, Sendable, _FreeOfActors, Identifiable {
    /// The number of the error.
    public var number: Int
    /// The error as it prints.
    public var text: String

    /// The number of the error.
    public var id: Int { number }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - number: The number of the error.
    ///   - text: The error as it prints.
    package init(number: Int, text: String) {
      self.number = number
      self.text = text
    }
  }

  /// The value of an entry after an event.
  public struct Value: Hashable, Sendable, _FreeOfActors, Identifiable {
    /// The number of the event.
    public var event: Int
    /// The value as JSON.
    public var json: String

    /// The number of the event.
    public var id: Int { event }

    /// Creates a value.
    ///
    /// - Parameters:
    ///   - event: The number of the event.
    ///   - json: The value as JSON.
    package init(event: Int, json: String) {
      self.event = event
      self.json = json
    }
  }
}
