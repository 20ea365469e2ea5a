import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { launchdPlist } from "../../../scripts/service/launchd-plist.ts";

/** The strings of a list of the plist. */
const words = (plist: string) =>
  [...plist.matchAll(/^ {4}<string>(.*)<\/string>$/gm)].map(([, word]) =>
    (word ?? "").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
  );

test("the command reads the user's file of keys, if there is one, and becomes the program", () => {
  const folder = mkdtempSync(join(tmpdir(), "plist 'x' & y "));
  try {
    const keysFile = join(folder, "environment");
    const command = [process.execPath, "-p", "[process.env.SECRET, process.pid].join()"];
    const [shell = "", ...args] = words(launchdPlist({ command, env: {}, keysFile }));
    expect(shell).toBe("/bin/sh");
    expect(execFileSync(shell, args, { encoding: "utf8" })).toMatch(/^,\d+\n$/);
    writeFileSync(keysFile, "# mine\nSECRET=abc\n");
    expect(execFileSync(shell, args, { encoding: "utf8" })).toMatch(/^abc,\d+\n$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a variable of the environment can't end a string of the plist", () => {
  const env = { JOURNAL_PATH: "/a</string><key>&" };
  expect(launchdPlist({ command: ["/x"], env, keysFile: "/k" })).toContain(
    "<key>JOURNAL_PATH</key><string>/a&lt;/string&gt;&lt;key&gt;&amp;</string>",
  );
  expect(() => launchdPlist({ command: ["/x\n"], env: {}, keysFile: "/k" })).toThrow("control character");
});
