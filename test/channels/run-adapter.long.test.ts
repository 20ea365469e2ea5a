/** Adapters in programs of their own: what one does is nothing to another. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ChannelSystem, outbound } from "./channel-system.ts";

const types = ["rejecting", "throwing", "hanging", "fine"];

test("an adapter that rejects, one that throws and one that hangs don't disturb a fourth, and each message is told", async () => {
  await using system = await ChannelSystem.start(Object.fromEntries(types.map((type) => [type, { external: true }])));
  const programs = types.map((type) => system.startFixture(type, "misbehaving"));
  for (const program of programs) await program.isReady();
  for (const n of [1, 2]) for (const type of types) await system.say(outbound(`${type}-${n}`, type));
  expect(await system.receipt("fine-2")).toEqual({ ok: true, external_id: "x-fine-2" });
  for (const n of [1, 2]) {
    expect(await system.receipt(`rejecting-${n}`)).toEqual({ ok: false, error: "never" });
    expect(await system.receipt(`throwing-${n}`)).toEqual({ ok: false, unknown: true, error: "a bug" });
    expect(await system.receipt(`hanging-${n}`)).toEqual({ ok: false, unknown: true, error: "no answer within 1 s" });
  }
  expect(readFileSync(join(system.journal, "fine.txt"), "utf8")).toBe("fine-1\nfine-2\n");
  await system.until(() => system.messages.length === types.length, "all could send");
  expect(programs.map(({ hasEnded }) => hasEnded)).toEqual([false, false, false, false]);
});

test("while the bus is away nothing is lost, and what was said meanwhile is delivered", async () => {
  await using system = await ChannelSystem.start({ fine: { external: true } });
  await system.startFixture("fine", "misbehaving").isReady();
  await system.say(outbound("a", "fine"));
  await system.receipt("a");
  const agents = await system.server.as("agents");
  await system.server.killAndRestart(agents);
  await system.say(outbound("b", "fine"));
  expect(await system.receipt("b")).toMatchObject({ ok: true });
  expect(readFileSync(join(system.journal, "fine.txt"), "utf8")).toBe("a\nb\n");
});
