/** A run as a page for others: what it says stays text, what nobody else may know is replaced, and it has an end. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { webToken } from "../../../journal/access/token-file.ts";
import { runState } from "../../../journal/runs/run-files.ts";
import { isTerminal } from "../../../protocol/runs/event.ts";
import { redactionOf } from "../../../web/machine/share/redaction.ts";
import { runCortex } from "../../scripts/run-command.ts";
import { fixtureAgents } from "../../support/cortex-system.ts";
import { type MachineSystem, startMachine } from "./machine-system.ts";
import { hostileTexts, secretLines } from "./shared-material.ts";

type Shared = { name: string; html: string };

const own = "a value that only the environment has";
const ofFile = "a value that only a file has";

let machine: MachineSystem;
beforeAll(async () => {
  vi.stubEnv("GARDEN_API_KEY", own);
  machine = await startMachine({
    settings: {
      ...fixtureAgents("scripted", "forever"),
      channels: { telegram: { enabled: false, token_file: "bot-token" } },
    },
    files: { "bot-token": `${ofFile}\n` },
  });
}, 30_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  await machine[Symbol.asyncDispose]();
});

async function ended(prompt: string): Promise<string> {
  const id = machine.system.request({ prompt });
  await machine.system.until(() => machine.system.file(id).some(isTerminal), "it has ended");
  await machine.system.until(() => runState(machine.system.journal, id) === "ended", "its file is closed");
  return id;
}

const shared = (id: string) => machine.api.owner.get<Shared>(`/runs/${id}/share`);

/** A run in which each text stands wherever a run can say something. */
function saying(texts: readonly string[]): string {
  const steps = texts.flatMap((text, index) => [
    { ev: { event: "thinking", summary: text } },
    { ev: { event: "text", text } },
    { ev: { event: "tool_start", call_id: `c${index}`, tool: "bash", args: { command: text } } },
    { ev: { event: "tool_end", call_id: `c${index}`, tool: text, args: { [text]: [text] }, result: text } },
    { ev: { event: "error", error: text, terminal: false } },
  ]);
  return JSON.stringify([...steps, { ev: { event: "finish", result: texts.join("\n") } }]);
}

test("text that looks like markup is text, wherever it stands", async () => {
  const id = await ended(saying(hostileTexts));
  const { name, html } = await shared(id);
  expect(name).toBe(`run-${id}.html`);
  const tags = new Set(
    [...html.matchAll(/<([a-z!/][a-z0-9]*)/gi)].map(([, tag = ""]) => tag.toLowerCase().replace("/", "")),
  );
  const ours =
    "!doctype html head meta title style body main header h1 p b section h2 pre ol li span div details summary code footer";
  expect([...tags].filter((tag) => tag !== "" && !ours.split(" ").includes(tag))).toEqual([]);
  expect(html.match(/<meta http-equiv/g)).toHaveLength(1);
  expect(html).toContain("default-src &#39;none&#39;".replaceAll("&#39;", "'"));
  expect(html).toContain("&lt;script&gt;document.title = &#39;taken&#39;&lt;/script&gt;");
  expect(html.replace(/[\n\t]/g, "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(html.isWellFormed()).toBe(true);
  const { stdout } = await runCortex(machine.system.journal, ["runs", "share", id], { GARDEN_API_KEY: own });
  expect(stdout.replace(/Shared from Cortex,[^.]*\./, "")).toBe(
    html.replace(/Shared from Cortex,[^.]*\./, "").trimEnd(),
  );
  const file = join(machine.system.journal, "shared.html");
  await runCortex(machine.system.journal, ["runs", "share", id, "--output", file]);
  expect(readFileSync(file, "utf8")).toContain("<!doctype html>");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("no secret, key, home folder or name of the machine is left, wherever it stands", async () => {
  const token = await webToken(machine.system.journal);
  const values: [string, string][] = [own, ofFile, token].map((value) => [`it is ${value}!`, value]);
  const all = [...secretLines, ...values];
  const { html } = await shared(await ended(saying(all.map(([text]) => text))));
  for (const [text, secret] of all) expect([text, html.includes(secret)]).toEqual([text, false]);
  for (const [text, secret] of all)
    expect([text, html.includes(JSON.stringify(secret).slice(1, -1))]).toEqual([text, false]);
  expect(html).toContain("***");
});

test("a secret at the place where a text is cut is found whole", async () => {
  const redact = redactionOf({ secrets: [own], homes: [], hosts: [] });
  expect(redact(`${"a".repeat(4000)}${own}`)).toBe(`${"a".repeat(4000)}***`);
  for (const before of [3990, 4000 - own.length + 1, 12_180, 12_192 - 5]) {
    const { html } = await shared(await ended(saying([`${" .".repeat(before / 2)}${own}${"b".repeat(20_000)}`])));
    for (let length = 6; length < own.length; length++) expect(html).not.toContain(own.slice(0, length));
    expect(html).toContain("more characters are left out");
  }
});

test("a large run has a page that can be sent", async () => {
  const steps = [
    { ev: { event: "tool_end", call_id: "c", tool: "bash", args: {}, result: "x".repeat(3000) }, times: 3000 },
    { long: 1_000_000 },
    { ev: { event: "finish", result: "the end" } },
  ];
  const { html } = await shared(await ended(JSON.stringify(steps)));
  expect(html.length).toBeLessThan(2_000_000);
  expect(html).toMatch(/[\d,]+ later steps are left out/);
  expect(html).toContain("the end");
}, 60_000);

test("redaction takes no longer than the text is long", () => {
  const redact = redactionOf({ secrets: [own], homes: ["/home/ada"], hosts: ["garden"] });
  for (const piece of [
    "a",
    "a.",
    "a=",
    '"key"',
    "key=",
    "://",
    "-----BEGIN ",
    "eyJ",
    "a:",
    "1234567:",
    "\\",
    "/home/",
  ]) {
    const began = performance.now();
    redact(piece.repeat(60_000 / piece.length));
    expect([piece, performance.now() - began < 1000]).toEqual([piece, true]);
  }
});

test("a run at work isn't shared", async () => {
  const id = machine.system.request({ prompt: "hello", backend: "forever" });
  await machine.system.until(() => machine.system.file(id).some(({ event }) => event === "start"), "it runs");
  expect((await machine.api.owner.call("GET", `/runs/${id}/share`)).status).toBe(409);
  expect((await machine.api.owner.call("GET", "/runs/1700000000000/share")).status).toBe(404);
  expect((await runCortex(machine.system.journal, ["runs", "share", id])).code).toBe(3);
  await machine.api.owner.post(`/runs/${id}/cancel`);
  await machine.system.until(() => runState(machine.system.journal, id) === "ended", "it was cancelled");
});
