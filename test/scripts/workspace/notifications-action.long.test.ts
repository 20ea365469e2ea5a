/** Notifications of a member at the terminal: listed, and noted as read, on each database. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Notification } from "../../../workspace/records/notification.ts";
import { describeDatabases } from "../../workspace/temporary-store.ts";
import { ApiSystem, ownerToken } from "../../web/api/api-system.ts";
import { patienceMs } from "../../support/patience.ts";
import { runCortex } from "../run-command.ts";

describeDatabases((newTarget) => {
  let home: string;
  let system: ApiSystem;
  /** A member's token. */
  let ada: string;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "notifications-"));
    system = await ApiSystem.start(await newTarget());
    ada = (await cortex(ownerToken, "workspace", "invite", "Ada")).stdout;
  }, patienceMs);
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
    rmSync(home, { recursive: true });
  });

  const cortex = (token: string, ...args: string[]) =>
    runCortex(home, args, { CORTEX_WEB_URL: system.url, CORTEX_WEB_TOKEN: token });
  const notifications = (...args: string[]) => cortex(ada, "workspace", "notifications", ...args);
  const unread = async (...args: string[]) =>
    (JSON.parse((await notifications(...args, "--json")).stdout) as { notifications: Notification[] }).notifications;
  const long = { timeout: 2 * patienceMs };

  test("a member lists what names them, and it is gone up to the message that they have read", long, async () => {
    expect((await notifications()).stdout).toBe("nothing is unread");
    expect((await cortex(ownerToken, "thread", "post", "--new", "Beds", "@ada first")).code).toBe(0);
    for (const text of ["not for anybody", "@ada second", "@ada third"])
      expect((await cortex(ownerToken, "thread", "post", "Beds", text)).code).toBe(0);
    const listed = await unread();
    expect(listed.map(({ reason, message }) => [reason, message.text])).toEqual([
      ["mention", "@ada third"],
      ["mention", "@ada second"],
      ["mention", "@ada first"],
    ]);
    expect((await unread("list", "-n", "1")).map(({ message }) => message.text)).toEqual(["@ada third"]);
    const second = listed[1]?.message.id.slice(-8) ?? "";
    expect((await notifications("list")).stdout).toMatch(
      new RegExp(`^${second} +\\S+ ago +\\S.* +names you +Beds +@ada second$`, "m"),
    );
    expect(await notifications("read", second)).toMatchObject({
      code: 0,
      stdout: `all up to message ${second} is read`,
    });
    expect((await unread()).map(({ message }) => message.text)).toEqual(["@ada third"]);
    const { stdout } = await notifications("read", "--all", "--json");
    expect(JSON.parse(stdout)).toEqual({ ok: true, read_up_to: null });
    expect(await unread()).toEqual([]);
  });

  test("who is told of nothing hears how to change that", long, async () => {
    expect((await cortex(ada, "workspace", "members", "notify", "Ada", "none")).code).toBe(0);
    expect((await notifications()).stdout).toBe(
      'you are told of nothing here: cortex workspace members notify "Ada" mentions',
    );
    expect((await cortex(ada, "workspace", "members", "notify", "Ada", "mentions")).code).toBe(0);
  });

  test("a wrong use of notifications exits 2 and says what was meant", long, async () => {
    for (const [args, said, remedy] of [
      [["raed"], 'unknown action "raed"', "cortex workspace notifications read"],
      [["read"], "MESSAGE or --all is missing", "cortex workspace notifications"],
      [["read", "x", "--all"], "--all", "cortex workspace --help"],
      [["read", "nothing"], 'no unread message "nothing"', "cortex workspace notifications"],
      [["read", "01a20abc-6149-7097-a14c-45fd1311642d"], "no such message", "cortex"],
      [["list", "more"], 'unexpected "more"', "cortex workspace --help"],
      [["-n", "0"], '-n "0"', "-n 20"],
    ] as const) {
      const { code, stderr } = await notifications(...args);
      expect([args, code, stderr]).toEqual([args, 2, expect.stringContaining(said)]);
      expect(stderr).toContain(remedy);
    }
  });
});
