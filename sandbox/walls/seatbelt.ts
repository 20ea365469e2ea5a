/**
 * The command line around a command on macOS: `sandbox-exec` with a profile of `@anthropic-ai/sandbox-runtime`. It goes by
 * paths: what is hidden stays so, whatever is put there. It gives a command no process ids and no `/tmp` of its own.
 */
import { layersOf, type Walls } from "./walls.ts";

/** The sandbox of macOS. */
export type Seatbelt = { kind: "seatbelt"; shell: string };

export type SeatbeltOrder = {
  command: readonly string[];
  /** The port of this machine that it reaches; null: none. */
  proxyPort: number | null;
  /** The variables that it finds inside, whatever the library would set. */
  env: Record<string, string>;
};

/** The command behind a wall, and the environment to start it with: an argument could be read by everybody. */
export async function inSeatbelt(
  { shell }: Seatbelt,
  walls: Walls,
  { command, proxyPort, env }: SeatbeltOrder,
): Promise<{ command: string[]; env: Record<string, string> }> {
  // It is of use on one system alone.
  const { wrapCommandWithSandboxMacOS } = await import(
    "@anthropic-ai/sandbox-runtime/dist/sandbox/macos-sandbox-utils.js"
  );
  const layers = layersOf({ ...walls, veiled: [] });
  const of = (wanted: string) => layers.flatMap(({ kind, path }) => (kind === wanted ? [path] : []));
  const written = [...of("write"), walls.scratch];
  const wrapped = wrapCommandWithSandboxMacOS({
    command: [
      ...Object.keys(env).map((name) => `export ${name}="$${carried(name)}"; unset ${carried(name)}`),
      `cd ${quoted(walls.cwd ?? walls.folder)} && exec ${command.map(quoted).join(" ")}`,
    ].join("\n"),
    needsNetworkRestriction: true,
    ...(proxyPort !== null && { httpProxyPort: proxyPort }),
    readConfig: { denyOnly: of("hide"), allowWithinDeny: [...walls.shown, ...written] },
    writeConfig: { allowOnly: written, denyWithinAllow: of("show").filter((path) => !walls.shown.includes(path)) },
    allowPty: true,
    allowGitConfig: true,
    binShell: shell,
  });
  const carriedEnv = Object.entries(env).map(([name, value]) => [carried(name), value] as const);
  return { command: [shell, "-c", wrapped], env: Object.fromEntries(carriedEnv) };
}

/** The name under which a variable comes past the library. */
const carried = (name: string) => `SANDBOX_${name}`;

/** A word as a shell takes it. */
const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
