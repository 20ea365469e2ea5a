import { expect, test } from "vitest";
import { ChainCheck, type ChainReport, lineHash } from "../../journal/chain/hash-chain.ts";
import { agentId, chained, event, line } from "./temporary-journal.ts";

const lines = chained([
  event(1, "request", { prompt: "hello", prev: undefined }),
  event(2, "start"),
  event(3, "text", { text: "é€😀" }),
  event(4, "finish", { result: "done" }),
  event(5, "saved", { path: "x" }),
]);

function check(some: (string | undefined)[], { isActive = false, isTorn = false } = {}): ChainReport {
  const chain = new ChainCheck(agentId, isActive);
  for (const text of some) chain.push(Buffer.from(text ?? ""));
  return chain.report(isTorn);
}

/** The lines that a report names. */
const named = (report: ChainReport) => [report.state, ...report.problems.map(({ line: number }) => number)];
const [one, two, three, four, five] = lines;

test("a hash is what sha256sum prints, cut", () => {
  expect(lineHash("hello")).toBe("2cf24dba5fb0a30e26e83b2ac5b9e29e");
  expect(lineHash(Buffer.from("hello"))).toBe(lineHash("hello"));
});

test("a file as it was written is intact, and its head is the hash of its last line", () => {
  expect(check(lines)).toEqual({
    state: "intact",
    lines: 5,
    chained_from: 1,
    head: lineHash(five ?? ""),
    problems: [],
  });
});

test("whichever byte of a line before the last is changed, the line is named", () => {
  for (const [index, text] of lines.slice(0, -1).entries()) {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const chain = new ChainCheck(agentId, false);
      for (const [other, whole] of lines.entries()) chain.push(other === index ? changed : Buffer.from(whole));
      const report = chain.report(false);
      expect(report.state).toBe("broken");
      expect(report.problems.map(({ line: number }) => number)).toContain(index + 1);
    }
  }
});

test("a line that was removed, added, doubled or moved is found", () => {
  expect(named(check([two, three, four, five]))).toContain(1);
  expect(named(check([one, three, four, five]))).toEqual(["broken", 2, 1, 3, 4]);
  expect(named(check([one, two, line(3, "text"), three, four, five]))).toContain(3);
  expect(named(check([one, two, two, three, four, five]))).toContain(3);
  expect(named(check([one, three, two, four, five]))).toContain(2);
});

test("an ended run without its terminal event, or torn, has lost lines at its end; one in progress has not", () => {
  expect(named(check([one, two, three]))).toEqual(["broken", 3]);
  expect(named(check([one, two, three], { isActive: true, isTorn: true }))).toEqual(["intact"]);
  expect(named(check(lines, { isTorn: true }))).toEqual(["broken", 6]);
});

test("a file put under another run's name is found", () => {
  const chain = new ChainCheck("1736380800001", false);
  for (const text of lines) chain.push(Buffer.from(text));
  expect(chain.report(false).problems[0]).toEqual({ line: 1, problem: `belongs to the run ${agentId}` });
});

test("a file from before there was a chain isn't broken, nor is one that was taken up since", () => {
  const old = [line(1, "request"), line(2, "start", { prev: 5 }), line(3, "finish")];
  expect(check(old)).toMatchObject({ state: "not_chained", chained_from: null, problems: [] });
  const [, , last] = chained([event(1, "request"), event(2, "start"), event(3, "finish")]);
  const taken = [line(1, "request"), chained([event(1, "request"), event(2, "start")])[1]];
  expect(check([...taken, last])).toMatchObject({ state: "intact", chained_from: 1 });
  const since = JSON.stringify({ ...event(4, "text"), prev: lineHash(old[2] ?? "") });
  expect(check([...old, since])).toMatchObject({ state: "intact", chained_from: 3 });
  expect(named(check([...old, since, line(5, "text")]))).toEqual(["broken", 5]);
});
