import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { JournalLock } from "../../../journal/access/lock.ts";
import { temporaryJournal } from "../temporary-journal.ts";

const module = fileURLToPath(new URL("../../../journal/access/lock.ts", import.meta.url));

test("the lock of a journal has one holder, until it lets go", () => {
  using journal = temporaryJournal();
  using other = temporaryJournal();
  const lock = JournalLock.acquire(journal.path);
  expect(lock).not.toBe(null);
  expect(JournalLock.acquire(journal.path)).toBe(null);
  using elsewhere = JournalLock.acquire(other.path);
  expect(elsewhere).not.toBe(null);
  lock?.[Symbol.dispose]();
  using again = JournalLock.acquire(journal.path);
  expect(again).not.toBe(null);
});

test("the lock of a process that is killed with -9 is free", async () => {
  using journal = temporaryJournal();
  const script = `
    import { JournalLock } from ${JSON.stringify(module)};
    globalThis.lock = JournalLock.acquire(${JSON.stringify(journal.path)});
    console.log(globalThis.lock !== null);
    setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  expect(String((await once(holder.stdout, "data"))[0]).trim()).toBe("true");
  expect(JournalLock.acquire(journal.path)).toBe(null);
  holder.kill("SIGKILL");
  await once(holder, "exit");
  using lock = JournalLock.acquire(journal.path);
  expect(lock).not.toBe(null);
});
