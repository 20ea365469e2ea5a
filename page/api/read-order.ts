/** The order in which reads of one thing were asked for: an answer behind the answer to a later one is old. Pure. */
export class ReadOrder {
  #asked = 0;
  #taken = 0;

  /** A read is asked for; returns what tells, at its answer, whether that is news, and counts it as taken. */
  ask(): () => boolean {
    const read = ++this.#asked;
    return () => {
      if (read < this.#taken) return false;
      this.#taken = read;
      return true;
    };
  }
}
