/** Runs in a folder of the user's where no sandbox can be had. */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { startTools } from "../mcp-tools/tools-server.ts";
import { CortexSystem } from "../support/cortex-system.ts";
import { pathWithout } from "../support/path-without.ts";
import { playAnthropic } from "../support/providers/anthropic.ts";

const call = (tool: string, args: Record<string, unknown>) => ({ turn: { calls: [{ tool, args }] } });
const done = { turn: { text: "done" } };

describe("where there is no bubblewrap", () => {
  const bin = pathWithout("bwrap");
  const root = realpathSync(mkdtempSync(join(tmpdir(), "folder-open-")));
  afterAll(() => {
    rmSync(root, { recursive: true });
    bin[Symbol.dispose]();
  });

  test("a run in a folder is refused with what to install, unless the settings only prefer a sandbox", async () => {
    await using provider = await playAnthropic([call("write", { path: "a.txt", content: "by a tool" }), done]);
    const env = { PATH: bin.folder, ANTHROPIC_API_KEY: "sk-test-0123456789", ANTHROPIC_BASE_URL: provider.url };
    for (const sandbox of [undefined, "preferred"] as const) {
      await using system = await CortexSystem.start({
        env,
        settings: { folders: [root], ...(sandbox && { sandbox }) },
      });
      await using _tools = await startTools(system.journal, env);
      const asked = (fields: object) =>
        system.request({ prompt: "work", backend: "anthropic", tools: "files", folder: root, ...fields });
      // A request asks for more than the settings do, and gets it.
      for (const fields of sandbox === undefined ? [{}, { sandbox: "preferred" }] : [{ sandbox: "required" }]) {
        const events = await system.settled(asked(fields));
        expect(events.map(({ event }) => event)).toEqual(["request", "error"]);
        expect(events[1]).toMatchObject({
          reason: "config",
          error: expect.stringMatching(/works in a folder of yours, which needs a sandbox.*install.* bubblewrap/),
        });
      }
      if (sandbox === undefined) continue;
      expect((await system.settled(asked({}))).at(-1)).toMatchObject({ event: "finish" });
      expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("by a tool");
    }
  });
});
