/**
 * The wall as a profile for macOS's `sandbox-exec`. Pure but for the look at what is there. Written by what Apple's own profiles
 * and other sandboxes have; it was never run, so nothing uses it, and `sandbox-level.ts` calls no machine walled by it.
 */
import { type Layer, layersOf, type Walls } from "./walls.ts";

/** The services that programs ask before they do anything: names and users, the time, the log. */
const services = [
  "com.apple.system.opendirectoryd.libinfo",
  "com.apple.system.opendirectoryd.membership",
  "com.apple.system.notification_center",
  "com.apple.system.logger",
  "com.apple.logd",
  "com.apple.trustd.agent",
];

/** Devices that hold nothing. */
const devices = ["/dev/null", "/dev/zero", "/dev/tty", "/dev/dtracehelper"];

/**
 * The profile. A later rule wins over an earlier one.
 * @param proxyPort where our proxy listens on this machine; null: there is no network. Unlike a namespace of Linux, a profile
 * can't give a program ports of its own
 * @throws Error for a path that a profile can't name
 */
export function seatbeltProfile(walls: Walls, proxyPort: number | null): string {
  const { scratch } = walls;
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-exec process-fork)",
    "(allow signal process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow ipc-posix-sem)",
    `(allow mach-lookup ${services.map((name) => `(global-name ${quoted(name)})`).join(" ")})`,
    "(allow file-read*)",
    `(allow file-write-data file-ioctl ${devices.map((path) => `(literal ${quoted(path)})`).join(" ")})`,
    ...[...layersOf(walls), { path: scratch, kind: "write" } as const].flatMap(rulesOf),
    // Last: no folder that may be written gives it back. Hard links (file-link) are allowed nowhere.
    "(deny file-write-setugid)",
    ...(proxyPort === null ? [] : [`(allow network-outbound (remote tcp "localhost:${proxyPort}"))`]),
    "",
  ].join("\n");
}

function rulesOf({ path, kind }: Layer): string[] {
  const below = `(subpath ${quoted(path)})`;
  const itself = `(literal ${quoted(path)})`;
  switch (kind) {
    case "hide":
      // Whoever may read something below it has to pass.
      return [`(deny file-read* file-write* ${below})`, `(allow file-read-metadata ${itself})`];
    case "show":
      return [`(allow file-read* ${below})`, `(deny file-write* ${below})`];
    case "write":
      return [`(allow file-read* file-write* ${below})`];
    case "pin":
      return [`(deny file-write-unlink ${itself})`];
  }
}

function quoted(path: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what it looks for
  if (/[\u0000-\u001f\u007f]/.test(path)) throw new Error(`a profile can't name ${JSON.stringify(path)}`);
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
