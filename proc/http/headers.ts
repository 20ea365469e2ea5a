/** The headers of a request or an answer: what the platform's `Headers` does, without the whole of `fetch` that comes with it. */

export type HeadersSource = Iterable<readonly string[]> | Readonly<Record<string, string>> | undefined;

/** The characters of a header's name, by RFC 9110. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Anything else would end the line, or be no byte. */
const line = /^[\t\x20-\x7e\x80-\xff]*$/;
/** The one header whose values can't be joined. */
const cookie = "set-cookie";

export class PlainHeaders implements Headers {
  readonly #values = new Map<string, string[]>();

  /** @throws TypeError for a name or a value that no header has; the value isn't named, since it may be a key */
  constructor(source?: HeadersSource) {
    if (source === undefined || source === null) return;
    const pairs = Symbol.iterator in source ? source : Object.entries(source);
    for (const pair of pairs) {
      const [name, value] = pair;
      if (pair.length !== 2 || name === undefined || value === undefined)
        throw new TypeError("a header is a name and a value");
      this.append(name, value);
    }
  }

  /** Takes the headers of an answer, name and value in turn, as its parser read them. */
  static received(raw: readonly string[]): PlainHeaders {
    const headers = new PlainHeaders();
    for (let at = 0; at + 1 < raw.length; at += 2) headers.#add(String(raw[at]).toLowerCase(), String(raw[at + 1]));
    return headers;
  }

  append(name: string, value: string): void {
    this.#add(nameOf(name), valueOf(name, value));
  }

  set(name: string, value: string): void {
    this.#values.set(nameOf(name), [valueOf(name, value)]);
  }

  delete(name: string): void {
    this.#values.delete(nameOf(name));
  }

  get(name: string): string | null {
    return this.#values.get(nameOf(name))?.join(", ") ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(nameOf(name));
  }

  getSetCookie(): string[] {
    return [...(this.#values.get(cookie) ?? [])];
  }

  forEach(callback: (value: string, name: string, headers: Headers) => void, self?: unknown): void {
    for (const [name, value] of this) callback.call(self, value, name, this);
  }

  *keys(): IteratorObject<string, undefined> {
    for (const [name] of this) yield name;
  }

  *values(): IteratorObject<string, undefined> {
    for (const [, value] of this) yield value;
  }

  entries(): IteratorObject<[string, string], undefined> {
    return this[Symbol.iterator]();
  }

  /** By name, as the platform's. */
  *[Symbol.iterator](): IteratorObject<[string, string], undefined> {
    for (const name of [...this.#values.keys()].toSorted()) {
      const values = this.#values.get(name) ?? [];
      if (name === cookie) for (const value of values) yield [name, value];
      else yield [name, values.join(", ")];
    }
  }

  #add(name: string, value: string): void {
    const values = this.#values.get(name);
    if (values) values.push(value);
    else this.#values.set(name, [value]);
  }
}

function nameOf(name: string): string {
  if (!token.test(name)) throw new TypeError(`${JSON.stringify(name)} is not the name of a header`);
  return name.toLowerCase();
}

function valueOf(name: string, value: string): string {
  const trimmed = String(value).replace(/^[\t\r\n ]+|(?<![\t\r\n ])[\t\r\n ]+$/g, "");
  if (!line.test(trimmed))
    throw new TypeError(`the value of the header ${name} has what none can hold, such as a line's end`);
  return trimmed;
}
