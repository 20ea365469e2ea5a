import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { identify } from "../../proc/identity.ts";
import { logOf } from "../../proc/log.ts";
import { Keeper, type KeptState } from "../../supervisor/keeper.ts";
import type { Program } from "../../supervisor/program.ts";

let folder: string;
let states: KeptState[];
let keeper: Keeper;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cortex-keeper-"));
  states = [];
});
afterEach(async () => {
  await keeper.stop("SIGKILL");
  rmSync(folder, { recursive: true });
});

const inFolder = (name: string) => join(folder, name);

/** A program that is ready when it has written its pid into `ready`. */
function keep(script: string, more: Partial<Program> = {}): Keeper {
  const program: Program = {
    name: "program",
    command: async () => ["/bin/sh", "-c", script],
    env: { PATH: process.env["PATH"], HERE: folder },
    isReady: async (pid) => existsSync(inFolder("ready")) && readFileSync(inFolder("ready"), "utf8") === `${pid}\n`,
    stopSignal: "SIGTERM",
    stopGraceMs: 200,
    ...more,
  };
  const log = logOf("test");
  log.level = "silent";
  keeper = new Keeper(program, inFolder("log"), log, () => states.push({ ...keeper.state }));
  return keeper;
}

async function until(ask: () => boolean): Promise<void> {
  for (const end = performance.now() + 10_000; !ask(); await delay(5))
    if (performance.now() > end) throw new Error(`not within 10 s: ${JSON.stringify(states.slice(-5))}`);
}

const serve = 'echo $$ >"$HERE/ready"; exec sleep 60';
const pidOf = (kept: Keeper) => kept.state.identity?.pid ?? 0;

test("a program is ready when it says so, not when it was started", async () => {
  keep(`while [ ! -e "$HERE/go" ]; do sleep 0.01; done; ${serve}`);
  const started = keeper.start();
  await until(() => keeper.state.identity !== null);
  expect(keeper.state.state).toBe("starting");
  writeFileSync(inFolder("go"), "");
  await started;
  expect(keeper.state).toMatchObject({ name: "program", state: "ready", restarts: 0 });
  expect(identify(pidOf(keeper))).toEqual(keeper.state.identity);
});

test("a program that is killed is started again at once, and a little later when it happens again and again", async () => {
  keep(serve);
  await keeper.start();
  const pids = [pidOf(keeper)];
  const times: number[] = [];
  for (let restart = 1; restart <= 2; restart++) {
    const killed = performance.now();
    process.kill(pids.at(-1) ?? 0, "SIGKILL");
    await until(() => keeper.state.state === "ready" && keeper.state.restarts === restart);
    times.push(performance.now() - killed);
    pids.push(pidOf(keeper));
  }
  expect(new Set(pids).size).toBe(3);
  const [first = 0, second = 0] = times;
  expect(first).toBeLessThan(900);
  expect(second).toBeGreaterThan(990);
});

test("a program that fails to start again is tried again until it does", async () => {
  keep(`[ -e "$HERE/broken" ] && exit 1; ${serve}`);
  await keeper.start();
  appendFileSync(inFolder("broken"), "");
  process.kill(pidOf(keeper), "SIGKILL");
  await until(() => states.some(({ state }) => state === "failed"));
  rmSync(inFolder("broken"));
  await until(() => keeper.state.state === "ready");
  expect(keeper.state.restarts).toBeGreaterThan(1);
});

test("a program that ends before it is ready the first time is an error that names its log", async () => {
  keep("echo oh >&2; exit 4");
  await expect(keeper.start()).rejects.toThrow(
    `program ended before it was ready (exit code 4): see ${inFolder("log")}`,
  );
  expect(keeper.state.state).toBe("failed");
  expect(readFileSync(inFolder("log"), "utf8")).toBe("oh\n");
});

test("a program that is stopped stays stopped, also one that is deaf to its signal", async () => {
  keep(`trap '' TERM; echo $$ >"$HERE/ready"; while :; do sleep 0.01; done`);
  await keeper.start();
  const pid = pidOf(keeper);
  await keeper.stop();
  expect(identify(pid)).toBe(null);
  expect(keeper.state).toMatchObject({ state: "stopped", restarts: 0 });
  expect(states.map(({ state }) => state)).toContain("stopping");
});

test("a program that waits to be started again can be stopped meanwhile", async () => {
  keep(serve);
  await keeper.start();
  process.kill(pidOf(keeper), "SIGKILL");
  await until(() => keeper.state.restarts === 1 && keeper.state.state === "ready");
  process.kill(pidOf(keeper), "SIGKILL"); // the second time it waits for a second
  await until(() => keeper.state.state === "stopped");
  const before = performance.now();
  await keeper.stop();
  expect(performance.now() - before).toBeLessThan(500);
  expect(keeper.state.state).toBe("stopped");
  expect(identify(pidOf(keeper))).toBe(null);
});
