/** When there is a program that sends telemetry, and when it is another one. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { telemetryProgram } from "../../../supervisor/programs/telemetry-program.ts";

test("it is wanted while the settings say to where, is another one when they change, and broken ones change nothing", async () => {
  const journal = mkdtempSync(join(tmpdir(), "telemetry-program-"));
  onTestFinished(() => rmSync(journal, { recursive: true }));
  const configure = (text: string) => writeFileSync(join(journal, "cortex.json"), text);
  const program = telemetryProgram(journal, {}, []);
  const now = async () => [program.isWanted?.(), await program.fingerprint()] as const;
  expect((await now())[0]).toBe(false);
  configure('{"telemetry": {"otlp_url": "http://127.0.0.1:4318"}}');
  const [isWanted, first] = await now();
  expect(isWanted).toBe(true);
  for (const broken of ["{", '{"telemetry": {"otlp_url": 17}}']) {
    configure(broken);
    expect(await now()).toEqual([true, first]);
  }
  configure('{"telemetry": {"otlp_url": "http://127.0.0.1:4318", "content": true}}');
  const [isStillWanted, second] = await now();
  expect([isStillWanted, second === first]).toEqual([true, false]);
  configure("{}");
  expect((await now())[0]).toBe(false);
});
