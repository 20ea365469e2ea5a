import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findProgram } from "../../../proc/os/find-program.ts";
import type { Service } from "../../../scripts/service/service-file.ts";
import { systemdUnit } from "../../../scripts/service/systemd-unit.ts";

const service: Service = {
  command: [process.execPath, "/opt/a b/$HOME/100%/cortex.js", "up"],
  env: { JOURNAL_PATH: '/home/me/my "own" journal 50%', PATH: "/usr/bin:/bin", CORTEX_TZ: "Europe/Berlin" },
  keysFile: "/home/me/.config/cortex 1/environment",
};

test("the unit says what systemd must know", () => {
  const lines = systemdUnit(service).split("\n");
  for (const line of [
    "Type=notify",
    "NotifyAccess=all",
    "WatchdogSec=30",
    "Restart=always",
    "RestartSec=1",
    "StartLimitIntervalSec=0",
    "KillMode=process",
    "Delegate=yes",
    "ExecReload=/bin/kill -HUP $MAINPID",
    "WantedBy=default.target",
  ])
    expect(lines).toContain(line);
});

test("spaces, quotes, dollar and percent signs are meant as they are", () => {
  const unit = systemdUnit(service);
  expect(unit).toContain(`ExecStart="${process.execPath}" "/opt/a b/$$HOME/100%%/cortex.js" "up"\n`);
  expect(unit).toContain('Environment="JOURNAL_PATH=/home/me/my \\"own\\" journal 50%%"\n');
  expect(unit).toContain("EnvironmentFile=-/home/me/.config/cortex 1/environment\n");
});

test("a value that would add a line to the unit is refused", () => {
  const env = { JOURNAL_PATH: "/x\nExecStartPre=/bin/evil" };
  expect(() => systemdUnit({ ...service, env })).toThrow("control character");
});

const analyze = findProgram("systemd-analyze", ["/usr/bin"]);
if (analyze === null) console.warn("the unit is NOT verified: there is no systemd-analyze");

test.skipIf(analyze === null)("systemd itself finds nothing wrong with the unit", () => {
  const folder = mkdtempSync(join(tmpdir(), "unit-"));
  try {
    const file = join(folder, "cortex.service");
    writeFileSync(file, systemdUnit(service));
    const env = { PATH: process.env["PATH"], HOME: folder, XDG_RUNTIME_DIR: folder };
    const said = execFileSync("/bin/sh", ["-c", `'${analyze}' --user verify '${file}' 2>&1`], {
      env,
      encoding: "utf8",
    });
    expect(said).toBe("");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
