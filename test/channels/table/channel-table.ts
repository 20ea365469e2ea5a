/** The table of tests that each channel passes, on a whole system, against the played server of its service. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readProgramRecord } from "../../../journal/programs/programs.ts";
import { adapterProgram } from "../../../protocol/agents/channel-settings.ts";
import { contentPath } from "../../../protocol/files/attachment.ts";
import { AgentsSystem, type Mind } from "../../agents/agents-system.ts";
import { runCortex } from "../../scripts/run-command.ts";
import { png } from "../../support/files/sample-files.ts";
import { patienceMs } from "../../support/patience.ts";
import { testFaults } from "./channel-faults.ts";
import type { Person, PlayedService } from "./played-service.ts";
import { replies } from "./replies.ts";

/** Starts a whole system with this channel, and names the tests. */
export async function testChannel(service: PlayedService): Promise<void> {
  const { type, people } = service;
  const { owner, others } = people;
  const program = adapterProgram(type);
  const system = await AgentsSystem.start(
    {
      channels: { web: { enabled: false }, [type]: service.settings },
      agents: { join_window_ms: 0, owners: [`${type}:${owner.userId}`], binding: "perChannel" },
      permissions: [{ tool: "memory_append", decide: "ask" }],
    },
    {},
    {},
    (journal) => {
      for (const [path, text] of Object.entries(service.secrets))
        writeFileSync(join(journal, path), text, { mode: 0o600 });
    },
  );
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });
  const isThere = async (before = 0) => {
    await system.until(() => system.pidOf(program) !== before && system.up.isReady(program), `${program} is ready`);
    const record = await readProgramRecord(system.journal, program);
    await service.isThere?.(record?.url ?? "", system.journal);
  };
  await isThere();

  /** Answers of the model, by the word that was said last. */
  const minds = new Map<string, Mind>();
  system.think("[channel:", (conversation) => {
    const said = conversation.said.join("\n");
    const [word = ""] = minds
      .keys()
      .toArray()
      .toSorted((a, b) => said.lastIndexOf(b) - said.lastIndexOf(a));
    return minds.get(word)?.(conversation) ?? { text: "." };
  });
  const got = (who: Person, text: string) =>
    system.until(() => service.texts(who).some((one) => one.includes(text)), `${who.userId} gets: ${text}`);
  const timesGot = (who: Person, text: string) => service.texts(who).filter((one) => one.includes(text)).length;
  const agentOf = (who: Person) => system.agentOf({ type, ...who });
  /** So often an agent has heard this. */
  const timesHeard = (agent: string, text: string) =>
    system.history(agent).filter((record) => record.type === "user" && record.text.includes(text)).length;
  /** Somebody writes, and has this answered. */
  const ask = async (who: Person, word: string, text: string) => {
    minds.set(word, replies(text));
    const written = await service.write(who, word);
    await got(who, text);
    return written;
  };
  const command = async (who: Person, text: string, answer: string) => {
    const before = timesGot(who, answer);
    await service.write(who, text);
    await system.until(() => timesGot(who, answer) > before, `${text} is answered: ${answer}`);
  };
  /** Waits until nothing of an agent is under way, so that the next test begins with silence. */
  const isIdle = async (who: Person) => {
    const agent = await agentOf(who);
    await system.until(() => !system.state(agent).turn, "its turn has ended");
  };
  const table = (name: string, work: () => Promise<void>) =>
    test(`${type}: ${name}`, { timeout: 3 * patienceMs }, work);

  table("what an owner writes reaches their agent, and the answer comes to where it was asked", async () => {
    await ask(owner, "HERON", "The heron has come.");
    if (others) expect(service.texts(others.stranger)).toEqual([]);
    await isIdle(owner);
  });

  table("cortex channels check asks the service, which takes what the settings say", async () => {
    const { code, stdout, stderr } = await runCortex(system.journal, ["channels", "check", type]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: expect.stringMatching(`^${type}: ok, .`), stderr: "" });
  });

  table("a message that the service gives again is one", async () => {
    const written = await ask(owner, "EGRET", "One egret.");
    await service.repeat(written);
    await ask(owner, "IBIS", "One ibis.");
    await isIdle(owner);
    expect(timesHeard(await agentOf(owner), "EGRET")).toBe(1);
    expect(timesGot(owner, "One egret.")).toBe(1);
  });

  table("an answer that is longer than a message comes whole, in its order", async () => {
    const lines = Array.from({ length: 260 }, (_, n) => `Line ${n} of the log of the harbor, as it was written.`);
    minds.set("LOGBOOK", replies(lines.join("\n")));
    await service.write(owner, "LOGBOOK");
    await got(owner, lines.at(-1) ?? "");
    const numbers = Array.from(
      service
        .texts(owner)
        .join("\n")
        .matchAll(/Line (\d+) of the log/g),
      ([, n]) => Number(n),
    );
    expect(numbers).toEqual(lines.map((_, n) => n));
    await isIdle(owner);
  });

  table("Markdown is shown as the service shows it", async () => {
    minds.set("LIGHTHOUSE", replies("It is **open** at `pier 4`"));
    await service.write(owner, "LIGHTHOUSE");
    await got(owner, service.marked);
    await isIdle(owner);
  });

  table("a file comes with a message, and one goes with an answer", async () => {
    const photo = { name: "quay.png", mime: "image/png", bytes: png() };
    const chart = png(9, 9, 77);
    writeFileSync(join(system.journal, "chart.png"), chart);
    minds.set("PICTURE", replies("Here it is.", [{ path: "chart.png" }]));
    await service.write(owner, "PICTURE", photo);
    await got(owner, "Here it is.");
    await system.until(() => service.files(owner).length > 0, "the file has come");
    expect(service.files(owner).map(({ bytes }) => bytes)).toEqual([chart]);
    const id = createHash("sha256").update(photo.bytes).digest("hex");
    expect(existsSync(join(system.journal, "attachments", contentPath(id)))).toBe(true);
    await isIdle(owner);
  });

  table("a call that waits for a person is asked about where they are, and made when an owner allows it", async () => {
    minds.set("BEACON", (conversation) => {
      const [result] = conversation.results;
      if (result === undefined)
        return { calls: [{ tool: "memory_append", args: { path: "beacon.md", entry: "mend the beacon" } }] };
      return result.tool === "memory_append"
        ? replies("It is noted.")({ ...conversation, results: [] })
        : { text: "." };
    });
    await service.write(owner, "BEACON");
    await got(owner, "May I call memory_append");
    const question = service.texts(owner).findLast((text) => text.includes("May I call memory_append")) ?? "";
    await service.decide(owner, question, "allow");
    await got(owner, "It is noted.");
    const remembered = readFileSync(join(system.journal, "memory/beacon.md"), "utf8");
    expect(remembered.split("mend the beacon")).toHaveLength(2);
    await isIdle(owner);
  });

  if (others) {
    const { stranger, newcomer } = others;
    table("a stranger has an agent of their own, without what is an owner's", async () => {
      await ask(stranger, "MAGPIE", "Good day.");
      await isIdle(stranger);
      expect(await agentOf(stranger)).not.toBe(await agentOf(owner));
      expect(system.askedOf("MAGPIE").flatMap(({ tools }) => tools)).not.toContain("memory_append");
      await command(stranger, "/model", "Only an owner may ask for that here.");
      await command(owner, "/model", "Model: ");
    });

    table("who says the code that the machine gives becomes an owner", async () => {
      await ask(newcomer, "STARLING", "Hello.");
      await command(newcomer, "/usage", "Only an owner may ask for that here.");
      await isIdle(newcomer);
      const { stdout: code } = await runCortex(system.journal, ["pair"]);
      await service.write(newcomer, code);
      await got(newcomer, "You are known here now, as an owner.");
      await command(newcomer, "/usage", "Today: ");
    });
  }

  table("/new begins anew, and /stop ends the turn that is under way", async () => {
    const asked = Promise.withResolvers<void>();
    minds.set("ANCHOR", async () => {
      asked.resolve();
      return new Promise(() => {});
    });
    await service.write(owner, "ANCHOR");
    await asked.promise;
    await command(owner, "/stop", "Stopped.");
    await isIdle(owner);
    await command(owner, "/new", "The conversation begins anew.");
    await ask(owner, "SAIL", "Set.");
    expect(
      system
        .askedOf("SAIL")
        .flatMap(({ said }) => said)
        .join(),
    ).not.toContain("HERON");
    await isIdle(owner);
  });

  testFaults({
    service,
    system,
    table,
    minds,
    isThere,
    got,
    timesGot,
    agentOf,
    timesHeard,
    ask,
    isIdle,
  });
}
