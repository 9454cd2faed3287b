/// What the feature that made a query knows about its values, such as how pages follow each other.
///
/// The cache carries it from the query to the results and does not know what it is. It may hold user
/// code, but not the fetch: whoever keeps a result would keep all that the fetch captured.
typealias QueryFeature = any AnyObject & Sendable
