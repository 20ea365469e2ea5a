import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";

const source = new URL("../../../proc/programs/failpoint.ts", import.meta.url).href;
const program = `import { failpoint } from ${JSON.stringify(source)}; failpoint("spawned"); failpoint("terminal-event-written");`;

test.each(["terminal-event-written", "last-word-written", "last word written"])(
  "a program stops at its failpoint by the name %j, also by one that it once had",
  async (name) => {
    const folder = mkdtempSync(join(tmpdir(), "cortex-failpoint-"));
    const file = join(folder, "stopped");
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      env: { CORTEX_STOP_AT: name, CORTEX_STOP_FILE: file },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const exited = once(child, "exit");
    while (child.exitCode === null && !(existsSync(file) && readFileSync(file, "utf8").endsWith("\n"))) await delay(5);
    expect(child.exitCode).toBe(null);
    expect(readFileSync(file, "utf8")).toBe(`${child.pid} terminal-event-written\n`);
    child.kill("SIGKILL");
    await exited;
    rmSync(folder, { recursive: true });
  },
);
