/** How a run's file ends is read from its end, however long it is. */
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { endOfFile } from "../../../journal/runs/end-of-file.ts";
import { lineHash } from "../../../journal/chain/hash-chain.ts";

const line = (seq: number, text = "") =>
  JSON.stringify({ event: "text", ts: 1_736_380_800_000, agent_id: "1736380800000", seq, text });

function endOf(text: string, grown = 0): unknown {
  const folder = mkdtempSync(join(tmpdir(), "cortex-end-"));
  try {
    const path = join(folder, "run.jsonl");
    writeFileSync(path, "");
    truncateSync(path, grown);
    appendFileSync(path, text);
    return endOfFile(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
const endWith = (lines: number, last: string) => ({ lines, head: lineHash(last) });

test("a file's last whole line says how many there are, whatever is torn behind it", () => {
  expect(endOf("")).toBe(null);
  expect(endOf(line(1))).toBe(null);
  expect(endOf(`${line(1)}\n`)).toEqual(endWith(1, line(1)));
  expect(endOf(`${line(1)}\n${line(2)}\n`)).toEqual(endWith(2, line(2)));
  expect(endOf(`${line(1)}\n${line(2)}\n${line(3).slice(0, 20)}`)).toEqual(endWith(2, line(2)));
  expect(endOf(`${line(1)}\nno event\n`)).toBe(null);
});

test("lines around a piece's length are whole", () => {
  const piece = 256 * 1024;
  for (const length of [piece - line(2).length - 2, piece - line(2).length - 1, piece - line(2).length, 3 * piece]) {
    const last = line(2, "x".repeat(length));
    expect(endOf(`${line(1)}\n${last}\n`)).toEqual(endWith(2, last));
    expect(endOf(`${line(1)}\n${last}\n${"y".repeat(length)}`)).toEqual(endWith(2, last));
    expect(endOf(`${last}\n`)).toEqual(endWith(2, last));
  }
});

test("a file of 3 GB is read at its end alone", () => {
  expect(endOf(`\n${line(7)}\n`, 3 * 1024 ** 3)).toEqual(endWith(7, line(7)));
});
