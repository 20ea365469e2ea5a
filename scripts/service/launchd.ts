/** The user's launchd, on macOS: where its agents stand, and what it is told. */
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { homeFolder } from "../../proc/os/home-folder.ts";
import { agentLabel, launchdPlist } from "./launchd-plist.ts";
import { type Manager, outputOf } from "./manager.ts";
import type { Service } from "./service-file.ts";

export function launchdOf(env: NodeJS.ProcessEnv, service: Service): Manager {
  const file = join(homeFolder(env, "the service's file"), "Library", "LaunchAgents", `${agentLabel}.plist`);
  const domain = `gui/${userInfo().uid}`;
  const target = `${domain}/${agentLabel}`;
  return {
    name: "launchd",
    file,
    text: launchdPlist(service),
    // What stands in that folder is started at login, unless somebody disabled it.
    isEnabledByFiles: () => existsSync(file),
    ask: () => ask(domain, target),
    takeUp: {
      load: [["launchctl", "enable", target]],
      start: ["launchctl", "bootstrap", domain, file],
      restart: ["/bin/sh", "-c", `launchctl bootout ${target}; launchctl bootstrap ${domain} '${file}'`],
    },
    takeDown: { stop: [["launchctl", "bootout", target]], forget: [] },
    remedy: "log in on the machine itself: launchd starts agents in a session with a desktop",
    advice: () => Promise.resolve([]),
  };
}

async function ask(domain: string, target: string) {
  await outputOf(["launchctl", "print", domain]);
  // An agent that isn't loaded is unknown to it.
  const text = await outputOf(["launchctl", "print", target]).catch(() => "");
  const pid = Number(/^[ \t]*pid = (\d+)$/m.exec(text)?.[1] ?? 0);
  const state = /^[ \t]*state = (.+)$/m.exec(text)?.[1] ?? "not loaded";
  return { isEnabled: text !== "", isActive: pid > 0, state, pid: pid > 0 ? pid : null };
}
