/** Questions of a run, in a browser: each stands on its page, and is answered there, on a phone too, or by somebody else. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { axeProblems, type Look, overflow } from "../../browser.ts";
import { ViewSystem } from "../../view-system.ts";

const question = "What did we decide about the greenhouse heater?";

let system: ViewSystem;
beforeAll(async () => {
  system = await ViewSystem.start({ permissions: [{ tool: "search_journal", decide: "ask" }] });
});
afterAll(() => system?.[Symbol.asyncDispose]());

const desk: Look = { width: 1440, height: 900, colorScheme: "light" };
const phone: Look = { width: 390, height: 844, colorScheme: "light" };

/** Runs that wait for an answer; none outlives its test. */
const begun = new Set<string>();
afterEach(async () => {
  for (const id of begun) {
    await system.call("POST", `/runs/${id}/cancel`).catch(() => {});
    await hasEnded(id);
  }
  begun.clear();
});

const hasEnded = (id: string) => system.journal.until(() => system.journal.hasEnded(id), `${id} has ended`);

/** A run that asks whether it may search the journal. */
async function asking(): Promise<string> {
  const { id } = await system.call<{ id: string }>("POST", "/runs", { prompt: question });
  begun.add(id);
  await system.journal.until(() => system.journal.file(id).some(({ event }) => event === "permission"), "it asks");
  return id;
}

test.each([desk, phone])(
  "a run's question is answered on its page, opened by its address, and the call is made, at $width",
  async (look) => {
    const id = await asking();
    await using tab = await system.open(`/runs/${id}`, look);
    const { page, complaints } = tab;
    const asks = page.getByRole("region", { name: "Needs you" });
    await asks.getByText("May I use search_journal?").waitFor();
    const [deny, allow] = await Promise.all(
      ["Deny", "Allow once"].map((name) => page.getByRole("button", { name: new RegExp(`^${name}`) }).boundingBox()),
    );
    if (!deny || !allow) throw new Error("there is nothing to press");
    expect(Math.abs(deny.y - allow.y)).toBeLessThan(4);
    expect(allow.x - (deny.x + deny.width)).toBeGreaterThanOrEqual(90);
    if (look === phone) expect([deny.height, allow.height].every((height) => height >= 44)).toBe(true);
    expect([await page.locator("h1").count(), await overflow(page), await axeProblems(page)]).toEqual([1, 0, []]);
    await page.getByRole("button", { name: /^Allow once/ }).click();
    await asks.getByText(/^Allowed once by you/).waitFor();
    await system.journal.until(
      () =>
        system.journal
          .file(id)
          .some(({ event, tool, is_error }) => event === "tool_end" && tool === "search_journal" && is_error !== true),
      "the call is made",
    );
    await hasEnded(id);
    expect(complaints).toEqual([]);
  },
);

test("a question that comes while another view is open stands on the run's page, and goes when somebody else has answered", async () => {
  await using tab = await system.open("/schedule");
  const { page } = tab;
  await page.locator("h1").waitFor();
  const id = await asking();
  await page.evaluate((path) => {
    const link = document.createElement("a");
    link.href = path;
    document.body.append(link);
    link.click();
  }, `/runs/${id}`);
  const asks = page.getByRole("region", { name: "Needs you" });
  await asks.getByRole("button", { name: /^Deny/ }).waitFor();
  const { items } = await system.call<{ items: { id: string; run: string }[] }>("GET", "/decisions");
  await system.call("POST", `/decisions/${items.find(({ run }) => run === id)?.id}`, { decision: "deny" });
  await asks.getByText(/^Denied by you/).waitFor();
  expect(await page.getByRole("button", { name: /^Allow once/ }).count()).toBe(0);
});
