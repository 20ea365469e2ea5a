import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate as breath } from "node:timers/promises";
import { onTestFinished, expect, test, vi } from "vitest";
import { pruneDaily } from "../../cortex/pruning.ts";
import { endedFile } from "../../journal/runs/run-files.ts";
import { logOf } from "../../proc/logging/log.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { temporaryJournal } from "../journal/temporary-journal.ts";

const dayMs = 86_400_000;
const id = String(Date.now() - 40 * dayMs);

test("a minute after the start, and then each day, what the settings say by then is done, until cortex stops", async () => {
  using journal = temporaryJournal();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const path = endedFile(journal.path, id);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `{"event":"finish","ts":${id},"agent_id":"${id}","seq":1,"result":""}\n`);
  utimesSync(path, Number(id) / 1000, Number(id) / 1000);
  const said: string[] = [];
  const pruned = async () => {
    while (!said.some((line) => line.includes("old runs were pruned"))) await breath();
    return said.splice(0);
  };
  const log = logOf("test", { write: (line: string) => void said.push(line) }, true);
  const settings = vi.fn((): Settings => ({ retention: { delete_after_days: 50 } }));
  const stopping = new AbortController();
  pruneDaily(journal.path, settings, log, stopping.signal);

  vi.advanceTimersByTime(59_999);
  expect(settings).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(settings).toHaveBeenCalledOnce();
  expect(await pruned()).toEqual([expect.stringContaining('"deleted":0')]);
  settings.mockReturnValue({});
  vi.advanceTimersByTime(dayMs - 1);
  expect(settings).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(1);
  expect(settings).toHaveBeenCalledTimes(2);
  settings.mockReturnValue({ retention: { delete_after_days: 30 } });
  vi.advanceTimersByTime(dayMs);
  expect(await pruned()).toEqual([expect.stringContaining('"deleted":1')]);
  expect(existsSync(path)).toBe(false);
  stopping.abort();
  // Its own timer, not how many there are: the process is other tests' as well.
  vi.advanceTimersByTime(2 * dayMs);
  expect(settings).toHaveBeenCalledTimes(3);
});
