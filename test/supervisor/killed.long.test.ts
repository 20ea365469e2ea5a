/** The promise of a supervisor that is killed with -9, at whatever line it was. `SUPERVISOR_KILLS` says how often. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { identifyProcess } from "../../proc/processes/identity.ts";
import { dice } from "./supervision/simulated-program.ts";
import { serve, ShellJournal, shellProgram } from "./shell-program.ts";

const fixture = fileURLToPath(new URL("../fixtures/programs/supervise.ts", import.meta.url));
const kills = Number(process.env["SUPERVISOR_KILLS"] ?? 6);
const names = ["one", "two"];
/** From its first line on, a supervisor has brought everything up within so long. */
const spanMs = 120;

test(`a supervisor that is killed ${kills} times at random leaves never two of one kind`, {
  timeout: 300_000 + kills * 2000,
}, async () => {
  const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
  const roll = dice(seed);
  await using journal = new ShellJournal();
  const living = (name: string) =>
    readFileSync(join(journal.path, `${name}.births`), { encoding: "utf8", flag: "a+" })
      .split("\n")
      .filter((pid) => pid !== "" && identifyProcess(Number(pid)) !== null);
  for (let kill = 0; kill < kills; kill++) {
    // One of them dies now and then, so that there is something to start.
    const victim = living(names[kill % 2] ?? "")[0];
    if (victim !== undefined && roll() < 0.7) process.kill(Number(victim), "SIGKILL");
    const child = spawn(process.execPath, [fixture, journal.path], { stdio: ["ignore", "pipe", "pipe"] });
    await Promise.race([
      once(child.stdout, "data"),
      waitForRecord(journal, child.pid ?? 0).then(() => delay(roll() * spanMs)),
    ]);
    child.kill("SIGKILL");
    await once(child, "close");
    for (const name of names) expect(living(name).length, `SEED=${seed}, kill ${kill}: ${name}`).toBeLessThanOrEqual(1);
  }
  await journal
    .supervise(shellProgram(journal.path, "one", serve), shellProgram(journal.path, "two", serve, { needs: ["one"] }))
    .start();
  for (const name of names) expect(living(name), `SEED=${seed}: ${name}`).toEqual([String(journal.pidOf(name))]);
});

/** Until a supervisor has written down that it is the one. */
async function waitForRecord(journal: ShellJournal, pid: number): Promise<void> {
  const file = join(journal.path, ".run/supervisor.json");
  const isItself = () => journal.text(".run/supervisor.json").includes(`"supervisor":{"pid":${pid},`);
  await journal.until(isItself, `${file} names ${pid}`);
}
