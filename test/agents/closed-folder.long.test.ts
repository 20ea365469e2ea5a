/** An agent whose folder is closed rests with a reason, after a bounded number of tries, and the others go on. */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { listQuarantine } from "../../journal/quarantine/quarantine.ts";
import { patienceMs } from "../support/patience.ts";
import { noSmallDisk } from "../support/files/small-disk.ts";
import { AgentsSystem } from "./agents-system.ts";

/** Closes a folder to everybody, root included, until it is disposed of. */
class ClosedFolder implements Disposable {
  readonly #folder: string;
  #isClosed = true;

  constructor(folder: string) {
    this.#folder = folder;
    execFileSync("mount", ["--bind", folder, folder]);
    execFileSync("mount", ["-o", "remount,ro,bind", folder]);
  }

  open(): void {
    if (this.#isClosed) execFileSync("umount", ["-l", this.#folder]);
    this.#isClosed = false;
  }

  [Symbol.dispose](): void {
    this.open();
  }
}

const putAway = (system: AgentsSystem, store: string) =>
  listQuarantine(system.journal).filter(({ record }) => record?.store === store);

const reply = (text: string) => ({
  calls: [{ tool: "reply", args: { text, channelId: "open", channelType: "alpha" } }],
});

describe.skipIf(noSmallDisk)("as root, who can close a folder to root", () => {
  test("an agent whose files are closed goes on when they are open, and holds up no other", {
    timeout: 4 * patienceMs,
  }, async () => {
    await using system = await AgentsSystem.start();
    const alpha = await system.channel("alpha");
    const id = await system.main("closed");
    system.think("before", () => ({ text: "thought" }));
    system.think("elsewhere", ({ results }) => (results.length > 0 ? { text: "said" } : reply("the other room")));
    system.think("afterwards", () => ({ text: "thought again" }));
    await alpha.say("before", { channelId: "closed" });
    await system.turns(id, 1);

    using closed = new ClosedFolder(join(system.journal, "agents", id));
    await system.killAgents();
    await alpha.say("meanwhile", { channelId: "closed" });
    await alpha.heard(/couldn't be taken in, three times/);
    expect(putAway(system, "inbound")[0]?.record?.error).toContain("EROFS");
    await alpha.say("elsewhere", { channelId: "open" });
    await alpha.heard("the other room");

    closed.open();
    await system.killAgents();
    await alpha.say("afterwards", { channelId: "closed" });
    await system.until(() => system.askedOf("afterwards").length > 0, "it works again");
    expect(system.askedOf("afterwards")[0]?.said.join(" ")).toContain("before");
    expect(system.wrong).toEqual([]);
  });

  test("a message for an agent that can't be made is put away, and its sender hears it", async () => {
    await using system = await AgentsSystem.start();
    const alpha = await system.channel("alpha");
    mkdirSync(join(system.journal, "agents"), { recursive: true });
    using _closed = new ClosedFolder(join(system.journal, "agents"));
    await alpha.say("hello", { channelId: "new" });
    await alpha.heard(/couldn't be taken in, three times/);
    expect(putAway(system, "inbound")).toHaveLength(1);
    expect(system.up.program("agents")?.restarts).toBe(0);
  });
});
