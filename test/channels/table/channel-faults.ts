/** The rows of the common table in which something fails: the connection, the adapter, the service, or what is in between. */
import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { adapterProgram } from "../../../protocol/agents/channel-settings.ts";
import { contentPath } from "../../../protocol/files/attachment.ts";
import type { AgentsSystem, Mind } from "../../agents/agents-system.ts";
import { runCortex } from "../../scripts/run-command.ts";
import { png } from "../../support/files/sample-files.ts";
import type { Person, PlayedFailure, PlayedService } from "./played-service.ts";
import { replies, replyCall } from "./replies.ts";

/** A whole system with one channel, as the rows of the table see it. */
export type TestedChannel = {
  service: PlayedService;
  system: AgentsSystem;
  /** Names a row. */
  table: (name: string, work: () => Promise<void>) => void;
  /** Answers of the model, by the word that was said last. */
  minds: Map<string, Mind>;
  /** Resolves when the adapter is ready. @param before the process that it is no longer */
  isThere: (before?: number) => Promise<void>;
  got: (who: Person, text: string) => Promise<unknown>;
  timesGot: (who: Person, text: string) => number;
  agentOf: (who: Person) => Promise<string>;
  timesHeard: (agent: string, text: string) => number;
  /** Somebody writes, and has this answered. */
  ask: (who: Person, word: string, text: string) => Promise<unknown>;
  isIdle: (who: Person) => Promise<void>;
};

export function testFaults(channel: TestedChannel): void {
  testDisconnects(channel);
  testOrder(channel);
  testTornInput(channel);
  if (channel.service.fail) testFailedAnswers(channel, channel.service.fail);
  if (channel.service.token) testRefusedToken(channel, channel.service.token);
}

function testDisconnects(channel: TestedChannel): void {
  const { service, system, table, minds, isThere, timesGot, agentOf, timesHeard, ask, isIdle } = channel;
  const { owner } = service.people;
  const program = adapterProgram(service.type);

  table("what is written while the adapter is away comes once it is back; its connections may break", async () => {
    service.drop();
    await ask(owner, "TERN", "The tern is back.");
    await isIdle(owner);
  });

  table("killed with -9 while messages come and answers go, it takes each once and sends none twice", async () => {
    const agent = await agentOf(owner);
    const before = system.pidOf(program);
    const words = ["GANNET", "PLOVER", "AVOCET"];
    // Those that came while a turn was under way are told to the next one together.
    const birds: Mind = (conversation) => {
      const { last, results } = conversation;
      if (results.length > 0) return { text: "." };
      // Not where one is quoted to say what became of its answer.
      const told = words.filter((word) => last.split("\n").includes(word));
      return { calls: told.map((word) => replyCall(conversation, `Seen: ${word}`)) };
    };
    for (const word of words) minds.set(word, birds);
    await service.write(owner, words[0] ?? "");
    process.kill(before, "SIGKILL");
    await service.write(owner, words[1] ?? "");
    await isThere(before);
    await service.write(owner, words[2] ?? "");
    for (const word of words) {
      await system.until(() => timesHeard(agent, word) > 0, `${word} is heard`);
      const isUnknown = () => system.systemMessages(agent).some((text) => text.includes(`Seen: ${word}`));
      await system.until(() => timesGot(owner, `Seen: ${word}`) > 0 || isUnknown(), `${word} is answered`);
    }
    await isIdle(owner);
    for (const word of words) {
      expect(timesHeard(agent, word)).toBe(1);
      expect(timesGot(owner, `Seen: ${word}`)).toBeLessThanOrEqual(1);
    }
  });
}

function testOrder({ service, system, table, minds, agentOf, timesHeard, ask, isIdle }: TestedChannel): void {
  const { overtake, people } = service;
  if (!overtake) return;
  table("a message that is handed over behind a later one is heard behind it, and each once", async () => {
    const { owner } = people;
    const agent = await agentOf(owner);
    for (const word of ["SISKIN", "LINNET"]) minds.set(word, () => ({ text: "." }));
    const older = await overtake(owner, "SISKIN", "LINNET");
    await system.until(() => timesHeard(agent, "SISKIN") > 0, "the older one is heard");
    await service.repeat(older);
    await ask(owner, "SERIN", "A serin.");
    await isIdle(owner);
    expect([timesHeard(agent, "SISKIN"), timesHeard(agent, "LINNET")]).toEqual([1, 1]);
    const said = system.history(agent).flatMap((record) => (record.type === "user" ? [record.text] : []));
    const all = said.join("\n");
    expect(all.indexOf("LINNET")).toBeLessThan(all.indexOf("SISKIN"));
  });
}

/** Rows in which a message or its file breaks off in the middle. */
function testTornInput({ service, system, table, minds, got, agentOf, timesHeard, isIdle }: TestedChannel): void {
  const { owner } = service.people;
  const { tearFile, writeHalf } = service;
  if (tearFile)
    table(
      "a file that breaks off in the middle isn't stored, and its message comes without it and says so",
      async () => {
        const photo = { name: "torn.png", mime: "image/png", bytes: png(40, 40, 3) };
        tearFile();
        minds.set("not stored", replies("It was torn."));
        await service.write(owner, "DIPPER", photo);
        await got(owner, "It was torn.");
        await isIdle(owner);
        const id = createHash("sha256").update(photo.bytes).digest("hex");
        expect(existsSync(join(system.journal, "attachments", contentPath(id)))).toBe(false);
        expect(timesHeard(await agentOf(owner), "DIPPER")).toBe(1);
      },
    );
  if (writeHalf)
    table("half a message is none, and the whole one that is sent again comes once", async () => {
      minds.set("BUNTING", replies("A whole bunting."));
      const written = await writeHalf(owner, "BUNTING");
      await service.repeat(written);
      await got(owner, "A whole bunting.");
      await isIdle(owner);
      expect(timesHeard(await agentOf(owner), "BUNTING")).toBe(1);
    });
}

function testFailedAnswers(
  { service, system, table, minds, timesGot, agentOf, ask, isIdle }: TestedChannel,
  fail: (failure: PlayedFailure) => void,
): void {
  const { owner } = service.people;
  table("an answer is sent again when the service asks to wait, and arrives once", async () => {
    fail("limit");
    await ask(owner, "CURLEW", "Patient as a curlew.");
    await ask(owner, "KNOT", "A knot.");
    expect(timesGot(owner, "Patient as a curlew.")).toBe(1);
    await isIdle(owner);
  });

  /** @returns how often the answer has come */
  const becomesUnknown = async (failure: PlayedFailure, [word, answer]: [string, string], next: [string, string]) => {
    const agent = await agentOf(owner);
    fail(failure);
    minds.set(word, replies(answer));
    await service.write(owner, word);
    const isTold = (text: string) => text.includes("Nobody knows whether this was delivered") && text.includes(answer);
    await system.until(() => system.systemMessages(agent).some(isTold), "its agent is told");
    await ask(owner, ...next);
    await isIdle(owner);
    expect(system.systemMessages(agent).filter(isTold)).toHaveLength(1);
    return timesGot(owner, answer);
  };

  table("an answer of which nobody knows whether it arrived isn't sent again, and its agent is told so", async () => {
    const times = await becomesUnknown("broken", ["PETREL", "Lost at sea."], ["DUNLIN", "A dunlin."]);
    expect(times).toBeLessThanOrEqual(1);
  });

  table("where the service's word that it was taken breaks off in the middle, it isn't sent again either", async () => {
    const times = await becomesUnknown("torn", ["SHEARWATER", "Torn by the wind."], ["SANDERLING", "A sanderling."]);
    expect(times).toBe(1);
  });
}

function testRefusedToken(
  { service, system, table, minds, isThere, got, timesGot, agentOf, timesHeard, isIdle }: TestedChannel,
  { file, refuse, accept, why }: NonNullable<PlayedService["token"]>,
): void {
  const { owner } = service.people;
  const program = adapterProgram(service.type);
  table("a token that is taken back ends it and is told; what waits goes out once it is right", async () => {
    const agent = await agentOf(owner);
    const before = system.pidOf(program);
    const asked = Promise.withResolvers<void>();
    const refused = Promise.withResolvers<void>();
    minds.set("TEAL", async (conversation) => {
      asked.resolve();
      await refused.promise;
      return replies("As late as a teal.")(conversation);
    });
    minds.set("WIGEON", replies("Later still."));
    await service.write(owner, "TEAL");
    await asked.promise;
    refuse();
    refused.resolve();
    await system.until(() => system.up.program(program)?.state === "failed", "the program has ended for good");
    const doctor = await runCortex(system.journal, ["doctor"]);
    expect(doctor.stdout).toContain(`${program} has failed`);
    expect(doctor.stdout).toContain(`cortex logs ${program}`);
    const secret = service.secrets[file] ?? "";
    const { stdout: log } = await runCortex(system.journal, ["logs", program]);
    expect(log).toContain(why);
    expect(log).not.toContain(secret.trim());
    await service.write(owner, "WIGEON");
    accept();
    writeFileSync(join(system.journal, file), secret, { mode: 0o600 });
    await isThere(before);
    await got(owner, "As late as a teal.");
    await got(owner, "Later still.");
    await isIdle(owner);
    for (const text of ["As late as a teal.", "Later still."]) expect(timesGot(owner, text)).toBe(1);
    for (const word of ["TEAL", "WIGEON"]) expect(timesHeard(agent, word)).toBe(1);
  });
}
