/** A flipped bit in the store of a killed server: what stood behind it is gone, and made up for. */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openBus } from "../../bus/connection/connect.ts";
import { deadLetters } from "../../bus/runs/dead-letters.ts";
import { hasFeature, parseVersion } from "../../bus/connection/features.ts";
import { readBusAccess } from "../../journal/access/endpoints.ts";
import { readLiveStatus } from "../../journal/programs/live-status.ts";
import { findNatsServer } from "../../proc/os/find-program.ts";
import { versionOf } from "../../proc/os/program-version.ts";
import { CortexSystem, fixtureAgents } from "../support/cortex-system.ts";
import { patienceMs } from "../support/patience.ts";

// A newer server passes over a broken record and says nothing: what stood in it is missing from the stream, not from the files.
const version = parseVersion((await versionOf(findNatsServer() ?? "")) ?? "");
const broken = describe.runIf(!hasFeature("repairs", version));

const settings = { ...fixtureAgents("scripted"), max_concurrent: 2 };
const finish = { ev: { event: "finish", result: "done" } };
const text = { ev: { event: "text", text: "x" }, times: 5 };

const records = (system: CortexSystem, stream: string) =>
  join(system.journal, ".state/jetstream/jetstream/CORTEX/streams", stream, "msgs");

/** The server's index files, which it writes now and then: a power cut leaves an older one. */
const indexFiles = (folder: string) => readdirSync(folder).filter((file) => !file.endsWith(".blk"));

/** Flips a bit in the last record that has these words, in the words themselves. */
function flipBit(folder: string, words: string): void {
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith(".blk"))
    .toSorted()
    .toReversed()) {
    const bytes = readFileSync(join(folder, file));
    const at = bytes.lastIndexOf(words);
    if (at < 0) continue;
    bytes[at + words.length - 1]! ^= 4;
    return writeFileSync(join(folder, file), bytes);
  }
  throw new Error(`nothing of ${words} in ${folder}`);
}

/** A system with three ended runs, two in progress and four that wait; then cortex and its server are killed, and a bit is flipped. */
class Damaged implements AsyncDisposable {
  readonly system: CortexSystem;
  readonly ended: string[] = [];
  readonly open: string[] = [];
  readonly #births: string;
  readonly #gate: string;
  readonly #early = mkdtempSync(join(tmpdir(), "cortex-index-"));

  private constructor(system: CortexSystem) {
    this.system = system;
    this.#births = join(system.journal, "births");
    this.#gate = join(system.journal, "gate");
  }

  static async start(stream: string): Promise<Damaged> {
    const damaged = new Damaged(await CortexSystem.start({ settings }));
    await damaged.#prepare(stream);
    return damaged;
  }

  async #prepare(stream: string): Promise<void> {
    const { system, ended, open } = this;
    const begin = { touch: this.#births };
    cpSync(records(system, stream), this.#early, { recursive: true });
    for (const _ of [1, 2, 3]) ended.push(system.steps([begin, text, finish]));
    for (const id of ended) await system.settled(id);
    for (const _ of [1, 2, 3, 4, 5, 6]) open.push(system.steps([begin, text, { await: this.#gate }, finish]));
    const births = () => existsSync(this.#births) && readFileSync(this.#births, "utf8").split("\n").length - 1;
    await system.until(() => births() === 5, "two run");
    await system.until(() => readLiveStatus(system.journal)?.waiting.length === 4, "four wait");
    await system.killCortex();
    await system.stopBus();
  }

  /** Breaks a record, and lets everything go on from there. */
  async breakRecord(stream: string, words: string): Promise<void> {
    const { system } = this;
    const folder = records(system, stream);
    for (const file of indexFiles(folder)) rmSync(join(folder, file));
    for (const file of indexFiles(this.#early)) cpSync(join(this.#early, file), join(folder, file));
    flipBit(folder, words);
    await system.startBus();
    await system.startCortex();
    writeFileSync(this.#gate, "");
  }

  /** Waits until these have ended, each once, and the bus has all that is in their files. */
  async allDone(ids: string[]): Promise<void> {
    const { system } = this;
    for (const id of ids) await system.closed(id);
    for (const id of ids) {
      expect(system.file(id).filter(({ event }) => event === "finish")).toHaveLength(1);
      await system.until(
        async () => (await system.stored(id)).length === system.file(id).length,
        `the bus has all of ${id}`,
      );
      expect(await system.stored(id)).toEqual(system.file(id));
    }
    expect(system.log).toContain("bus_regressed");
  }

  /** How many agents have begun. */
  get births(): number {
    return readFileSync(this.#births, "utf8").split("\n").length - 1;
  }

  async dead(): Promise<string[]> {
    const access = readBusAccess(this.system.journal);
    const password = access?.passwords["cortex"];
    await using bus = await openBus({ url: access?.url ?? "", user: "cortex", password }, "cortex", patienceMs);
    return (await deadLetters(bus)).map(({ letter }) => String(letter["agent_id"])).toSorted();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.#early, { recursive: true });
    await this.system[Symbol.asyncDispose]();
  }
}

broken("a bit is flipped in a server's store", () => {
  test("events: all of them are in the stream again, from the files", async () => {
    await using damaged = await Damaged.start("CORTEX_EVENTS");
    const { system, ended, open } = damaged;
    await damaged.breakRecord("CORTEX_EVENTS", `${ended[1]}:3`);
    await damaged.allDone([...ended, ...open]);
    expect([damaged.births, await damaged.dead()]).toEqual([9, []]);
    const next = system.steps([finish]);
    await system.closed(next);
    await damaged.allDone([next]);
  });

  test("requests: those that were cut off are said to be lost, the others run, once each, and new ones too", async () => {
    await using damaged = await Damaged.start("CORTEX_REQ");
    const { system, ended, open } = damaged;
    await damaged.breakRecord("CORTEX_REQ", `"ts":${open[4]}`);
    await damaged.allDone([...ended, ...open.slice(0, 4)]);
    await system.until(async () => (await damaged.dead()).length === 2, "two are lost");
    expect([damaged.births, await damaged.dead()]).toEqual([7, open.slice(4)]);
    const next = system.steps([finish]);
    await system.closed(next);
    await damaged.allDone([next]);
  });

  test.each([
    ["claims", "KV_cortex_claims", "$KV.cortex_claims."],
    ["the ledger", "KV_cortex_runs", "$KV.cortex_runs."],
  ])("%s: each request runs once all the same", async (_, stream, key) => {
    await using damaged = await Damaged.start(stream);
    const { system, ended, open } = damaged;
    await damaged.breakRecord(stream, `${key}${open[1]}`);
    await damaged.allDone([...ended, ...open]);
    expect([damaged.births, await damaged.dead()]).toEqual([9, []]);
    const next = system.steps([finish]);
    await system.closed(next);
  });
});
