/** The facts that a service manager needs to run `cortex up`. */
import { join } from "node:path";
import { homeFolder } from "../../proc/os/home-folder.ts";
import { packageFile } from "../../proc/programs/package-file.ts";

export type Service = {
  /** Node and the command, absolute paths. */
  command: string[];
  /** The variables that don't stand in the user's own file: no key is ever among them. */
  env: Record<string, string>;
  /** A file of the user with keys, one `NAME=value` a line. It is read if it is there, never written or copied. */
  keysFile: string;
};

/** Variables that decide which journal is served, and how its programs are found. */
const carried = ["CORTEX_TZ", "XDG_DATA_HOME", "CORTEX_MCP_PORT", "CORTEX_WEB_PORT"];

/** The service that would do what `cortex up` does in this environment. */
export function serviceFrom(env: NodeJS.ProcessEnv, journalPath: string): Service {
  const own = carried.flatMap((name) => (env[name] ? [[name, env[name]]] : []));
  return {
    command: [process.execPath, packageFile("bin/cortex.js"), "up"],
    env: { JOURNAL_PATH: journalPath, PATH: env["PATH"] ?? "", ...Object.fromEntries(own) },
    keysFile: join(configHome(env), "cortex", "environment"),
  };
}

export const configHome = (env: NodeJS.ProcessEnv) =>
  env["XDG_CONFIG_HOME"] || join(homeFolder(env, "the service's file"), ".config");
