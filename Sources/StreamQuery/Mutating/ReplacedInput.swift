/// An input of a run of which a part was replaced.
package struct ReplacedInput: Sendable {
  var job: MutationJob
  /// The revision of the input that it takes the place of.
  var revision: UInt64
  var input: ValueBox
}
