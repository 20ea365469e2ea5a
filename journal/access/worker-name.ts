/** The name of a journal's cortex among the workers of a bus: the same from one start to the next. */
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { hasCode } from "../../files/errors/errno.ts";
import { state } from "../config/paths.ts";

const workerNamePattern = /^[A-Za-z0-9_-]{1,80}$/;

/** The name. The first start makes it, from the host's and a random part: two journals of a host are two workers. */
export function workerName(journal: string): string {
  const file = state(journal, "worker");
  try {
    return readName(file);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
  const host = hostname()
    .replaceAll(/[^A-Za-z0-9_-]/g, "-")
    .slice(0, 60);
  const name = `${host || "host"}-${randomBytes(4).toString("hex")}`;
  try {
    writeFileSync(file, `${name}\n`, { flag: "wx", mode: 0o600 });
    return name;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return readName(file);
    throw error;
  }
}

function readName(file: string): string {
  const name = readFileSync(file, "utf8").trim();
  if (workerNamePattern.test(name)) return name;
  throw new Error(`${file} holds "${name.slice(0, 80)}", which is not a worker's name: letters, digits, - and _ only`);
}
