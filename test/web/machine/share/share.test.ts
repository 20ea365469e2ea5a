/** A run as a page for others: what it says stays text, what nobody else may know is replaced, and it has an end. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { webToken } from "../../../../journal/access/token-file.ts";
import { runState } from "../../../../journal/runs/run-files.ts";
import { redactionOf } from "../../../../web/machine/share/redaction.ts";
import { runCortex } from "../../../scripts/run-command.ts";
import { fixtureAgents } from "../../../support/cortex-system.ts";
import { type MachineSystem, startMachine, timeZone } from "../machine-system.ts";
import { hostileTexts, secretLines } from "./shared-material.ts";
import { ended, saying, shared } from "./shared-runs.ts";

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
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await machine[Symbol.asyncDispose]();
});

test("text that looks like markup is text, wherever it stands", async () => {
  const id = await ended(machine, saying(hostileTexts));
  const { name, html } = await shared(machine, id);
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
  const { stdout } = await runCortex(machine.system.journal, ["runs", "share", id], {
    GARDEN_API_KEY: own,
    CORTEX_TZ: timeZone,
  });
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
  const { html } = await shared(machine, await ended(machine, saying(all.map(([text]) => text))));
  for (const [text, secret] of all) expect([text, html.includes(secret)]).toEqual([text, false]);
  for (const [text, secret] of all)
    expect([text, html.includes(JSON.stringify(secret).slice(1, -1))]).toEqual([text, false]);
  expect(html).toContain("***");
});

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
    const before = process.cpuUsage();
    redact(piece.repeat(60_000 / piece.length));
    // By the processor's time, which other programs don't lengthen.
    expect([piece, process.cpuUsage(before).user / 1000 < 1000]).toEqual([piece, true]);
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
