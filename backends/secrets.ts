/** Keys never leave the process but in the header that they are for: whatever is written has them replaced. */
import { builtInBackends, type BuiltInBackend } from "../protocol/backends.ts";

/** Shorter values are words that stand in any text. */
const shortestSecret = 8;

const hidden = "***";

const keyNames = Object.values(builtInBackends).flatMap((backend: BuiltInBackend) => backend.key ?? []);

/** A function that replaces the keys of an environment, also where a server echoes one. */
export function secretHider(environment: NodeJS.ProcessEnv): (text: string) => string {
  // In JSON a key may stand with its special characters escaped.
  const secrets = new Set(keysOf(environment).flatMap((key) => [key, JSON.stringify(key).slice(1, -1)]));
  return (text) => [...secrets].reduce((rest, secret) => rest.replaceAll(secret, hidden), text);
}

/** The same for text that comes in pieces: what may be the begin of a key waits for the next piece. */
export class StreamHider {
  readonly #keys: string[];
  #waiting = "";

  constructor(environment: NodeJS.ProcessEnv) {
    this.#keys = keysOf(environment);
  }

  /** What may be shown by now. */
  push(piece: string): string {
    let text = this.#waiting + piece;
    for (const key of this.#keys) text = text.replaceAll(key, hidden);
    const waits = Math.max(0, ...this.#keys.map((key) => beginAtEnd(text, key)));
    this.#waiting = text.slice(text.length - waits);
    return text.slice(0, text.length - waits);
  }

  /** What was held back, and turned out to be no key. */
  rest(): string {
    const text = this.#waiting;
    this.#waiting = "";
    return text;
  }
}

function keysOf(environment: NodeJS.ProcessEnv): string[] {
  return keyNames.map((name) => environment[name] ?? "").filter((value) => value.length >= shortestSecret);
}

/** How many characters at the end of a text are the begin of a key. */
function beginAtEnd(text: string, key: string): number {
  for (let length = Math.min(key.length - 1, text.length); length > 0; length--)
    if (text.endsWith(key.slice(0, length))) return length;
  return 0;
}
