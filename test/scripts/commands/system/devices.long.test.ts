import { afterAll, beforeAll, expect, test } from "vitest";
import { type PageProgram, startPage } from "../../../page/page-program.ts";
import { runCortex, runCortexJson } from "../../run-command.ts";

let page: PageProgram;
beforeAll(async () => {
  page = await startPage();
});
afterAll(async () => {
  await page?.[Symbol.asyncDispose]();
});

/** Lets a browser in. @returns its cookie */
async function letIn(browser: string): Promise<string> {
  const response = await fetch(await page.link(), { redirect: "manual", headers: { "User-Agent": browser } });
  return response.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
}

const isLetIn = async (cookie: string) =>
  (await fetch(`${page.url}/api/v1/session`, { headers: { Cookie: cookie } })).status === 200;

/** The program by itself, without `cortex up`, is named. */
const env = () => ({ CORTEX_WEB_URL: page.url, CORTEX_WEB_TOKEN: page.token });
const cortex = (...args: string[]) => runCortex(page.journal, ["devices", ...args], env());

type Device = { id: string; device: string; is_this: boolean };
const listed = async () =>
  (await runCortexJson(page.journal, ["devices", "list"], env())).document["devices"] as unknown as Device[];

test("the browsers that are let in are listed, and one that is revoked is shut out at once", async () => {
  expect((await cortex()).stdout).toMatch(/^no browser is let in/);
  const cookies = [await letIn("Firefox/140.0 (X11; Linux)"), await letIn("Safari/26 (iPhone)")];
  expect(await Promise.all(cookies.map(isLetIn))).toEqual([true, true]);
  const devices = await listed();
  expect(devices.map(({ is_this }) => is_this)).toEqual([false, false]);
  const told = await cortex("list");
  expect(told.stdout.split("\n")[0]).toMatch(/^id +browser +let in on +last seen \(UTC\) +until$/);
  const [first] = devices;
  const revoked = await runCortexJson(page.journal, ["devices", "revoke", first?.id.slice(0, 8) ?? ""], env());
  expect(revoked.document).toEqual({ ok: true, device: first?.id });
  expect((await listed()).map(({ id }) => id)).toEqual(devices.slice(1).map(({ id }) => id));
  expect((await Promise.all(cookies.map(isLetIn))).filter(Boolean)).toHaveLength(1);
});

test("an id that no browser has, none at all and an unknown action are refused with what to do", async () => {
  const refused = async (...args: string[]) => {
    const { code, stderr } = await cortex(...args);
    return [code, stderr];
  };
  expect(await refused("revoke", "zzz")).toEqual([2, expect.stringContaining("cortex devices list")]);
  expect(await refused("revoke")).toEqual([2, expect.stringContaining("takes an id")]);
  expect(await refused("forget")).toEqual([2, expect.stringContaining("revoke")]);
  expect(await refused("list", "x")).toEqual([2, expect.stringContaining("cortex devices --help")]);
});
