/**
 * Config drift: options of a stream or a consumer that the server didn't take. Before 2.12 it accepts any option and drops
 * those that it doesn't know, so the options in effect are compared with the wanted ones, and each difference is reported once.
 */

export class ConfigDrift {
  readonly #reported = new Set<string>();
  readonly #listeners = new Set<(difference: string) => void>();

  /** All differences found so far. */
  get differences(): string[] {
    return [...this.#reported];
  }

  /** Calls back once per difference, including those found before the call. */
  onDifference(callback: (difference: string) => void): void {
    for (const difference of this.#reported) callback(difference);
    this.#listeners.add(callback);
  }

  /** Compares the options wanted of a stream or a consumer with those that the server reports. */
  compare(name: string, wanted: object, made: object): void {
    for (const difference of differences(wanted, made)) this.#report(`${name}: ${difference}`);
  }

  #report(difference: string): void {
    if (this.#reported.has(difference)) return;
    this.#reported.add(difference);
    for (const listener of this.#listeners) listener(difference);
  }
}

/** Options whose value isn't the wanted one. Ignores options that weren't asked for, and replicas beyond the wanted number. */
export function differences(wanted: object, made: object): string[] {
  const has = new Map(Object.entries(made));
  return Object.entries(wanted).flatMap(([option, value]) => {
    const found = has.get(option);
    if (value === undefined || isSame(value, found)) return [];
    if (option === "num_replicas" && Number(found) >= Number(value)) return [];
    return [`${option} is ${JSON.stringify(found) ?? "missing"}, wanted ${JSON.stringify(value)}`];
  });
}

/** The server leaves out values that are false, empty or zero. */
function isSame(wanted: unknown, found: unknown): boolean {
  if (found === undefined) return wanted === false || wanted === 0 || wanted === "";
  return JSON.stringify(wanted) === JSON.stringify(found);
}
