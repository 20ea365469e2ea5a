/** An agent in a sandbox without network: it reaches the gateway and nothing else, and sees no key anywhere. */
import { describe, expect, test } from "vitest";
import { readProgramRecord } from "../../journal/programs/programs.ts";
import { findSandbox } from "../../sandbox/sandbox-level.ts";
import { startHttpServer } from "../support/network/http-server.ts";
import { MeteredSystem, realKey, usageIn } from "./metered-system.ts";

const found = await findSandbox();

describe.skipIf(found.level === "none")("an agent behind a wall", () => {
  test("reaches the gateway, neither the provider nor another server, and finds the key nowhere", async () => {
    await using other = await startHttpServer((_, response) => void response.end("hello"));
    await using metered = await MeteredSystem.start({ backend: { sandbox: true } });
    const { system, provider } = metered;
    const gateway = (await readProgramRecord(system.journal, "gateway"))?.url ?? "";
    const id = metered.run([
      { look: realKey },
      { look: "/v1/messages nowhere" },
      { calls: 1 },
      { fetch: [`${gateway}/health`, provider.url, other.url] },
    ]);
    const events = await system.ended(id);
    const texts = events.filter(({ event }) => event === "text").map(({ text }) => String(text));
    expect(texts.slice(0, 2)).toEqual(["[]", "[]"]);
    expect(JSON.parse(texts[2] ?? "")).toMatchObject({ status: 200 });
    expect(texts[3]).toBe("200");
    for (const text of texts.slice(4)) expect(text).toMatch(/fetch failed/);
    expect(texts).toHaveLength(6);
    expect(other.connections()).toBe(0);
    expect(metered.asked).toEqual([{ model: "claude-sonnet-4-5", key: realKey }]);
    expect(usageIn(events)).toHaveLength(1);
  });
});
