/// Two typed parts of a key as one value; a native tuple cannot be `Hashable`.
///
/// A key made from the tuple equals the key made from the two parts. See ``QueryKey``.
@_documentation(visibility: internal)
public struct KeyTuple2<
  A: Hashable & Sendable,
  B: Hashable & Sendable
>: Hashable, Sendable {
  /// The first part.
  public var key1: A

  /// The second part.
  public var key2: B

  /// Creates a tuple of parts.
  ///
  /// - Parameters:
  ///   - key1: The first part.
  ///   - key2: The second part.
  public init(_ key1: A, _ key2: B) {
    self.key1 = key1
    self.key2 = key2
  }
}

@_documentation(visibility: internal)
extension KeyTuple2 where A == String {
  /// Creates a tuple of parts; the first is the name of a type, including its module.
  ///
  /// The first part is the name as a string; a ``QueryKey`` made with the type itself has another first part.
  ///
  /// - Parameters:
  ///   - subject: The type that names the first part.
  ///   - key2: The second part.
  public init<Subject>(_ subject: Subject.Type, _ key2: B) {
    self.init(stableName(of: subject), key2)
  }
}

@_documentation(visibility: internal)
extension KeyTuple2: Encodable where A: Encodable, B: Encodable {}
@_documentation(visibility: internal)
extension KeyTuple2: Decodable where A: Decodable, B: Decodable {}

@_documentation(visibility: internal)
extension KeyTuple2: KeyPartsConvertible {
  /// The parts as a key.
  public var keyParts: AnyQueryKey { AnyQueryKey(key1, key2) }
}

/// Three typed parts of a key as one value; a native tuple cannot be `Hashable`.
///
/// ```swift
/// KeyTuple3("products", Category.electronics, true)
/// ```
///
/// A key made from the tuple equals the key made from the three parts. See ``QueryKey``.
@_documentation(visibility: internal)
public struct KeyTuple3<
  A: Hashable & Sendable,
  B: Hashable & Sendable,
  C: Hashable & Sendable
>: Hashable, Sendable {
  /// The first part.
  public var key1: A

  /// The second part.
  public var key2: B

  /// The third part.
  public var key3: C

  /// Creates a tuple of parts.
  ///
  /// - Parameters:
  ///   - key1: The first part.
  ///   - key2: The second part.
  ///   - key3: The third part.
  public init(_ key1: A, _ key2: B, _ key3: C) {
    self.key1 = key1
    self.key2 = key2
    self.key3 = key3
  }
}

@_documentation(visibility: internal)
extension KeyTuple3 where A == String {
  /// Creates a tuple of parts; the first is the name of a type, including its module.
  ///
  /// The first part is the name as a string; a ``QueryKey`` made with the type itself has another first part.
  ///
  /// - Parameters:
  ///   - subject: The type that names the first part.
  ///   - key2: The second part.
  ///   - key3: The third part.
  public init<Subject>(_ subject: Subject.Type, _ key2: B, _ key3: C) {
    self.init(stableName(of: subject), key2, key3)
  }
}

@_documentation(visibility: internal)
extension KeyTuple3: Encodable where A: Encodable, B: Encodable, C: Encodable {}
@_documentation(visibility: internal)
extension KeyTuple3: Decodable where A: Decodable, B: Decodable, C: Decodable {}

@_documentation(visibility: internal)
extension KeyTuple3: KeyPartsConvertible {
  /// The parts as a key.
  public var keyParts: AnyQueryKey { AnyQueryKey(key1, key2, key3) }
}

/// Four typed parts of a key as one value; a native tuple cannot be `Hashable`.
///
/// A key made from the tuple equals the key made from the four parts. See ``QueryKey``.
@_documentation(visibility: internal)
public struct KeyTuple4<
  A: Hashable & Sendable,
  B: Hashable & Sendable,
  C: Hashable & Sendable,
  D: Hashable & Sendable
>: Hashable, Sendable {
  /// The first part.
  public var key1: A

  /// The second part.
  public var key2: B

  /// The third part.
  public var key3: C

  /// The fourth part.
  public var key4: D

  /// Creates a tuple of parts.
  ///
  /// - Parameters:
  ///   - key1: The first part.
  ///   - key2: The second part.
  ///   - key3: The third part.
  ///   - key4: The fourth part.
  public init(_ key1: A, _ key2: B, _ key3: C, _ key4: D) {
    self.key1 = key1
    self.key2 = key2
    self.key3 = key3
    self.key4 = key4
  }
}

@_documentation(visibility: internal)
extension KeyTuple4 where A == String {
  /// Creates a tuple of parts; the first is the name of a type, including its module.
  ///
  /// The first part is the name as a string; a ``QueryKey`` made with the type itself has another first part.
  ///
  /// - Parameters:
  ///   - subject: The type that names the first part.
  ///   - key2: The second part.
  ///   - key3: The third part.
  ///   - key4: The fourth part.
  public init<Subject>(_ subject: Subject.Type, _ key2: B, _ key3: C, _ key4: D) {
    self.init(stableName(of: subject), key2, key3, key4)
  }
}

@_documentation(visibility: internal)
extension KeyTuple4: Encodable where A: Encodable, B: Encodable, C: Encodable, D: Encodable {}
@_documentation(visibility: internal)
extension KeyTuple4: Decodable where A: Decodable, B: Decodable, C: Decodable, D: Decodable {}

@_documentation(visibility: internal)
extension KeyTuple4: KeyPartsConvertible {
  /// The parts as a key.
  public var keyParts: AnyQueryKey { AnyQueryKey(key1, key2, key3, key4) }
}

/// Five typed parts of a key as one value; a native tuple cannot be `Hashable`.
///
/// A key made from the tuple equals the key made from the five parts. See ``QueryKey``.
@_documentation(visibility: internal)
public struct KeyTuple5<
  A: Hashable & Sendable,
  B: Hashable & Sendable,
  C: Hashable & Sendable,
  D: Hashable & Sendable,
  E: Hashable & Sendable
>: Hashable, Sendable {
  /// The first part.
  public var key1: A

  /// The second part.
  public var key2: B

  /// The third part.
  public var key3: C

  /// The fourth part.
  public var key4: D

  /// The fifth part.
  public var key5: E

  /// Creates a tuple of parts.
  ///
  /// - Parameters:
  ///   - key1: The first part.
  ///   - key2: The second part.
  ///   - key3: The third part.
  ///   - key4: The fourth part.
  ///   - key5: The fifth part.
  public init(_ key1: A, _ key2: B, _ key3: C, _ key4: D, _ key5: E) {
    self.key1 = key1
    self.key2 = key2
    self.key3 = key3
    self.key4 = key4
    self.key5 = key5
  }
}

@_documentation(visibility: internal)
extension KeyTuple5 where A == String {
  /// Creates a tuple of parts; the first is the name of a type, including its module.
  ///
  /// The first part is the name as a string; a ``QueryKey`` made with the type itself has another first part.
  ///
  /// - Parameters:
  ///   - subject: The type that names the first part.
  ///   - key2: The second part.
  ///   - key3: The third part.
  ///   - key4: The fourth part.
  ///   - key5: The fifth part.
  public init<Subject>(_ subject: Subject.Type, _ key2: B, _ key3: C, _ key4: D, _ key5: E) {
    self.init(stableName(of: subject), key2, key3, key4, key5)
  }
}

@_documentation(visibility: internal)
extension KeyTuple5: Encodable
where A: Encodable, B: Encodable, C: Encodable, D: Encodable, E: Encodable {}
@_documentation(visibility: internal)
extension KeyTuple5: Decodable
where A: Decodable, B: Decodable, C: Decodable, D: Decodable, E: Decodable {}

@_documentation(visibility: internal)
extension KeyTuple5: KeyPartsConvertible {
  /// The parts as a key.
  public var keyParts: AnyQueryKey { AnyQueryKey(key1, key2, key3, key4, key5) }
}

/// Six typed parts of a key as one value; a native tuple cannot be `Hashable`.
///
/// A key made from the tuple equals the key made from the six parts. See ``QueryKey``.
@_documentation(visibility: internal)
public struct KeyTuple6<
  A: Hashable & Sendable,
  B: Hashable & Sendable,
  C: Hashable & Sendable,
  D: Hashable & Sendable,
  E: Hashable & Sendable,
  F: Hashable & Sendable
>: Hashable, Sendable {
  /// The first part.
  public var key1: A

  /// The second part.
  public var key2: B

  /// The third part.
  public var key3: C

  /// The fourth part.
  public var key4: D

  /// The fifth part.
  public var key5: E

  /// The sixth part.
  public var key6: F

  /// Creates a tuple of parts.
  ///
  /// - Parameters:
  ///   - key1: The first part.
  ///   - key2: The second part.
  ///   - key3: The third part.
  ///   - key4: The fourth part.
  ///   - key5: The fifth part.
  ///   - key6: The sixth part.
  public init(_ key1: A, _ key2: B, _ key3: C, _ key4: D, _ key5: E, _ key6: F) {
    self.key1 = key1
    self.key2 = key2
    self.key3 = key3
    self.key4 = key4
    self.key5 = key5
    self.key6 = key6
  }
}

@_documentation(visibility: internal)
extension KeyTuple6 where A == String {
  /// Creates a tuple of parts; the first is the name of a type, including its module.
  ///
  /// The first part is the name as a string; a ``QueryKey`` made with the type itself has another first part.
  ///
  /// - Parameters:
  ///   - subject: The type that names the first part.
  ///   - key2: The second part.
  ///   - key3: The third part.
  ///   - key4: The fourth part.
  ///   - key5: The fifth part.
  ///   - key6: The sixth part.
  public init<Subject>(
    _ subject: Subject.Type,
    _ key2: B,
    _ key3: C,
    _ key4: D,
    _ key5: E,
    _ key6: F
  ) {
    self.init(stableName(of: subject), key2, key3, key4, key5, key6)
  }
}

@_documentation(visibility: internal)
extension KeyTuple6: Encodable
where A: Encodable, B: Encodable, C: Encodable, D: Encodable, E: Encodable, F: Encodable {}
@_documentation(visibility: internal)
extension KeyTuple6: Decodable
where A: Decodable, B: Decodable, C: Decodable, D: Decodable, E: Decodable, F: Decodable {}

@_documentation(visibility: internal)
extension KeyTuple6: KeyPartsConvertible {
  /// The parts as a key.
  public var keyParts: AnyQueryKey { AnyQueryKey(key1, key2, key3, key4, key5, key6) }
}
