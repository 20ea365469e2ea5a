/** The calls under way, so that a client can cancel one: the word for that comes in a request of its own. */

export class CallsUnderWay {
  readonly #calls = new Map<string, AbortController>();

  /** @param client who calls; @param id the request's id, which the client chose */
  begin(client: string, id: string | number, gone: AbortSignal): { signal: AbortSignal } & Disposable {
    const key = keyOf(client, id);
    const controller = new AbortController();
    this.#calls.set(key, controller);
    return {
      signal: AbortSignal.any([controller.signal, gone]),
      // A client that uses an id twice at once can cancel the later one alone.
      [Symbol.dispose]: () => void (this.#calls.get(key) === controller && this.#calls.delete(key)),
    };
  }

  /** A call that isn't there, or is another client's, is no error. */
  cancel(client: string, id: string | number): void {
    this.#calls.get(keyOf(client, id))?.abort();
  }
}

// 1 and "1" are different ids.
const keyOf = (client: string, id: string | number) => JSON.stringify([client, id]);
