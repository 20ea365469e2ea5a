/** A second host on this one: a network namespace, joined by a pair of virtual cables that can be pulled. Needs root. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";

const ip = (...args: string[]) => execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });

/** Whether this host lets us make one. */
export function canMakeHosts(): boolean {
  const name = `cx-try-${randomBytes(3).toString("hex")}`;
  try {
    ip("netns", "add", name);
    ip("netns", "delete", name);
    return true;
  } catch {
    return false;
  }
}

export class OtherHost implements Disposable {
  readonly name = `cx-${randomBytes(3).toString("hex")}`;
  /** Our end of the cable, and the other host's. */
  readonly here: string;
  readonly there: string;
  readonly #cable = `${this.name}h`;

  constructor() {
    const net = `10.${200 + Math.floor(Math.random() * 50)}.${Math.floor(Math.random() * 250)}`;
    this.here = `${net}.1`;
    this.there = `${net}.2`;
    ip("netns", "add", this.name);
    ip("link", "add", this.#cable, "type", "veth", "peer", "name", "eth0", "netns", this.name);
    ip("address", "add", `${this.here}/24`, "dev", this.#cable);
    ip("link", "set", this.#cable, "up");
    ip("-n", this.name, "address", "add", `${this.there}/24`, "dev", "eth0");
    ip("-n", this.name, "link", "set", "eth0", "up");
    ip("-n", this.name, "link", "set", "lo", "up");
  }

  /** The words that run a command over there. */
  get prefix(): string[] {
    return ["ip", "netns", "exec", this.name];
  }

  cutOff(): void {
    ip("link", "set", this.#cable, "down");
  }

  joinAgain(): void {
    ip("link", "set", this.#cable, "up");
  }

  [Symbol.dispose](): void {
    ip("netns", "delete", this.name);
  }
}
