/** The launchd agent of `cortex up`, for macOS. Pure: what to write, not where. */
import type { Service } from "./service-file.ts";

export const agentLabel = "run.cortex.cortex";

/** launchd reads no file of variables, so the shell does, before it becomes the program. */
const start = '[ -r "$0" ] && { set -a; . "$0"; set +a; }; exec "$@"';

export function launchdPlist({ command, env, keysFile }: Service): string {
  const words = ["/bin/sh", "-c", start, keysFile, ...command].map((word) => `    ${text(word)}`);
  const variables = Object.entries(env).map(([name, value]) => `    <key>${escaped(name)}</key>${text(value)}`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${agentLabel}</string>
  <key>ProgramArguments</key>
  <array>
${words.join("\n")}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.join("\n")}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
  <key>ThrottleInterval</key><integer>1</integer>
  <key>ExitTimeOut</key><integer>180</integer>
  <key>AbandonProcessGroup</key><true/>
</dict>
</plist>
`;
}

const text = (word: string) => `<string>${escaped(word)}</string>`;

function escaped(word: string): string {
  if (/\p{Cc}/u.test(word)) throw new Error(`${JSON.stringify(word)} has a control character: no plist can hold it`);
  return word.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
