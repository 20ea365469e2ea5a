/**
 * What a model or a server won't take is left out, rather than known beforehand by a model's name: which ones take `reasoning`,
 * `temperature` or `stream_options` changes from release to release. The request goes out whole; if it is refused for such a
 * field, it goes out once more without it, and so does every later one of this process.
 */
import { textOfRefusal } from "./failures.ts";

export type Concession<Body> = {
  /** How a refusal names the field. */
  named: RegExp;
  /** The request without it: the same object where there is nothing to leave out. */
  without(body: Body): Body;
};

/** The words of a refusal that is about a field, and not about its value: a temperature of 7 is the user's mistake. */
const notTaken =
  /unsupported|not supported|does not support|unknown|unrecognized|unexpected|extra|not permitted|not allowed|must be verified|length of/i;

/** What each model at each address was found not to take. */
const found = new Map<string, Set<unknown>>();

/**
 * Sends a request, again and again as long as it is refused for a field that can be left out: at most once for each.
 * `who`: the model and where it is.
 */
export async function conceding<Body, T>(
  who: string,
  concessions: readonly Concession<Body>[],
  whole: Body,
  send: (body: Body) => Promise<T>,
): Promise<T> {
  const made = found.get(who) ?? new Set();
  found.set(who, made);
  for (;;) {
    const body = concessions.reduce((body, row) => (made.has(row) ? row.without(body) : body), whole);
    try {
      return await send(body);
    } catch (error) {
      const text = textOfRefusal(error);
      if (text === undefined || !notTaken.test(text)) throw error;
      const next = concessions.find((row) => !made.has(row) && row.named.test(text) && row.without(body) !== body);
      if (!next) throw error;
      made.add(next);
    }
  }
}

/** A concession that leaves out a field, and nothing else. */
export function leaveOut<Body extends object>(field: keyof Body & string, named: RegExp): Concession<Body> {
  return {
    named,
    without(body) {
      if (!(field in body)) return body;
      const { [field]: _, ...rest } = body;
      return rest as Body;
    },
  };
}
