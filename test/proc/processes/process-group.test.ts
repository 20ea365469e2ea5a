import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { leadsGroup, membersOf, signalGroup } from "../../../proc/processes/process-group.ts";
import { until } from "../runs/shim-runs.ts";

test("a group is its leader and what the leader started, also when the leader has gone; zombies don't count", async () => {
  const leader = spawn("/bin/sh", ["-c", "sleep 60 & echo $!; read -r line"], {
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const group = leader.pid ?? 0;
  const child = Number(String((await once(leader.stdout, "data"))[0]));
  expect(new Set(membersOf(group))).toEqual(new Set([group, child]));
  expect(leadsGroup(group)).toBe(true);
  expect(leadsGroup(child)).toBe(false);
  leader.stdin.end();
  await once(leader, "exit");
  expect(membersOf(group)).toEqual([child]);
  signalGroup(group, "SIGKILL");
  await until(() => membersOf(group).length === 0, "the group is empty");
  signalGroup(group, "SIGKILL"); // nobody is left to hear it
});
