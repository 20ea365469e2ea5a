/** Ours in the place of the platform's: the SDKs use what has these names, whatever they are told about `fetch`. */
import { fetch } from "./fetch.ts";
import { PlainHeaders } from "./headers.ts";
import { PlainResponse } from "./response.ts";

/** For a process of our own alone, before anything else of it runs. */
export function useOwnGlobals(): void {
  // Assigned: to define them, or even to ask what they are, would load what stands there.
  globalThis.fetch = fetch as typeof globalThis.fetch;
  globalThis.Headers = PlainHeaders as unknown as typeof Headers;
  globalThis.Response = PlainResponse as unknown as typeof Response;
  globalThis.FormData = NoForm as unknown as typeof FormData;
}

/** SDKs ask of each body whether it is one. */
class NoForm {
  constructor() {
    throw new TypeError("forms can't be sent from here");
  }
}
