/** Programs that only the settings ask for: they come and go when settings are read again. */
import { expect, test } from "vitest";
import { identifyProcess } from "../../proc/processes/identity.ts";
import { doNotRestart } from "../../protocol/runs/exit-codes.ts";
import { serve, ShellJournal, shellProgram } from "./shell-program.ts";

test("a program that settings no longer ask for is stopped and gone, and comes when they ask for it again", async () => {
  await using journal = new ShellJournal();
  let isWanted = true;
  const supervisor = journal.supervise(
    shellProgram(journal.path, "one", serve),
    shellProgram(journal.path, "two", serve, { needs: ["one"], isWanted: () => isWanted, isAside: true }),
  );
  await supervisor.start();
  await journal.until(() => supervisor.program("two").state === "ready", "both are ready");
  const pid = journal.pidOf("two");
  isWanted = false;
  supervisor.reread();
  await journal.until(() => journal.program("two") === undefined, "it is gone");
  expect(identifyProcess(pid)).toBe(null);
  expect(journal.told("two").slice(-3)).toEqual(["stopping", "exited", "stopped"]);
  isWanted = true;
  supervisor.reread();
  await journal.until(() => journal.program("two")?.state === "ready", "it is back");
  expect(journal.births("one")).toBe(1);
});

test("a program that nobody has asked for at the start isn't started, and isn't waited for", async () => {
  await using journal = new ShellJournal();
  const supervisor = journal.supervise(
    shellProgram(journal.path, "one", serve),
    shellProgram(journal.path, "two", serve, { isWanted: () => false }),
  );
  expect(await supervisor.start()).toBe(true);
  expect(journal.program("two")).toBeUndefined();
  expect(journal.births("two")).toBe(0);
});

test("a program that refuses to start once the settings are without it doesn't stay as one that has failed", async () => {
  await using journal = new ShellJournal();
  let isWanted = true;
  const script = `[ ! -e "$HERE/two.births" ] || [ "$(wc -l <"$HERE/two.births")" -lt 2 ] || exit ${doNotRestart}; ${serve}`;
  const supervisor = journal.supervise(
    shellProgram(journal.path, "two", script, { isWanted: () => isWanted, isAside: true }),
  );
  await supervisor.start();
  await journal.until(() => supervisor.program("two").state === "ready", "it is ready");
  isWanted = false;
  // It ends before the settings are read again, and is started once more.
  process.kill(journal.pidOf("two"), "SIGKILL");
  await journal.until(() => journal.births("two") === 2 && journal.program("two") === undefined, "it is gone");
});

test("settings that are read again while all is stopped start nothing", async () => {
  await using journal = new ShellJournal();
  const supervisor = journal.supervise(shellProgram(journal.path, "one", serve, { isWanted: () => true }));
  await supervisor.start();
  const stopped = supervisor.stop();
  supervisor.reread();
  await stopped;
  expect(journal.births("one")).toBe(1);
  expect(supervisor.program("one").state).toBe("down");
});
