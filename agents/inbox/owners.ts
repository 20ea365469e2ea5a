/** The owners: those of the settings, and those who were paired, once, with a code. */
import { randomInt } from "node:crypto";
import { readOwners, writeOwners } from "../../journal/agents/owners.ts";
import { namedOwners } from "../../protocol/agents/named-owners.ts";
import type { Settings } from "../../protocol/settings/settings.ts";

/** A code's lifetime, in ms. */
const codeMs = 10 * 60_000;
/** Wrong tries of one sender, after which no further one counts until a new code is made. */
const maxTries = 5;
/** No letters and digits that look alike. */
const alphabet = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";
const codeLength = 8;
export const codePattern = /^[A-HJKMNP-Z2-9]{8}$/;

type Code = { code: string; until: number; identity: string | null };

export class Owners {
  readonly #journal: string;
  readonly #settings: () => Settings;
  readonly #now: () => number;
  #paired: Set<string>;
  #codes: Code[] = [];
  readonly #tries = new Map<string, number>();

  constructor(journal: string, settings: () => Settings, now: () => number = Date.now) {
    this.#journal = journal;
    this.#settings = settings;
    this.#now = now;
    this.#paired = new Set(readOwners(journal));
  }

  get all(): ReadonlySet<string> {
    return new Set([...namedOwners(this.#settings()), ...this.#paired]);
  }

  /** Makes a code for the user at this machine: whoever sends it, on any channel, becomes an owner. */
  offerCode(): string {
    return this.#make(null);
  }

  /** Makes a code for somebody who asks on a channel: typed at this machine, it makes that person an owner. */
  codeFor(identity: string): string {
    const known = this.#valid().find((one) => one.identity === identity);
    return known?.code ?? this.#make(identity);
  }

  /** Pairs the sender of a text on a channel, if it is a code that was offered. Resolves with whether it is. */
  async redeemCode(text: string, identity: string): Promise<boolean> {
    const said = text.trim().toUpperCase();
    if (!codePattern.test(said)) return false;
    const tries = this.#tries.get(identity) ?? 0;
    if (tries >= maxTries) return false;
    const code = this.#valid().find((one) => one.identity === null && one.code === said);
    if (!code) {
      this.#tries.set(identity, tries + 1);
      return false;
    }
    await this.#pair(code, identity);
    return true;
  }

  /** Pairs the person to whom a code was given. Resolves with their identity, or null for an unknown code. */
  async confirmCode(text: string): Promise<string | null> {
    const code = this.#valid().find((one) => one.identity !== null && one.code === text.trim().toUpperCase());
    if (!code || code.identity === null) return null;
    await this.#pair(code, code.identity);
    return code.identity;
  }

  async #pair(code: Code, identity: string): Promise<void> {
    this.#codes = this.#codes.filter((one) => one !== code);
    this.#paired.add(identity);
    await writeOwners(this.#journal, [...this.#paired]);
  }

  #make(identity: string | null): string {
    const code = Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join("");
    this.#codes = [...this.#valid(), { code, until: this.#now() + codeMs, identity }].slice(-100);
    if (identity === null) this.#tries.clear();
    return code;
  }

  #valid(): Code[] {
    return this.#codes.filter(({ until }) => until > this.#now());
  }
}
