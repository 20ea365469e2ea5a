import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  readSettings,
  SettingsError,
  settingsPath,
  usableSettings,
  watchSettings,
} from "../../../journal/config/settings.ts";
import { settingsProblem } from "../../../journal/config/kept-settings.ts";
import { makePrivateFolders } from "../../../journal/config/paths.ts";
import { patienceMs } from "../../support/patience.ts";

/** Ends as soon as it is so. */
const soon = { timeout: patienceMs };
const watchers = () => process.getActiveResourcesInfo().filter((name) => name === "FSEventWrap").length;

let journal: string;
beforeEach(() => {
  journal = mkdtempSync(join(tmpdir(), "settings-"));
});
afterEach(() => rmSync(journal, { recursive: true }));

const write = (value: unknown) =>
  writeFileSync(settingsPath(journal), typeof value === "string" ? value : JSON.stringify(value));
function problems(): string[] {
  try {
    readSettings(journal);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

describe("reading", () => {
  test("without a file there are no settings, and that is fine", () => {
    expect(readSettings(journal)).toEqual({});
  });

  test("a key that nobody knows is refused with the nearest known one, also inside of what is nested", () => {
    write({
      max_concurent: 3,
      limits: { timeout_second: 5 },
      mcp: { prot: 1 },
      backends: { echo: { command: ["x"], evn: {} } },
      channels: { anything: { external: true, its_own: 1 }, web: { prot: 1 } },
      budgets: { personas: { digest: { max_cost_usd: 1 }, other: { weekly: {} } } },
      bus: { workers: [{ name: "one", nkey: `U${"A".repeat(55)}`, nkeys: 1 }] },
    });
    expect(problems()).toEqual([
      'unknown key "max_concurent": did you mean "max_concurrent"?',
      'unknown key "limits.timeout_second": did you mean "timeout_seconds"?',
      'unknown key "mcp.prot": did you mean "port"?',
      'unknown key "backends.echo.evn": did you mean "env"?',
      'unknown key "channels.web.prot": did you mean "port"?',
      'unknown key "budgets.personas.digest.max_cost_usd": did you mean "daily.max_cost_usd"?',
      'unknown key "budgets.personas.other.weekly": known keys are daily',
      'unknown key "bus.workers.0.nkeys": did you mean "nkey"?',
    ]);
  });

  test("a backend that there is none of is refused where it is named", () => {
    write({ default_backend: "opnai", default_model: { antropic: "m" }, backends: { mine: { command: ["x"] } } });
    expect(problems()).toEqual([
      'default_backend: there is no backend "opnai": did you mean "openai"?',
      'default_model: there is no backend "antropic": did you mean "anthropic"?',
    ]);
    write({ default_backend: "mine", backends: { mine: { command: ["x"] } } });
    expect(problems()).toEqual([]);
  });

  test("every wrong value is named with its field and what was expected", () => {
    write({ max_concurrent: "many", mcp: { port: -1 }, backends: { echo: { command: [] } } });
    expect(problems()).toEqual([
      'max_concurrent: expected number, got "many"',
      "backends.echo.command: expected array to have >=1 items, got []",
      "mcp.port: expected number to be >=0, got -1",
    ]);
  });

  test("a file that is not JSON is refused with the line and the column", () => {
    write('{\n  "max_concurrent": 3,\n}');
    expect(problems()).toEqual([expect.stringContaining("(line 3 column 1)")]);
    expect(() => readSettings(journal)).toThrow(settingsPath(journal));
  });

  test.each(["", "[]", "null", "7"])("the text %j is refused", (text) => {
    write(text);
    expect(problems()).toHaveLength(1);
  });

  test("a folder, and a file of a size that no settings have, are refused", () => {
    mkdirSync(settingsPath(journal));
    expect(problems()).toEqual(["expected a file"]);
    rmSync(settingsPath(journal), { recursive: true });
    write(`{"x":"${"y".repeat(1024 * 1024)}"}`);
    expect(problems()).toEqual([expect.stringMatching(/^expected at most 1048576 bytes, got \d+$/)]);
  });
});

describe("watching", () => {
  let stop: AbortController;
  let changes: unknown[];
  let broken: string[];
  beforeEach(() => {
    stop = new AbortController();
    changes = [];
    broken = [];
  });
  afterEach(() => stop.abort());
  const start = () =>
    watchSettings(journal, {
      onChange: (read) => changes.push(read),
      onProblem: (error) => broken.push(error.message),
      signal: stop.signal,
    });

  test("a file that comes, changes and goes is followed", async () => {
    const watch = await start();
    write({ max_concurrent: 1 });
    await vi.waitFor(() => expect(watch.current).toEqual({ max_concurrent: 1 }), soon);
    write({ max_concurrent: 2 });
    await vi.waitFor(() => expect(changes.at(-1)).toEqual({ settings: { max_concurrent: 2 } }), soon);
    rmSync(settingsPath(journal));
    await vi.waitFor(() => expect(watch.current).toEqual({}), soon);
    expect(changes).toHaveLength(3);
  });

  test("a file that is replaced by a rename, as editors do, is followed", async () => {
    write({ max_concurrent: 1 });
    const watch = await start();
    for (const count of [2, 3, 4]) {
      writeFileSync(join(journal, "new"), JSON.stringify({ max_concurrent: count }));
      renameSync(join(journal, "new"), settingsPath(journal));
      await vi.waitFor(() => expect(watch.current).toEqual({ max_concurrent: count }), soon);
    }
  });

  test("a watch of a broken file keeps the previous settings, and tells the problem once", async () => {
    write({ max_concurrent: 1 });
    const watch = await start();
    write('{"max_concurrent": 0}');
    await vi.waitFor(() => expect(broken).toHaveLength(1), soon);
    expect(broken[0]).toContain("max_concurrent: expected number to be >0, got 0");
    expect(watch.current).toEqual({ max_concurrent: 1 });
    write({ max_concurrent: 5 });
    await vi.waitFor(() => expect(watch.current).toEqual({ max_concurrent: 5 }), soon);
    expect(broken).toHaveLength(1);
  });

  test("a file written again with the same settings causes no notice", async () => {
    write({ max_concurrent: 1 });
    const watch = await start();
    write(' { "max_concurrent" : 1 } ');
    write({ max_concurrent: 2 });
    await vi.waitFor(() => expect(watch.current).toEqual({ max_concurrent: 2 }), soon);
    expect(changes).toHaveLength(1);
  });

  test("reloading reads what nobody saw change, at once, and tells a problem each time it is asked", async () => {
    const watch = await start();
    write({ max_concurrent: 1 });
    watch.reload();
    expect(watch.current).toEqual({ max_concurrent: 1 });
    expect(changes).toHaveLength(1);
    write("{");
    for (const times of [1, 2]) {
      watch.reload();
      expect(broken).toHaveLength(times);
    }
    expect(watch.current).toEqual({ max_concurrent: 1 });
  });

  test("settings that are broken from the start are refused", async () => {
    write("{");
    await expect(start()).rejects.toThrow(SettingsError);
    expect(() => usableSettings(journal)).toThrow(SettingsError);
  });

  test("a start with a slip in the file goes on with the previous settings, and says what is wrong", async () => {
    makePrivateFolders(journal);
    write({ max_concurrent: 7 });
    await start();
    stop.abort();
    stop = new AbortController();
    write({ max_concurent: 9 });
    const watch = await start();
    expect(watch.current).toEqual({ max_concurrent: 7 });
    expect(broken).toEqual([expect.stringContaining('did you mean "max_concurrent"?')]);
    expect(settingsProblem(journal)).toBe(broken[0]);
    expect(usableSettings(journal)).toMatchObject({
      settings: { max_concurrent: 7 },
      problem: { name: "SettingsError" },
    });
    write({ max_concurrent: 9 });
    await vi.waitFor(() => expect(watch.current).toEqual({ max_concurrent: 9 }), soon);
    expect(settingsProblem(journal)).toBe(null);
  });

  test("a watch after its signal follows nothing, and doesn't keep the process alive", async () => {
    const before = watchers();
    const watch = await start();
    stop.abort();
    await vi.waitFor(() => expect(watchers()).toBeLessThanOrEqual(before), soon);
    write({ max_concurrent: 1 });
    expect(watch.current).toEqual({});
  });
});
