import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { JournalLock } from "../../../../journal/access/lock.ts";
import { ownBin, runCortex, runCortexJson } from "../../run-command.ts";

let home: string;
let journal: string;
let unit: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "cortex-service-"));
  journal = join(home, "journal");
  unit = join(home, ".config/systemd/user/cortex.service");
  mkdirSync(journal);
});
afterEach(() => rmSync(home, { recursive: true }));

/** Stands in for the user's systemd, which tests don't have: writes down what it is told, and answers what it is asked. */
function systemd(
  answer: string | null = "UnitFileState=disabled\nActiveState=inactive\nSubState=dead\nMainPID=0",
): void {
  mkdirSync(join(home, "bin"), { recursive: true });
  const show = answer === null ? "echo 'Failed to connect to bus: No medium found' >&2; exit 1" : `echo '${answer}'`;
  const scripts = {
    systemctl: `case "$2" in show) ${show};; *) echo "$*" >> '${join(home, "told")}';; esac`,
    loginctl: "echo no",
  };
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(home, "bin", name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(home, "bin", name), 0o755);
  }
}
const running = "UnitFileState=enabled\nActiveState=active\nSubState=running\nMainPID=4711";

const env = () => ({
  HOME: home,
  JOURNAL_PATH: journal,
  PATH: `${join(home, "bin")}:${ownBin}:/usr/bin:/bin`,
  CORTEX_TZ: "UTC",
});
const service = (...args: string[]) => runCortex(home, ["service", ...args], env());
const told = () => (existsSync(join(home, "told")) ? readFileSync(join(home, "told"), "utf8").trim().split("\n") : []);
const text = () => readFileSync(unit, "utf8");

test("install writes the unit, has it enabled and started, and says what it did and what is left to do", async () => {
  systemd();
  const { code, stdout } = await service("install");
  expect(code).toBe(0);
  expect(text()).toContain(`Environment="JOURNAL_PATH=${journal}"`);
  expect(text()).toContain(`ExecStart="${process.execPath}" "`);
  expect(told()).toEqual(["--user daemon-reload", "--user enable cortex.service", "--user start cortex.service"]);
  expect(stdout).toContain(`wrote ${unit}\nsystemctl --user daemon-reload\n`);
  expect(stdout).toContain(`keys: NAME=value lines in ${join(home, ".config/cortex/environment")} (mode 0600)`);
  expect(stdout).toContain("next:\n  loginctl enable-linger");
  systemd(running);
  const before = text();
  expect((await service("install")).stdout).toContain(`${unit} is as it should be`);
  expect(text()).toBe(before);
  expect(told().slice(3)).toEqual(["--user daemon-reload", "--user enable cortex.service"]);
});

test("keys are neither read nor copied, and one's own file that others can read is pointed out", async () => {
  systemd();
  mkdirSync(join(home, ".config/cortex"), { recursive: true });
  const keys = join(home, ".config/cortex/environment");
  writeFileSync(keys, "ANTHROPIC_API_KEY=sk-secret\n", { mode: 0o644 });
  const { stdout } = await runCortex(home, ["service", "install"], { ...env(), ANTHROPIC_API_KEY: "sk-secret" });
  expect(stdout + text()).not.toContain("sk-secret");
  expect(text()).toContain(`EnvironmentFile=-${keys}`);
  expect(stdout).toContain(`others can read your keys: chmod 600 ${keys}`);
});

test("a service that runs with a former unit is left running, and the restart is named", async () => {
  systemd(running);
  const { stdout } = await service("install");
  expect(told()).not.toContain("--user start cortex.service");
  expect(stdout).toContain("systemctl --user restart cortex.service   # it runs with the former unit");
});

test("the service is enabled and not started where a cortex up runs on the journal already", async () => {
  systemd();
  using _lock = JournalLock.acquire(journal);
  const { stdout } = await service("install");
  expect(told()).not.toContain("--user start cortex.service");
  expect(stdout).toContain("systemctl --user start cortex.service   # after you have stopped the cortex up");
});

test("install writes the unit and prints the commands where systemd can't be asked; status says why", async () => {
  systemd(null);
  const { code, stdout } = await service("install");
  expect(code).toBe(0);
  expect(existsSync(unit)).toBe(true);
  expect(stdout).toContain("Failed to connect to bus: No medium found");
  expect(stdout).toContain("next:\n  systemctl --user daemon-reload\n  systemctl --user enable cortex.service\n");
  expect(told()).toEqual([]);
  const { code: statusCode, document } = await runCortexJson(home, ["service", "status"], env());
  expect(statusCode).toBe(1);
  expect(document).toMatchObject({ installed: true, current: true, enabled: false, active: null });
  expect(document["problem"]).toContain("No medium found");
  expect(document["hint"]).toContain("log in as this user");
});

test("a system without a service manager is told so, with what to run instead", async () => {
  const { code, stderr } = await runCortex(home, ["service", "install"], { ...env(), PATH: join(home, "bin") });
  expect(code).toBe(1);
  expect(stderr).toContain("neither systemd nor launchd");
  expect(stderr).toContain("bin/cortex.js up; or use compose.yaml");
});

test("status tells what is installed, enabled and active", async () => {
  systemd();
  expect((await service("status")).stdout).toMatch(
    /installed\s+no: cortex service install\nenabled\s+no\nactive\s+inactive/,
  );
  await service("install");
  systemd(running);
  const { stdout, code } = await service("status");
  expect(code).toBe(0);
  expect(stdout).toMatch(/enabled\s+yes\nactive\s+active \(running\), pid 4711/);
  writeFileSync(unit, "[Unit]\n");
  expect((await service("status")).stdout).toContain("not what install would write now");
});

test("uninstall stops it and removes the unit; without one there is nothing to do", async () => {
  systemd(running);
  expect((await service("uninstall")).stdout).toContain("is not there: nothing to do");
  await service("install");
  rmSync(join(home, "told"));
  const { stdout } = await service("uninstall");
  expect(existsSync(unit)).toBe(false);
  expect(told()).toEqual(["--user disable --now cortex.service", "--user daemon-reload"]);
  expect(stdout).toContain(`removed ${unit}`);
});

test("--dry-run prints the unit and does nothing", async () => {
  systemd();
  const { stdout } = await service("install", "--dry-run");
  expect(stdout).toContain("[Service]\nType=notify");
  expect(existsSync(unit)).toBe(false);
  expect(told()).toEqual([]);
  expect((await service("status", "--dry-run")).code).toBe(2);
  expect((await service("instal")).code).toBe(2);
});

test("install --dry-run --json prints the unit as JSON", async () => {
  systemd();
  const { document } = await runCortexJson(home, ["service", "install", "--dry-run"], env());
  expect(document).toMatchObject({ ok: true, file: unit, text: expect.stringContaining("[Service]") });
  expect(existsSync(unit)).toBe(false);
});
