/** The environment of a run's subprocess, and who gets to see it. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { CortexSystem, fixtureAgent, fixtureAgents } from "../../support/cortex-system.ts";

const keys = { OPENAI_API_KEY: "sk-openai", ANTHROPIC_API_KEY: "sk-anthropic", GEMINI_API_KEY: "sk-gemini" };
const system = await CortexSystem.start({
  settings: {
    default_backend: "scripted",
    backends: {
      ...fixtureAgents("scripted").backends,
      lister: { command: ["sh", "-c", `echo '{"event":"finish","result":"'$(ls -A | wc -l)' files"}'`] },
      own: { ...fixtureAgent("scripted"), env: { OF_BACKEND: "b" } },
    },
  },
  env: {
    ...keys,
    OPENAI_BASE_URL: "http://x",
    UNRELATED: "u",
    LANG: "C.UTF-8",
    HTTPS_PROXY: "http://proxy",
    TZ: "UTC",
  },
});
afterAll(() => system[Symbol.asyncDispose]());

const environmentOf = async (fields: Record<string, unknown>): Promise<Record<string, string>> => {
  const file = await system.settled(system.steps([{ env: true }], fields));
  return JSON.parse(String(file.at(-1)?.["result"]));
};

test.concurrent("a declared backend gets no provider's key, and nothing of cortex's environment but what every program needs", async () => {
  const environment = await environmentOf({ env: { MINE: "m" } });
  expect(environment).toMatchObject({ PATH: process.env["PATH"], LANG: "C.UTF-8", HTTPS_PROXY: "http://proxy" });
  expect(environment).toMatchObject({ MINE: "m", TZ: "UTC" });
  const allowed = ["PATH", "HOME", "LANG", "TZ", "HTTPS_PROXY", "MINE", "CORTEX_RUN"];
  // What the shell itself sets.
  const ofShell = ["PWD", "SHLVL", "_"];
  expect(Object.keys(environment).filter((name) => ![...allowed, ...ofShell].includes(name))).toEqual([]);
  // This system's HOME is its journal; nothing else says where that is.
  const telling = Object.entries(environment).filter(
    ([name, value]) => name !== "HOME" && value.includes(system.journal),
  );
  expect(telling).toEqual([]);
});

test.concurrent("a backend gets the environment that its declaration gives", async () => {
  expect(await environmentOf({ backend: "own" })).toMatchObject({ OF_BACKEND: "b" });
  expect(await environmentOf({})).not.toHaveProperty("OF_BACKEND");
});

test.concurrent("the values of env are *** in the file, on the bus, in the log and the status, also of a handoff", async () => {
  const id = system.steps([{ ev: { event: "finish", result: "" } }], {
    env: { TOKEN: "very-secret-1" },
    handoff: { prompt: "next", env: { TOKEN: "very-secret-2" } },
  });
  const [line, ...rest] = await system.settled(id);
  expect(line).toMatchObject({ env: { TOKEN: "***" }, handoff: { env: { TOKEN: "***" } } });
  const child = String(rest.find(({ event }) => event === "handoff")?.["to"]);
  expect((await system.settled(child))[0]).toMatchObject({ env: { TOKEN: "***" } });
  const places = [
    JSON.stringify(system.events),
    system.bytes(id),
    system.bytes(child),
    system.log,
    readFileSync(join(system.journal, ".run/status.json"), "utf8"),
  ];
  for (const place of places) expect(place).not.toContain("very-secret");
});

test.concurrent("a run's folder beside its file is readable by its owner alone until its finalization is complete", async () => {
  const go = join(system.journal, "go-mode");
  const id = system.steps([{ ev: { event: "text", text: "here" } }, { await: go }], { env: { TOKEN: "secret" } });
  await system.heard(id, "text");
  expect(statSync(join(system.journal, ".run")).mode & 0o077).toBe(0);
  expect(statSync(join(system.journal, ".state")).mode & 0o077).toBe(0);
  expect(statSync(join(system.journal, ".run/runs", id)).mode & 0o077).toBe(0);
  writeFileSync(go, "");
  await system.settled(id);
  expect(existsSync(join(system.journal, ".run/runs", id))).toBe(false);
});

test.concurrent("the working folder is an empty one outside of the journal, gone when the run has ended", async () => {
  const file = await system.settled(system.steps([{ cwd: true }]));
  const folder = String(file.at(-1)?.["result"]);
  expect(folder.startsWith(system.journal)).toBe(false);
  expect(existsSync(folder)).toBe(false);
  const listed = await system.settled(system.request({ prompt: "list", backend: "lister" }));
  expect(listed.at(-1)).toMatchObject({ result: "0 files" });
});
