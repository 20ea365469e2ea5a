/** The systemd user unit of `cortex up`. Pure: what to write, not where. */
import type { Service } from "./service-file.ts";

export const unitName = "cortex.service";

/** @throws Error for a value that no unit can hold */
export function systemdUnit({ command, env, keysFile }: Service): string {
  const variables = Object.entries(env).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`);
  const [program = "", ...args] = command;
  // A dollar sign means a variable in arguments, yet not in the program's own path.
  const start = [quoted(program), ...args.map((argument) => quoted(argument).replaceAll("$", "$$$$"))].join(" ");
  return `# Written by cortex service install, which writes it anew.
[Unit]
Description=Cortex: agents on a bus, each run a process
StartLimitIntervalSec=0

[Service]
Type=notify
# systemd-notify, which speaks for it, is a process of its own.
NotifyAccess=all
ExecStart=${start}
ExecReload=/bin/kill -HUP $MAINPID
${variables.join("\n")}
# Keys: yours, mode 0600, one NAME=value a line.
EnvironmentFile=-${escaped(keysFile)}
TimeoutStartSec=180
WatchdogSec=30
WatchdogSignal=SIGKILL
Restart=always
RestartSec=1
# Programs and runs go on when the supervisor is killed; the next one adopts them.
KillMode=process
Delegate=yes

[Install]
WantedBy=default.target
`;
}

/** In quotes: spaces, quotes and backslashes are meant as they are, and a percent sign is not a specifier. */
function quoted(text: string): string {
  return `"${escaped(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

function escaped(text: string): string {
  if (/\p{Cc}/u.test(text)) throw new Error(`${JSON.stringify(text)} has a control character: no unit can hold it`);
  return text.replaceAll("%", "%%");
}
