import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { findIsolation } from "../../../proc/runs/isolation.ts";

test("the namespace that is promised is one: what starts in it is its first process", async () => {
  const { level, namespace, newSession } = await findIsolation();
  const [program, ...args] = [...namespace, "/bin/sh", "-c", "echo $$"];
  const pid = execFileSync(program, args, { encoding: "utf8" }).trim();
  expect(pid === "1").toBe(level === "pidns");
  expect(namespace.length > 0).toBe(level === "pidns");
  expect(newSession.length).toBeGreaterThan(0);
});

test("a process started in a new session leads it", async () => {
  const { newSession } = await findIsolation();
  const script = `${newSession.map((word) => `'${word}'`).join(" ")} sh -c 'cat /proc/self/stat' &\nwait`;
  const stat = execFileSync("/bin/sh", ["-c", script], { encoding: "utf8" });
  const [, , group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  expect(group).toBe(session);
  expect(Number(session)).not.toBe(process.pid);
});
