import { expect, test } from "vitest";
import { identifyProcess } from "../../../proc/processes/identity.ts";
import type { Line } from "../../../files/lines/line-splitter.ts";
import { killOrphanedProcess, StdioProcess } from "../../../proc/programs/stdio-process.ts";
import { until } from "../runs/shim-runs.ts";

const env = { PATH: process.env["PATH"] ?? "" };

/** A shell that runs this, and the lines that it says. */
async function sh(script: string) {
  const lines: string[] = [];
  let said = Promise.withResolvers<void>();
  const onLine = ({ text }: Line) => {
    lines.push(text);
    said.resolve();
    said = Promise.withResolvers();
  };
  const program = await StdioProcess.start({ command: ["/bin/sh", "-c", script], env, cwd: "/", onLine });
  const line = async (number: number) => {
    while (lines.length <= number) await said.promise;
    return lines[number] ?? "";
  };
  return { program, line };
}

const lives = (pid: string) => identifyProcess(Number(pid)) !== null;

test("a program is heard and answered in lines, and leaves when its stdin ends", async () => {
  const { program, line } = await sh('while read -r said; do echo "you said $said"; done');
  await program.write("hello");
  await program.write("twice");
  expect([await line(0), await line(1)]).toEqual(["you said hello", "you said twice"]);
  await program.stop(20_000);
  expect(await program.ended).toBe("it exited with code 0");
});

test("a program's end is reported with the last of its stderr", async () => {
  const { program } = await sh("echo out of paper >&2; exit 7");
  expect(await program.ended).toBe("it exited with code 7: out of paper");
  await expect(program.write("too late")).rejects.toThrow();
});

test("a program that hears nothing is killed with all that it has started", async () => {
  const { program, line } = await sh("trap '' TERM; sleep 600 & echo $!; echo $$; while :; do sleep 600; done");
  const [child, own] = [await line(0), await line(1)];
  await program.stop(50);
  expect(await program.ended).toContain("SIGKILL");
  expect(lives(own)).toBe(false);
  await until(() => !lives(child), "its child is gone"); // it was killed as well, and dies when its turn comes
});

test("processes left in a program's group end with it", async () => {
  const { program, line } = await sh("sleep 600 & echo $!");
  const child = await line(0);
  expect(await program.ended).toBe("it exited with code 0");
  await until(() => !lives(child), "its child is gone");
});

test("a program that isn't there is an error", async () => {
  await expect(StdioProcess.start({ command: ["/nonsuch"], env, cwd: "/", onLine: () => {} })).rejects.toThrow(
    "ENOENT",
  );
});

test("a program that an earlier process of ours left is known by its identity, and another of its pid isn't touched", async () => {
  const { program } = await sh("exec sleep 600");
  const identity = program.identity;
  if (!identity) throw new Error("it has no identity");
  expect(killOrphanedProcess({ ...identity, start: "1" })).toBe(false);
  expect(lives(String(identity.pid))).toBe(true);
  expect(killOrphanedProcess(identity)).toBe(true);
  expect(await program.ended).toContain("SIGKILL");
});
