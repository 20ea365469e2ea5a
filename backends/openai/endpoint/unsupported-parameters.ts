/**
 * Leaves out the parameters that a model or a server refuses. No list of models' names would stay true: which ones support
 * `reasoning`, `temperature` or `stream_options` changes from release to release. The request is sent whole; if it is refused for
 * such a field, it is sent once more without it, and so is every later one of this process.
 */
import { textOfRefusal } from "./failures.ts";

export type UnsupportedParameter<Body> = {
  /** Matches the field's name in a refusal. */
  named: RegExp;
  /** The request without it: the same object where there is nothing to leave out. */
  without(body: Body): Body;
};

/** A refusal of a field, and not of its value: a temperature of 7 is the user's mistake. */
const isUnsupported =
  /unsupported|not supported|does not support|unknown|unrecognized|unexpected|extra|not permitted|not allowed|must be verified|length of/i;

/** Parameters found to be unsupported, for each model at each address. */
const found = new Map<string, Set<unknown>>();

/**
 * Sends a request, and again without each field that it is refused for and that can be left out.
 * `who`: the model and its address.
 */
export async function sendSupported<Body, T>(
  who: string,
  rows: readonly UnsupportedParameter<Body>[],
  whole: Body,
  send: (body: Body) => Promise<T>,
): Promise<T> {
  const refused = found.get(who) ?? new Set();
  found.set(who, refused);
  for (;;) {
    const body = rows.reduce((body, row) => (refused.has(row) ? row.without(body) : body), whole);
    try {
      return await send(body);
    } catch (error) {
      const text = textOfRefusal(error);
      if (text === undefined || !isUnsupported.test(text)) throw error;
      const next = rows.find((row) => !refused.has(row) && row.named.test(text) && row.without(body) !== body);
      if (!next) throw error;
      refused.add(next);
    }
  }
}

/** A row for one field, which is left out. */
export function leaveOut<Body extends object>(field: keyof Body & string, named: RegExp): UnsupportedParameter<Body> {
  return {
    named,
    without(body) {
      if (!(field in body)) return body;
      const { [field]: _, ...rest } = body;
      return rest as Body;
    },
  };
}
