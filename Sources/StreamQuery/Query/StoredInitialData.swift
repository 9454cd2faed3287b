/// What the cache keeps of a query's initial data: an object that only the client evaluates.
///
/// The client takes it back as a `DefinitionExtras.InitialDataSource`. An entry keeps it for its
/// resets, without the fetch of the query that brought it.
typealias StoredInitialData = any AnyObject & Sendable
