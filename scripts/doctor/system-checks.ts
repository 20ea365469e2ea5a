/** The checks of the machine: Node, nats-server, ways to hold a run's processes together. */
import { messageOf } from "../../files/errors/error-message.ts";
import { isSupported, oldestText, parseVersion, versionText } from "../../bus/connection/features.ts";
import { findNatsServer } from "../../proc/os/find-program.ts";
import { findIsolation } from "../../proc/runs/isolation.ts";
import { versionOf } from "../../proc/os/program-version.ts";
import { installCommand } from "../start/ensure-nats.ts";
import type { Finding } from "./check.ts";

const neededNode = 24;

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
  const remedy = installCommand();
  if (path === null) return { name, ok: "fail", detail: "not found", remedy };
  const version = parseVersion((await versionOf(path)) ?? "");
  if (version === null) return { name, ok: "fail", detail: `${path} doesn't report its version`, remedy };
  const detail = `v${versionText(version)} at ${path}`;
  if (isSupported(version)) return { name, ok: "ok", detail: `${detail}, supported` };
  return { name, ok: "fail", detail: `${detail}: cortex needs ${oldestText} or newer`, remedy };
}

/** Checks who holds a run to its limits of memory, processes, files and CPU time. */
export async function checkLimits(): Promise<Finding> {
  const name = "limits";
  if (process.platform !== "linux")
    return {
      name,
      ok: "warn",
      detail: "files, CPU time: kernel; memory, processes: unlimited (this system has no /proc)",
    };
  const { countsTasks } = await findIsolation().catch(() => ({ countsTasks: false }));
  const processes = countsTasks ? "processes: kernel" : "processes: cortex, twice a second";
  return { name, ok: "ok", detail: `files, CPU time: kernel; ${processes}; memory: cortex, twice a second` };
}

export async function checkIsolation(): Promise<Finding> {
  const name = "isolation";
  try {
    const { level } = await findIsolation();
    if (level === "pidns") return { name, ok: "ok", detail: "pidns: all processes of a run end with it" };
    return {
      name,
      ok: "warn",
      detail: "group: a process that leaves its run's group may outlive the run (this system offers no PID namespaces)",
    };
  } catch (error) {
    return { name, ok: "fail", detail: messageOf(error) };
  }
}
