import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { type Line, LineSplitter } from "../../../files/lines/line-splitter.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const corpus = Buffer.concat([
  Buffer.from('{"a":1}\n'),
  Buffer.from("\n"), // empty
  Buffer.from("a\u2028b\u2029c\n"), // what node:readline splits on
  Buffer.from("carriage\rreturn\r\n"),
  Buffer.from("é€😀\n"), // characters of two, three and four bytes
  Buffer.from([0x62, 0x61, 0x64, 0xff, 0xc3, 0x28, 0x0a]), // no UTF-8
  Buffer.from("no line feed at the end"),
]);
const texts = [
  '{"a":1}',
  "",
  "a\u2028b\u2029c",
  "carriage\rreturn\r",
  "é€😀",
  "bad\ufffd\ufffd(",
  "no line feed at the end",
];

function split(chunks: Buffer[], splitter = new LineSplitter()): Line[] {
  const lines = chunks.flatMap((chunk) => [...splitter.push(chunk)]);
  return [...lines, ...splitter.finish()];
}

test("lines are split on LF alone, wherever a chunk ends", () => {
  for (let first = 0; first <= corpus.length; first++) {
    for (let second = first; second <= corpus.length; second++) {
      const chunks = [corpus.subarray(0, first), corpus.subarray(first, second), corpus.subarray(second)];
      expect(split(chunks).map(({ text }) => text)).toEqual(texts);
    }
  }
});

test("each line's end is the offset at which the next one begins", () => {
  const whole = split([corpus]);
  expect(whole.at(-1)?.end).toBe(corpus.length);
  for (const [index, { end }] of whole.entries()) {
    const rest = split([corpus.subarray(end)], new LineSplitter(end));
    expect(rest).toEqual(whole.slice(index + 1));
  }
  const bytewise = [...corpus].map((byte) => Buffer.from([byte]));
  expect(split(bytewise)).toEqual(whole);
});

test("a chunk's memory may be used again once its lines were taken", () => {
  const splitter = new LineSplitter();
  const buffer = Buffer.from("first half, ");
  expect([...splitter.push(buffer)]).toEqual([]);
  buffer.fill("x");
  expect([...splitter.push(Buffer.from("second half\n"))]).toEqual([{ text: "first half, second half", end: 24 }]);
});

test("a line of exactly the bound is whole, one byte more is cut to its head", () => {
  const bound = 10_000;
  for (const chunkBytes of [1, 777, 20_000]) {
    const bytes = Buffer.from(`${"a".repeat(bound)}\n${"b".repeat(bound + 1)}\nafter\n`);
    const lines = split(chunksOf(bytes, chunkBytes), new LineSplitter(0, bound));
    expect(lines).toEqual([
      { text: "a".repeat(bound), end: bound + 1 },
      { text: "b".repeat(4096), end: 2 * bound + 3, truncated: true },
      { text: "after", end: bytes.length },
    ]);
  }
});

test("a line of 200 MB takes no more memory than its bound, and little time", () => {
  const splitter = new LineSplitter();
  const chunk = Buffer.alloc(256 * 1024, "x");
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  const started = process.cpuUsage();
  let most = 0;
  for (let bytes = 0; bytes < 200 * 2 ** 20; bytes += chunk.length) {
    expect([...splitter.push(chunk)]).toEqual([]);
    if (bytes % (20 * 2 ** 20) !== 0) continue;
    collectGarbage();
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  const [line] = splitter.push(Buffer.from("\n"));
  expect(line).toMatchObject({ end: 200 * 2 ** 20 + 1, truncated: true });
  expect(line?.text.length).toBe(4096);
  expect(most).toBeLessThan(64 * 2 ** 20);
  // Of the processor's time, so that it is the same on a machine that has others to serve.
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(5000);
});

function chunksOf(bytes: Buffer, size: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return chunks;
}
