// Underscored because only the declarations of this module should name it.
// swift-format-ignore: NoLeadingUnderscores
/// Keeps the extensions of a type nonisolated, even where the main actor is the default.
///
/// In a module whose default isolation is the main actor, an extension of another module's type is isolated
/// to the main actor, and a `static var users: Self` in it could not be used in a fetch, a callback or any
/// other `@Sendable` closure. The type's extensions are not isolated if its own declaration names a protocol
/// that inherits `SendableMetatype`; this protocol serves for nothing else:
/// https://github.com/swiftlang/swift-evolution/blob/main/proposals/0466-control-default-actor-isolation.md
public protocol _FreeOfActors: SendableMetatype {}
