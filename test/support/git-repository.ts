/** A small real Git repository for a test, and git as its user runs it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Runs git in a folder as somebody with usual settings does. */
export function gitIn(folder: string, ...args: string[]): string {
  const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...identity, ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Writes files below a folder. */
export function putFiles(folder: string, files: Record<string, string | Buffer>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** Makes a repository with one commit of these files. */
export function makeRepository(folder: string, files: Record<string, string | Buffer>): void {
  mkdirSync(folder, { recursive: true });
  gitIn(folder, "init", "-q", "-b", "main");
  putFiles(folder, files);
  gitIn(folder, "add", "-A");
  gitIn(folder, "commit", "-q", "-m", "begin");
}
