/// The client, for values below it that pass it on to user code and never call it themselves.
protocol CarriedClient: AnyObject, Sendable {}
