/**
 * What a server made of what it was asked for. Before 2.12 it says yes to any option and drops those that it doesn't know,
 * so what it has made is compared with what was wanted, and each difference is said once.
 */

export class ReadBack {
  readonly #said = new Set<string>();
  readonly #listeners = new Set<(difference: string) => void>();

  /** Each difference that was found so far. */
  get differences(): string[] {
    return [...this.#said];
  }

  /** Calls back with each difference, also with those that were found before. */
  onDifference(callback: (difference: string) => void): void {
    for (const difference of this.#said) callback(difference);
    this.#listeners.add(callback);
  }

  /** Compares what was wanted of a stream or a consumer with what the server says that it is. */
  compare(name: string, wanted: object, made: object): void {
    for (const difference of differences(wanted, made)) this.#say(`${name}: ${difference}`);
  }

  #say(difference: string): void {
    if (this.#said.has(difference)) return;
    this.#said.add(difference);
    for (const tell of this.#listeners) tell(difference);
  }
}

/** The options that didn't become what was wanted. What wasn't asked for doesn't count, nor that there are more replicas. */
export function differences(wanted: object, made: object): string[] {
  const has = new Map(Object.entries(made));
  return Object.entries(wanted).flatMap(([option, value]) => {
    const found = has.get(option);
    if (value === undefined || isSame(value, found)) return [];
    if (option === "num_replicas" && Number(found) >= Number(value)) return [];
    return [`${option} is ${JSON.stringify(found) ?? "missing"}, wanted ${JSON.stringify(value)}`];
  });
}

/** The server leaves out what is false, empty or zero. */
function isSame(wanted: unknown, found: unknown): boolean {
  if (found === undefined) return wanted === false || wanted === 0 || wanted === "";
  return JSON.stringify(wanted) === JSON.stringify(found);
}
