/** The pages point at what is there, and the diagrams show what the tables do. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { nextClaim, type ClaimStep } from "../../cortex/claims/claim-table.ts";
import type { Claim } from "../../bus/claims/claims.ts";
import { nextRun } from "../../cortex/model/run-state-machine.ts";
import type { MachineInput, Run } from "../../cortex/model/run-state.ts";
import { doNotRestart } from "../../protocol/runs/exit-codes.ts";
import {
  newLife,
  type ProgramInput,
  type ProgramLife,
  type UntimedInput,
} from "../../supervisor/supervision/program-life.ts";
import { nextLife } from "../../supervisor/supervision/program-state-machine.ts";
import { isImpossible, nextTaskState, type TaskInput } from "../../agents/tasks/task-state-machine.ts";
import { TaskState } from "../../protocol/agents/agent-files.ts";
import { arrowsFrom, arrowsOf } from "./arrows.ts";
import { blocksOf, pages, root } from "./pages.ts";

test.each(pages)("each link of %s leads to a file or a folder that is there", (page) => {
  const prose = readFileSync(join(root, page), "utf8").replaceAll(/^```.*?^```$/gms, "");
  const links = [...prose.matchAll(/\]\(([^)#\s]+)(#[^)\s]*)?\)/g)].map(([, path = ""]) => path);
  const own = links.filter((path) => !/^[a-z]+:/.test(path));
  expect(own.filter((path) => !existsSync(join(root, dirname(page), path)))).toEqual([]);
});

test.each(pages)("each heading that %s links to is there", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const links = [...text.matchAll(/\]\(([^)#\s]+\.md)#([^)\s]+)\)/g)];
  const missing = links.filter(([, path = "", id]) => {
    const target = readFileSync(join(root, dirname(page), path), "utf8");
    const ids = [...target.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => slugOf(heading));
    return !ids.includes(id ?? "");
  });
  expect(missing.map(([link]) => link)).toEqual([]);
});

const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");

test("the diagram of a claim has the arrows of its table, and no others", () => {
  const states = ["queued", "claimed", "started", "ended"] as const;
  const own = { worker: "one", epoch: 1 };
  const wants: ClaimStep[] = [
    ...(["alive", "gone", "lost"] as const).flatMap((owner): ClaimStep[] => [
      { type: "take", worker: "one", owner },
      { type: "take", worker: "two", owner },
    ]),
    { type: "begin", ...own, attempt: 1 },
    { type: "release", ...own },
    { type: "confirm", ...own },
    { type: "end", ...own },
  ];
  const claimOf = (state: Claim["state"]): Claim => ({
    state,
    worker: "one",
    epoch: 1,
    attempt: 1,
    confirmed: 0,
    stream_seq: 1,
    priority: 50,
    labels: [],
  });
  const arrows = states.flatMap((state) =>
    wants.flatMap((want) => {
      const next = nextClaim(claimOf(state), want);
      return next === null ? [] : [`${state}>${next.state}`];
    }),
  );
  expect(arrowsOf("The life of a claim")).toEqual([...new Set(arrows)].toSorted());
});

test("the diagram of a run has the arrows of its table, and no others", () => {
  const exited = (code: number | null, stop: string | null = null) =>
    ({ type: "gone", exit: { code, stop }, trace: "" }) as const;
  const adopted = { type: "adopted", worker: "w", isAlive: true, hasEnded: false, stop: null } as const;
  const inputs: MachineInput[] = [
    { type: "started" },
    { type: "startFailed", error: "no", reason: "config" },
    adopted,
    { ...adopted, hasEnded: true },
    { ...adopted, stop: { reason: "cancelled", error: "cancelled" } },
    { type: "finishOnly", isHandedOn: true },
    { type: "event", event: { event: "start" } },
    { type: "event", event: { event: "finish", result: "" } },
    { type: "stop", reason: "cancelled", error: "cancelled" },
    { type: "stop", reason: "budget", error: "too much", atOnce: true },
    { type: "stop", reason: "shutdown", error: "shutdown" },
    { type: "input", text: "hi", from: "client" },
    { type: "stepTimer" },
    exited(0),
    exited(null),
    exited(143, "orphaned"),
    { type: "settled" },
    { type: "fenced" },
    { type: "resume" },
  ];
  const first: Run = {
    state: "starting",
    hasStart: false,
    stop: null,
    step: "none",
    attempt: 1,
    lost: 0,
    maxAttempts: 2,
  };
  const arrows = arrowsFrom(
    [first],
    (run) =>
      inputs.map((input) => {
        const { run: after, effects } = nextRun(run, input);
        return { next: after, isArrow: effects.some((effect) => effect.do === "startAgain") };
      }),
    ({ state, hasStart, stop, step, lost }) => [state, hasStart, stop?.reason, step, lost],
  );
  expect(arrowsOf("The life of a run")).toEqual(arrows);
});

test("the diagram of a supervised program has the arrows of its table, and no others", () => {
  const inputs: UntimedInput[] = [
    { type: "want" },
    { type: "unwant", kill: false },
    { type: "unwant", kill: true },
    { type: "force" },
    { type: "needs", met: true },
    { type: "needs", met: false },
    { type: "found", unusable: null, startedAt: 0 },
    { type: "found", unusable: "other", startedAt: 0 },
    { type: "spawned" },
    { type: "spawnFailed", error: "ENOENT" },
    { type: "probed", answered: true },
    { type: "probed", answered: false },
    { type: "exited", end: { code: 1, signal: null } },
    { type: "exited", end: { code: doNotRestart, signal: null } },
    { type: "gone" },
    { type: "timer" },
    { type: "renew", reason: "other" },
    { type: "retry" },
  ];
  const memory = { deaths: [], streak: 1, restarts: 1, reason: "died" };
  const first: ProgramLife[] = [
    newLife(0),
    newLife(0, { ...memory, hasFailed: false, notBefore: 1e9 }),
    newLife(0, { ...memory, hasFailed: true, notBefore: 1e9 }),
  ];
  const arrows = arrowsFrom(
    first,
    (life, depth) =>
      inputs.map((input) => ({
        next: nextLife(life, { ...input, at: depth * 700 } as ProgramInput).life,
        isArrow: false,
      })),
    ({ state, wanted, needsMet, cause, step, misses, hasFailed, hasRefused, notBefore }) => [
      state,
      wanted,
      needsMet,
      cause,
      step,
      misses,
      hasFailed,
      hasRefused,
      notBefore > 0,
    ],
  );
  expect(arrowsOf("The life of a supervised program")).toEqual(arrows);
});

test("the diagram of a task has the arrows of its table, and no others", () => {
  const inputs: TaskInput[] = [
    "resumed",
    "turnBegan",
    "asksParent",
    "asksUser",
    "awaitsTasks",
    "hasMore",
    "finished",
    "failed",
    "unwanted",
  ];
  const arrows = TaskState.options.flatMap((state) =>
    inputs
      .filter((input) => !isImpossible(state, input))
      .map((input) => nextTaskState(state, input))
      .flatMap((next) => (next === state ? [] : [`${state}>${next}`])),
  );
  expect(arrowsOf("The life of a task", "agents/README.md")).toEqual([...new Set(arrows)].toSorted());
});

test("a task that ends a turn, without having been running by its record, ends as a running one does", () => {
  for (const state of TaskState.options) expect(nextTaskState(state, "finished"), state).toBe("completed");
});

test("the page has a diagram of the data, and of each life", () => {
  const diagrams = blocksOf("docs/architecture.md").filter(({ language }) => language === "mermaid");
  expect(diagrams.map(({ text }) => text.split("\n")[0]?.trim())).toEqual([
    "flowchart LR",
    "stateDiagram-v2",
    "stateDiagram-v2",
    "stateDiagram-v2",
    "stateDiagram-v2",
  ]);
});
