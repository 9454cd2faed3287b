/// What the feature that made a query knows about its values, such as how pages follow each other.
///
/// The cache carries it from the query to the results and does not know what it is; it may hold user
/// code.
typealias QueryFeature = any AnyObject & Sendable
