/** Moves the clock of a process: `node --import` this file. `MOVED_CLOCK` names a file with the ms to add, read at each look. */
import { readFileSync } from "node:fs";

const file = process.env["MOVED_CLOCK"] ?? "";
const RealDate = Date;
const now = () => RealDate.now() + Number(readFileSync(file, "utf8"));

globalThis.Date = class extends RealDate {
  constructor(...args: []) {
    if (args.length === 0) super(now());
    else super(...args);
  }
  static override now = now;
} as DateConstructor;
