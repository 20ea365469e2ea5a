/** A value that is made when it is first needed. A pattern with classes of Unicode takes up to a millisecond, and most runs need none. */
export function madeOnce<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}
