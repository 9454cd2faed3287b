/// The client, for values below it that carry it to the user's code and ask it nothing themselves.
protocol CarriedClient: AnyObject, Sendable {}
