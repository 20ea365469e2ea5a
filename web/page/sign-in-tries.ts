/** How often a password was tried with a link: a link is good for a few tries. In this process alone. */
import { createHash } from "node:crypto";

const mostTries = 5;
/** Links live for minutes: by far fewer than these are of use. */
const mostLinks = 1000;

export class SignInTries {
  readonly #tries = new Map<string, number>();

  /** Counts a try, before it is looked at: those that come at once are counted one by one. @returns how many are left behind it; negative: it is one too many */
  left(code: string): number {
    const key = createHash("sha256").update(code).digest("base64");
    const tries = (this.#tries.get(key) ?? 0) + 1;
    this.#tries.set(key, tries);
    const oldest = this.#tries.keys().next();
    if (this.#tries.size > mostLinks && !oldest.done) this.#tries.delete(oldest.value);
    return mostTries - tries;
  }
}
