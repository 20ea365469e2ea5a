/** Which sources of tools there should be: the servers of the settings, and the apps. How each is reached. */
import { resolve } from "node:path";
import { isFolder } from "../../files/folder-entries.ts";
import type { App } from "../../journal/programs/apps.ts";
import { forgetExternalProcess, noteExternalProcess } from "../../journal/programs/external-processes.ts";
import { findProgram } from "../../proc/os/find-program.ts";
import type { ProcessIdentity } from "../../proc/processes/identity.ts";
import { ownCommand } from "../../proc/programs/own-command.ts";
import { packageFile } from "../../proc/programs/package-file.ts";
import { plainEnvironment } from "../../proc/programs/plain-environment.ts";
import type { AppSettings, McpServer, Settings } from "../../protocol/settings/settings.ts";
import { httpTransport } from "../transport/http-transport.ts";
import { type ServerProgram, ProgramTransport } from "../transport/program-transport.ts";
import type { ServerSpec } from "./external-sources.ts";
import { walledServer } from "../transport/walled-server.ts";

/** An app that isn't loaded by then hangs, in ms. */
const appStartMs = 15_000;

/** The settings that they depend on. */
export type ServerSettings = Pick<Settings, "apps" | "mcp_servers" | "network">;

/** The servers, and the apps; a server wins over an app of its name. `own`: the environment of mcp-tools. */
export function serverSpecs(
  journal: string,
  own: NodeJS.ProcessEnv,
  { mcp_servers: servers = {}, apps: settingsOfApps = {}, network = [] }: ServerSettings,
  apps: readonly App[],
): ServerSpec[] {
  const hidden = new Set(apps.map(({ name }) => name).filter((name) => Object.hasOwn(servers, name)));
  return [
    ...Object.entries(servers).map(([name, declared]) => ({
      ...serverSpec(journal, own, name, { network, ...declared }),
      problems: hidden.has(name) ? [`the app "${name}" can't be used: rename one of the two`] : [],
    })),
    ...apps
      .filter(({ name }) => !hidden.has(name))
      .map((app) =>
        appSpec(journal, own, app, {
          network,
          ...(Object.hasOwn(settingsOfApps, app.name) && settingsOfApps[app.name]),
        }),
      ),
  ];
}

function serverSpec(
  journal: string,
  own: NodeJS.ProcessEnv,
  name: string,
  declared: McpServer,
): Omit<ServerSpec, "problems"> {
  const { url, headers = {}, env = {}, protocol, timeout_seconds } = declared;
  return {
    name,
    kind: "server",
    version: JSON.stringify(declared),
    // A value such as "1" is no secret, and stands everywhere.
    secrets: [...Object.values(headers), ...Object.values(env)]
      .flatMap((value) => [value, ...value.split(" ")])
      .filter((value) => value.length >= 6),
    isProgram: url === undefined,
    protocol,
    ...(timeout_seconds !== undefined && { times: { call: timeout_seconds * 1_000 } }),
    open: async () => {
      if (url !== undefined) return httpTransport(url, headers);
      const { cwd } = declared;
      const wish = {
        ...declared,
        key: `server-${name}`,
        declared: env,
        reads: [],
        writes: cwd && resolve(journal, cwd),
      };
      return new ProgramTransport(await walledServer(journal, programOf(journal, own, name, declared), wish));
    },
  };
}

/** An app is a server that we write ourselves around its modules: it has a process of its own, where it hurts nobody else. */
function appSpec(journal: string, own: NodeJS.ProcessEnv, app: App, settings: AppSettings): ServerSpec {
  const { name, folder, files, version, problems } = app;
  const program: ServerProgram = {
    command: ownCommand("mcp-tools/apps/app-host", journal, ...files),
    env: plainEnvironment(own),
    cwd: folder,
    onIdentity: noted(journal, `app-${name}`),
  };
  const wish = { ...settings, key: `app-${name}`, reads: [packageFile(".")] };
  return {
    name,
    kind: "app",
    version: `${version}\n${JSON.stringify(settings)}`,
    problems,
    isProgram: true,
    times: { connect: appStartMs },
    open: async () => new ProgramTransport(await walledServer(journal, program, wish)),
  };
}

function programOf(journal: string, own: NodeJS.ProcessEnv, name: string, { command = [], env, cwd = "" }: McpServer) {
  const [program = "", ...args] = command;
  const path = program.includes("/") ? resolve(journal, program) : findProgram(program);
  const folder = resolve(journal, cwd);
  if (path === null || findProgram(path) === null)
    throw new Error(`its program "${program}" is neither an executable file nor on the PATH`);
  // Started there, the system would say that the program is missing.
  if (!isFolder(folder)) throw new Error(`its cwd "${folder}" is not a folder`);
  return {
    command: [path, ...args],
    env: { ...plainEnvironment(own), ...env },
    cwd: folder,
    onIdentity: noted(journal, `server-${name}`),
  };
}

/** Notes a process, so that what a killed mcp-tools leaves behind is found again. */
function noted(journal: string, key: string) {
  return (identity: ProcessIdentity | null) =>
    identity ? noteExternalProcess(journal, key, identity) : forgetExternalProcess(journal, key);
}
