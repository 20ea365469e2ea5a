import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { logFile } from "../../journal/logs/program-logs.ts";
import { readSupervised, writeSupervised } from "../../journal/programs/supervised.ts";
import { identifyProcess, isAlive } from "../../proc/processes/identity.ts";
import { doNotRestart } from "../../protocol/runs/exit-codes.ts";
import type { Program } from "../../supervisor/programs/program.ts";
import { serve, ShellJournal, shellProgram } from "./shell-program.ts";

const hearsNothing = "trap '' TERM";
const forEver = "while :; do sleep 0.01; done";
const deaf = `${hearsNothing}; ready; ${forEver}`;
/** The same below a program. */
const deafChild = `(${hearsNothing}; ${forEver}) & echo $!`;

test("programs are started in the order of their needs, when these are ready, and stopped in reverse", async () => {
  await using journal = new ShellJournal();
  const note = (what: string) => `echo ${what} >>"$HERE/order"`;
  const polite = (name: string, more: Partial<Program> = {}) => {
    const script = `trap '${note(`${name} down`)}; exit' TERM; ${note(`${name} up`)}; ready; ${forEver}`;
    return shellProgram(journal.path, name, script, { stopGraceMs: () => 20_000, ...more });
  };
  const isReady: Program["isReady"] = async ({ pid }) =>
    journal.pidOf("bus") === pid && existsSync(join(journal.path, "go"));
  const supervisor = journal.supervise(
    polite("bus", { isReady }),
    polite("tools"),
    polite("runs", { needs: ["bus", "tools"] }),
  );
  const started = supervisor.start();
  await journal.until(() => journal.program("tools")?.state === "ready" && journal.pidOf("bus"), "one is ready");
  expect(journal.program("bus")?.state).toBe("starting");
  expect(journal.program("runs")).toMatchObject({ state: "waiting", reason: "waits for bus, tools" });
  appendFileSync(join(journal.path, "go"), "");
  await started;
  await supervisor.stop();
  const lines = journal.text("order").trim().split("\n");
  expect(lines.slice(2)).toEqual(["runs up", "runs down", "tools down", "bus down"]);
  expect(journal.program("runs")).toMatchObject({ state: "stopped", identity: null });
});

test("a program is ready when it answers, and its process is written down as what it is", async () => {
  await using journal = new ShellJournal();
  await journal.supervise(shellProgram(journal.path, "one", serve)).start();
  const one = await journal.until(() => journal.program("one")?.state === "ready" && journal.program("one"), "ready");
  expect(one).toMatchObject({
    name: "one",
    restarts: 0,
    reason: null,
    identity: identifyProcess(journal.pidOf("one")),
  });
  expect(readSupervised(journal.path)?.supervisor).toEqual(identifyProcess(process.pid));
  // While it becomes another program there is nothing to be seen.
  const environment = await journal.until(
    () => readFileSync(`/proc/${journal.pidOf("one")}/environ`, "utf8"),
    "its environment",
  );
  expect(environment).toContain(one.nonce);
});

test("a program that is killed is started again at once, and a little later when it happens again", async () => {
  await using journal = new ShellJournal();
  const supervisor = journal.supervise(shellProgram(journal.path, "one", serve));
  const pauses: number[] = [];
  journal.onEvent = ({ event }) => {
    const { not_before, since } = supervisor.program("one").status;
    if (event === "backing_off") pauses.push(not_before - since);
  };
  await supervisor.start();
  let killed = 0;
  for (let restart = 1; restart <= 2; restart++) {
    killed = performance.now();
    process.kill(journal.pidOf("one"), "SIGKILL");
    await journal.until(
      () => supervisor.program("one").state === "ready" && journal.births("one") === restart + 1,
      "it is back",
    );
  }
  expect(pauses).toEqual([0, 1000]);
  expect(performance.now() - killed).toBeGreaterThan(990);
  expect(journal.events.find(({ event }) => event === "backing_off")?.reason).toBe("was ended by SIGKILL");
});

test("a program that can't be started at all is tried again until it can", async () => {
  await using journal = new ShellJournal();
  const program = shellProgram(journal.path, "one", serve);
  let isThere = false;
  const launch: typeof program.launch = async (nonce) => {
    const { command, env } = await program.launch(nonce);
    return { command: isThere ? command : [join(journal.path, "none")], env };
  };
  const started = journal.supervise({ ...program, launch }).start();
  await journal.until(() => journal.program("one")?.state === "backing_off", "it waits");
  expect(journal.program("one")?.reason).toContain("ENOENT");
  isThere = true;
  await started;
  expect(journal.program("one")?.restarts).toBeGreaterThan(0);
});

test("a program that is deaf to its signal is killed after its grace", async () => {
  await using journal = new ShellJournal();
  const supervisor = journal.supervise(shellProgram(journal.path, "one", deaf));
  await supervisor.start();
  const pid = journal.pidOf("one");
  const before = performance.now();
  await supervisor.stop();
  expect(performance.now() - before).toBeGreaterThan(290);
  expect(identifyProcess(pid)).toBe(null);
  expect(journal.told("one")).toEqual(["started", "ready", "stopping", "exited", "stopped"]);
});

test("a supervisor that is told to hurry tells those as well that are stopped later", async () => {
  await using journal = new ShellJournal();
  // Each notes what it hears. The last to be stopped goes when it is told again, by whatever comes first.
  const noted = (name: string) => `trap 'echo TERM >>"$HERE/${name}.heard"' TERM`;
  const patient = `${noted("one")}; trap 'echo INT >>"$HERE/one.heard"; exit 0' INT; ready; while :; do sleep 0.05; done`;
  const hurried = `${noted("two")}; trap 'exit 0' INT; ready; while :; do sleep 0.05; done`;
  const slow = { stopGraceMs: () => 600_000, againSignal: "SIGINT" } as const;
  const supervisor = journal.supervise(
    shellProgram(journal.path, "one", patient, slow),
    shellProgram(journal.path, "two", hurried, { ...slow, needs: ["one"] }),
  );
  await supervisor.start();
  const stopped = supervisor.stop();
  await journal.until(() => journal.text("two.heard"), "the first is asked");
  supervisor.force();
  await stopped;
  expect(journal.text("one.heard")).toMatch(/INT/);
});

test("a stop isn't over before the last of the group has gone", async () => {
  await using journal = new ShellJournal();
  const script = `${deafChild} >"$HERE/child"; ${serve}`;
  const supervisor = journal.supervise(shellProgram(journal.path, "one", script));
  await supervisor.start();
  const child = Number(await journal.until(() => journal.text("child"), "its child"));
  await supervisor.stop();
  expect(identifyProcess(child)).toBe(null);
});

test("processes that a dead program left in its group go before another is started", async () => {
  await using journal = new ShellJournal();
  const script = `[ -e "$HERE/old" ] && grep -q ') [^ZX] ' "/proc/$(cat "$HERE/old")/stat" 2>/dev/null && echo both >>"$HERE/both"
    ${deafChild} >"$HERE/old"; ${serve}`;
  const supervisor = journal.supervise(shellProgram(journal.path, "one", script));
  await supervisor.start();
  await journal.until(() => journal.text("old"), "its child");
  process.kill(journal.pidOf("one"), "SIGKILL");
  await journal.until(() => journal.births("one") === 2 && supervisor.program("one").state === "ready", "it is back");
  expect(journal.text("both")).toBe("");
});

test("a program that lives and doesn't answer three times is started again", async () => {
  await using journal = new ShellJournal();
  let asked = 0;
  const isResponsive = async ({ pid }: { pid: number }) => {
    asked++;
    return pid === journal.pidOf("one") && !existsSync(join(journal.path, "mute"));
  };
  const supervisor = journal.supervise(
    shellProgram(journal.path, "one", deaf, { isResponsive, stopGraceMs: () => 100 }),
  );
  await supervisor.start();
  const pid = journal.pidOf("one");
  await journal.until(() => asked > 3, "it answers");
  expect(supervisor.program("one").state).toBe("ready");
  writeFileSync(join(journal.path, "mute"), "");
  await journal.until(() => journal.told("one").includes("unresponsive"), "that is noticed");
  rmSync(join(journal.path, "mute"));
  await journal.until(() => journal.births("one") === 2 && supervisor.program("one").state === "ready", "it is back");
  expect(identifyProcess(pid)).toBe(null);
  expect(journal.events.find(({ event }) => event === "backing_off")?.reason).toBe("didn't answer 3 times");
});

test("a program that says so isn't started again, until settings are read again", async () => {
  await using journal = new ShellJournal();
  const script = `[ -e "$HERE/mended" ] || exit ${doNotRestart}; ${serve}`;
  const supervisor = journal.supervise(shellProgram(journal.path, "one", `ready; sleep 0.05; ${script}`));
  await supervisor.start();
  await journal.until(() => journal.program("one")?.state === "failed", "it has failed");
  expect(journal.program("one")?.reason).toBe("exited with code 125: starting it again is of no use");
  expect(journal.births("one")).toBe(1);
  writeFileSync(join(journal.path, "mended"), "");
  supervisor.reread();
  await journal.until(() => journal.births("one") === 2 && supervisor.program("one").state === "ready", "it is back");
});

test("a program's output outside its own log ends up in its log", async () => {
  await using journal = new ShellJournal();
  const supervisor = journal.supervise(shellProgram(journal.path, "one", `echo "last words" >&2; ${serve}`));
  await supervisor.start();
  await supervisor.stop();
  expect(readFileSync(logFile(journal.path, "one"), "utf8")).toContain("last words");
});

test("a supervisor that has gone leaves its programs, and the next takes them up", async () => {
  await using journal = new ShellJournal();
  const program = shellProgram(journal.path, "one", serve);
  const first = journal.supervise(program);
  await first.start();
  const pid = journal.pidOf("one");
  await first.release();
  const second = journal.supervise(program);
  await second.start();
  expect(journal.pidOf("one")).toBe(pid);
  expect(journal.births("one")).toBe(1);
  expect(journal.told("one").slice(-2)).toEqual(["adopted", "ready"]);
  // It is not a child of the second one, which notices its end all the same.
  process.kill(pid, "SIGKILL");
  await journal.until(() => journal.births("one") === 2 && second.program("one").state === "ready", "it is back");
  expect(journal.program("one")?.restarts).toBe(1);
});

test("a living program that would be started in another way now makes way", async () => {
  await using journal = new ShellJournal();
  const first = journal.supervise(shellProgram(journal.path, "one", serve));
  await first.start();
  const pid = journal.pidOf("one");
  await first.release();
  await journal.supervise(shellProgram(journal.path, "one", `: another; ${serve}`)).start();
  expect(identifyProcess(pid)).toBe(null);
  expect(journal.pidOf("one")).not.toBe(pid);
});

test("a living program that is no longer one of ours is stopped", async () => {
  await using journal = new ShellJournal();
  const first = journal.supervise(shellProgram(journal.path, "one", serve), shellProgram(journal.path, "two", serve));
  await first.start();
  const pid = journal.pidOf("two");
  await first.release();
  await journal.supervise(shellProgram(journal.path, "one", serve)).start();
  expect(identifyProcess(pid)).toBe(null);
});

test("processes that a program left when it died unseen are cleared away", async () => {
  await using journal = new ShellJournal();
  const program = shellProgram(journal.path, "one", `${deafChild} >"$HERE/child"; ${serve}`);
  const first = journal.supervise(program);
  await first.start();
  const child = Number(await journal.until(() => journal.text("child"), "its child"));
  const pid = journal.pidOf("one");
  await first.release();
  process.kill(pid, "SIGKILL");
  await journal.until(() => identifyProcess(pid) === null, "it is dead");
  await journal.supervise(program).start();
  expect(identifyProcess(child)).toBe(null);
});

test("a process that only has the pid that was written down is neither taken up nor killed", async () => {
  await using journal = new ShellJournal();
  const program = shellProgram(journal.path, "one", serve);
  const first = journal.supervise(program);
  await first.start();
  await first.stop();
  const stranger = spawn("sleep", ["60"], { stdio: "ignore" });
  const identity = identifyProcess(stranger.pid ?? 0);
  if (!identity) throw new Error("the stranger isn't there");
  const forged = { ...journal.program("one"), state: "ready", identity, nonce: "not-its-mark", makeup: serve };
  const supervisor = { ...identity, pid: 999_999_999 };
  await writeSupervised(journal.path, { supervisor, programs: [forged] } as Parameters<typeof writeSupervised>[1]);
  const second = journal.supervise(program);
  await second.start();
  await second.stop();
  expect(isAlive(identity)).toBe(true);
  expect(journal.births("one")).toBe(2);
  stranger.kill("SIGKILL");
  await once(stranger, "exit");
});

test("a process that was made and not yet written down is found by its mark", async () => {
  await using journal = new ShellJournal();
  const program = shellProgram(journal.path, "one", serve);
  const first = journal.supervise(program);
  await first.start();
  await first.release();
  const written = readSupervised(journal.path);
  if (!written) throw new Error("nothing is written down");
  // As it stood between the note and the start.
  const programs = written.programs.map((known) => ({ ...known, state: "starting" as const, identity: null }));
  await writeSupervised(journal.path, { ...written, programs });
  await journal.supervise(program).start();
  expect(journal.births("one")).toBe(1);
  expect(journal.told("one")).toContain("adopted");
});

test("a program's deaths aren't forgiven because its supervisor has gone", async () => {
  await using journal = new ShellJournal();
  const program = shellProgram(journal.path, "one", `[ -e "$HERE/mended" ] || exit 1; ${serve}`);
  const first = journal.supervise(program);
  void first.start();
  await journal.until(() => (journal.program("one")?.streak ?? 0) >= 2, "it died twice");
  await first.release();
  const before = journal.program("one");
  const second = journal.supervise(program);
  writeFileSync(join(journal.path, "mended"), "");
  await second.start();
  const now = journal.program("one");
  expect(now?.deaths.slice(0, 2)).toEqual(before?.deaths.slice(0, 2));
  expect(now?.streak).toBeGreaterThanOrEqual(2);
  expect(now?.restarts).toBeGreaterThanOrEqual(before?.restarts ?? 0);
});

test("a list in which a program stands before what it needs is refused", async () => {
  await using journal = new ShellJournal();
  const late = shellProgram(journal.path, "one", serve, { needs: ["two"] });
  expect(() => journal.supervise(late, shellProgram(journal.path, "two", serve))).toThrow(
    "one needs two, which must stand before it in the list",
  );
});
