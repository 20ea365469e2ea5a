/** The process that listens on a port of the loopback interface: for a message that names it. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export type PortOwner = { pid: number; command: string };

/** The state of a listening socket in `/proc/net/tcp`. */
const listening = "0A";

/** The process that listens on a port, or null when the system doesn't tell: another user's process, or no lsof. */
export function ownerOfPort(port: number): PortOwner | null {
  return process.platform === "linux" ? ownerInProc(port) : ownerByLsof(port);
}

function ownerInProc(port: number): PortOwner | null {
  const inodes = new Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => socketsOn(port, textOf(table))));
  if (inodes.size === 0) return null;
  for (const pid of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    if (!descriptorsOf(pid).some((target) => inodes.has(target))) continue;
    return { pid: Number(pid), command: textOf(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim().slice(0, 200) };
  }
  return null;
}

/** The sockets that listen on a port, as links of descriptors name them. */
function socketsOn(port: number, table: string): string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  return table.split("\n").flatMap((line) => {
    const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
    return state === listening && local.endsWith(`:${wanted}`) ? [`socket:[${inode}]`] : [];
  });
}

function descriptorsOf(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`);
      } catch {
        return ""; // closed meanwhile
      }
    });
  } catch {
    return []; // gone, or another user's
  }
}

function ownerByLsof(port: number): PortOwner | null {
  try {
    const options = ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-Fpc"];
    const told = execFileSync("lsof", options, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    const pid = /^p(\d+)$/m.exec(told)?.[1];
    return pid === undefined ? null : { pid: Number(pid), command: /^c(.*)$/m.exec(told)?.[1] ?? "" };
  } catch {
    return null;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
