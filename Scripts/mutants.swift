// Scripts/mutants.sh adds this file to the core and to persistence.

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The number of the mutant that this process is; 0 for none.
private let launched = getenv("STREAMQUERY_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0

/// Whether this process is a mutant, or the opposite of a condition if it is.
@inline(never)
func mutant(_ number: Int, _ condition: Bool = false) -> Bool {
  condition != (number == launched)
}
