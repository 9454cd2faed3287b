#if canImport(FoundationNetworking)
// `URLSession` and `URLError`, which Apple's Foundation has: samples that import the app see them.
@_exported public import FoundationNetworking
#endif
