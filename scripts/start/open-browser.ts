/** Opens an address in the user's browser. */
import { spawn } from "node:child_process";
import { pathToFileURL } from "node:url";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { findProgram } from "../../proc/os/find-program.ts";

/**
 * Opens an address that nobody else may see. It goes by a private file: a program's arguments can be read by every user of the machine.
 * @param file where it stands for the browser
 * @returns whether there is a screen, and a program that opens browsers
 */
export async function openBrowser(url: string, file: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const isMac = process.platform === "darwin";
  const hasScreen = isMac || Boolean(env["DISPLAY"] || env["WAYLAND_DISPLAY"]);
  const program = hasScreen ? findProgram(isMac ? "open" : "xdg-open") : null;
  if (program === null) return false;
  await replaceFile(
    file,
    `<!doctype html><meta charset="utf-8"><title>Cortex</title><meta http-equiv="refresh" content="0; url=${url}">\n`,
  );
  const opener = spawn(program, [pathToFileURL(file).href], { detached: true, stdio: "ignore" });
  opener.on("error", () => {});
  opener.unref();
  return true;
}
