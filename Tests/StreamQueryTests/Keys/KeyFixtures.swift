import Foundation
import StreamQuery

/// The types whose values these tests use as parts, in one namespace of their own.
enum KeySample {
  enum Category: String, Codable, Sendable {
    case electronics
    case books
  }

  /// Raw values, but not `Codable`.
  enum Size: Int, Sendable {
    case small = 1
    case large = 2
  }

  struct User: Hashable, Codable, Sendable {
    var id: Int
    var name: String
  }

  /// A request whose fields are declared in another order than they sort.
  struct Search: Hashable, Codable, Sendable {
    var text: String
    var page = 1
    var categories: Set<Category> = []
    var limit: Int?
  }

  /// Opts in to being several parts.
  enum Route: Hashable, Sendable, KeyPartsConvertible {
    case users
    case user(Int)

    var keyParts: AnyQueryKey {
      switch self {
      case .users: ["users"]
      case .user(let id): ["users", id]
      }
    }
  }

  /// Not `Encodable`, one part by itself.
  enum Filter: Hashable, Sendable {
    case all
    case tag(String)
    case range(min: Int, max: Int)
  }

  /// Every value has the same hash.
  struct Colliding: Hashable, Sendable {
    var id: Int

    func hash(into hasher: inout Hasher) {
      hasher.combine(0)
    }
  }

  /// Two types of the same name in different namespaces.
  enum Shop {
    struct User: Hashable, Codable, Sendable {}
  }
}
