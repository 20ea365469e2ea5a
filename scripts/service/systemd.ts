/** The user's systemd: where its units stand, and what it is told. */
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { type Manager, outputOf } from "./manager.ts";
import { configHome, type Service } from "./service-file.ts";
import { systemdUnit, unitName } from "./systemd-unit.ts";

const systemctl = (...args: string[]) => ["systemctl", "--user", ...args];

export function systemdOf(env: NodeJS.ProcessEnv, service: Service): Manager {
  const folder = join(configHome(env), "systemd", "user");
  return {
    name: "systemd",
    file: join(folder, unitName),
    text: systemdUnit(service),
    isEnabledByFiles: () => existsSync(join(folder, "default.target.wants", unitName)),
    ask,
    takeUp: {
      load: [systemctl("daemon-reload"), systemctl("enable", unitName)],
      start: systemctl("start", unitName),
      restart: systemctl("restart", unitName),
    },
    takeDown: { stop: [systemctl("disable", "--now", unitName)], forget: [systemctl("daemon-reload")] },
    remedy:
      "log in as this user on the machine itself or by ssh (XDG_RUNTIME_DIR must be set); in a container, use compose.yaml",
    advice: async () =>
      (await lingers()) ? [] : ["loginctl enable-linger   # it then also runs while you aren't logged in"],
  };
}

async function ask() {
  const text = await outputOf(systemctl("show", unitName, "--property=UnitFileState,ActiveState,SubState,MainPID"));
  const answer = new Map(text.split("\n").map((line) => [line.split("=", 1)[0], line.slice(line.indexOf("=") + 1)]));
  const active = answer.get("ActiveState") ?? "unknown";
  const pid = Number(answer.get("MainPID"));
  return {
    isEnabled: answer.get("UnitFileState") === "enabled",
    isActive: ["active", "activating", "reloading"].includes(active),
    state: `${active} (${answer.get("SubState") ?? "unknown"})`,
    pid: pid > 0 ? pid : null,
  };
}

async function lingers(): Promise<boolean> {
  try {
    return (
      (await outputOf(["loginctl", "show-user", userInfo().username, "--property=Linger", "--value"])).trim() === "yes"
    );
  } catch {
    return false;
  }
}
