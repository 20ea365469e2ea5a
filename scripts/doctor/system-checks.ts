/** What the machine gives: Node, nats-server, ways to hold a run's processes together. */
import { execa } from "execa";
import { findNatsServer } from "../../proc/find-program.ts";
import { findIsolation } from "../../proc/isolation.ts";
import { installCommand } from "../ensure-nats.ts";
import type { Finding } from "./check.ts";

const neededNode = 24;

/** From 2.9 on JetStream has all that the bus needs; Debian 12 has 2.9.10. */
const neededNats = [2, 9] as const;

export function checkNode(): Finding {
  const name = "node";
  const isNew = Number.parseInt(process.versions.node, 10) >= neededNode;
  if (isNew) return { name, ok: "ok", detail: `${process.version} at ${process.execPath}` };
  return {
    name,
    ok: "fail",
    detail: `${process.version}: cortex needs ${neededNode} or newer`,
    remedy: "npm install node@24",
  };
}

export async function checkNatsServer(): Promise<Finding> {
  const name = "nats-server";
  const path = findNatsServer();
  if (path === null) return { name, ok: "fail", detail: "not found", remedy: installCommand() };
  const { stdout, failed, shortMessage } = await execa(path, ["--version"], { reject: false, timeout: 5000 });
  const version = /v(\d+)\.(\d+)\.\S+/.exec(stdout ?? "");
  if (failed || !version)
    return {
      name,
      ok: "fail",
      detail: `${path} doesn't tell its version: ${shortMessage ?? stdout}`,
      remedy: installCommand(),
    };
  const [major, minor] = [Number(version[1]), Number(version[2])];
  if (major < neededNats[0] || (major === neededNats[0] && minor < neededNats[1]))
    return {
      name,
      ok: "fail",
      detail: `${version[0]} at ${path}: cortex needs ${neededNats.join(".")} or newer`,
      remedy: installCommand(),
    };
  return { name, ok: "ok", detail: `${version[0]} at ${path}` };
}

/** Who holds a run to its limits of memory, processes, files and CPU time. */
export async function checkLimits(): Promise<Finding> {
  const name = "limits";
  if (process.platform !== "linux")
    return {
      name,
      ok: "warn",
      detail: "files, CPU time: kernel; memory, processes: nobody (this system has no /proc)",
    };
  const { countsTasks } = await findIsolation().catch(() => ({ countsTasks: false }));
  const processes = countsTasks ? "processes: kernel" : "processes: cortex, twice a second";
  return { name, ok: "ok", detail: `files, CPU time: kernel; ${processes}; memory: cortex, twice a second` };
}

export async function checkIsolation(): Promise<Finding> {
  const name = "isolation";
  try {
    const { level } = await findIsolation();
    if (level === "pidns") return { name, ok: "ok", detail: "pidns: whatever a run starts ends with it" };
    return {
      name,
      ok: "warn",
      detail: "group: a process that leaves its run's group may outlive the run (this system gives no PID namespaces)",
    };
  } catch (error) {
    return { name, ok: "fail", detail: error instanceof Error ? error.message : String(error) };
  }
}
