/** `npm run chaos` as it is typed. */
import { execa } from "execa";
import { expect, test } from "vitest";
import { packageFile } from "../../proc/programs/package-file.ts";

const chaos = (...args: string[]) =>
  execa(process.execPath, [packageFile("tools/faults/chaos.ts"), ...args], { reject: false });

test("a case is repeated by its seed and number: what it is, what became of it, and the table", {
  timeout: 300_000,
}, async () => {
  const { exitCode, stdout } = await chaos("--seed", "1", "--case", "4");
  expect(stdout).toContain(
    '--seed 1 --case 4: cortex, without an id, nats-server killed at "id-assigned"\n1 of 1 cases, 0 wrong',
  );
  expect(stdout).toMatch(/\nid-assigned +· +· +· +1 +· +· +· +1\n/);
  expect(exitCode).toBe(0);
});

test("an unknown option is refused before anything is killed", async () => {
  for (const args of [["--cases", "many"], ["--server", "/no/such/server"], ["--case"], ["--forever"]])
    expect(await chaos(...args)).toMatchObject({ exitCode: 2, stdout: "" });
});
