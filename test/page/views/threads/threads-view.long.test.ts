/** Threads in a browser, on a real system whose agents answer with a played model: read, written, forked, resolved, decided. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { axeProblems, letIn, looks, overflow, startBrowser, takeAsked } from "../../browser.ts";
import { given, press, pressTogether, reach } from "../../by-keys.ts";
import { patienceMs } from "../../../support/patience.ts";
import { ThreadsTeam } from "./threads-team.ts";

let team: ThreadsTeam;
let browser: Browser;
let url: string;

beforeAll(async () => {
  [team, browser] = await Promise.all([ThreadsTeam.start(), startBrowser()]);
  url = await team.system.url;
});
afterAll(async () => {
  await browser?.close();
  await team?.[Symbol.asyncDispose]();
});

/** Ends as soon as it is so. */
const soon = { timeout: patienceMs };

// First of all: the server notes up to where everything is read, and others leave something unread.
test("what one is told of is counted, and is read once it was seen; another workspace has threads of its own", async () => {
  const { token } = await team.invite("Bea");
  const { id } = await team.newThread("Unread");
  const { id: other } = await team.newThread("Elsewhere");
  await team.say(`threads/${id}`, "@owner have you seen this?", token);
  const second = await team.call<{ id: string }>("POST", "/workspaces", { name: "Second team" });
  await team.newThread("Only here", second.id);
  await using tab = await letIn(browser, await team.system.link());
  const { page, complaints } = tab;
  await page.goto(`${url}/threads/${other}`);
  const row = page.getByRole("link", { name: /^Unread/ });
  await row.getByText("1 unread").waitFor();
  await row.click();
  await row.getByText("1 unread").waitFor({ state: "detached" });
  await expect
    .poll(async () => {
      const { items } = await team.call<{ items: unknown[] }>("GET", `/workspaces/${team.workspace}/notifications`);
      return items.length;
    }, soon)
    .toBe(0);
  await page.getByLabel("Workspace").selectOption({ label: "Second team" });
  await page.getByRole("link", { name: /Only here/ }).waitFor();
  expect(await page.getByRole("link", { name: /^Unread/ }).count()).toBe(0);
  await page.goto(`${url}/threads/${id}`);
  await page.getByRole("article").filter({ hasText: "have you seen this?" }).waitFor();
  await expect.poll(() => page.getByLabel("Workspace").inputValue(), soon).toBe(team.workspace);
  expect(complaints).toEqual([]);
});

test("a thread is begun by keys alone, an agent is mentioned, and its answer is seen while it comes", async () => {
  const rest = Promise.withResolvers<void>();
  const answer = "Plant the peas in April, when the ground has eight degrees.";
  team.think("When do the peas", { turn: { text: answer }, rest: rest.promise });
  await using tab = await letIn(browser, await team.system.link());
  const { page, complaints } = tab;
  await page.locator("h1").waitFor();
  await pressTogether(page, "gt");
  await page.locator("h1", { hasText: "Threads" }).waitFor();
  await page.getByText(/^\d+ (?:person|people)/).waitFor();
  await page.keyboard.press("+");
  await given(page, page.getByRole("textbox", { name: "What it is about" }));
  await page.keyboard.type("Peas");
  await press(page, "Enter");
  await page.locator("h1", { hasText: "Peas" }).waitFor();
  await page.getByText("Nothing was said yet.").waitFor();
  await press(page, "s");
  await given(page, page.getByLabel("Write to the thread"));
  await page.keyboard.type("@assi");
  await page.getByRole("option", { name: /Assistant/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.type("When do the peas go in?");
  await page.keyboard.press("Enter");
  const asked = page.getByRole("article").filter({ hasText: "When do the peas go in?" });
  await asked.locator(".at-agent", { hasText: "@assistant" }).waitFor();
  const growing = page.locator('article[aria-busy="true"]', { hasText: "Plant the peas" });
  await growing.waitFor();
  expect(await growing.innerText()).not.toContain("eight degrees");
  expect(await page.getByLabel("Write to the thread").inputValue()).toBe("");
  rest.resolve();
  const whole = page.getByRole("article").filter({ hasText: answer });
  await whole.getByRole("link", { name: /\$/ }).waitFor();
  expect(await whole.count()).toBe(1);
  expect(complaints).toEqual([]);
});

test("a fork is begun by keys alone, its conclusion is drafted, changed and posted, and it is opened again", async () => {
  team.think("summar", { turn: { text: "The drafted conclusion." } });
  const { id } = await team.newThread("Frost");
  const { message } = await team.say(`threads/${id}`, "Did the bed freeze?");
  await using tab = await letIn(browser, await team.system.link());
  const { page, complaints } = tab;
  await page.goto(`${url}/threads/${id}`);
  const asked = page.locator(`[data-id="${message.id}"]`);
  await reach(page, asked, { by: "j" });
  await press(page, "f");
  await given(page, page.getByRole("textbox", { name: "The side question" }));
  await page.keyboard.type("How cold was it?");
  await press(page, "Enter");
  const fork = page.getByRole("region", { name: "Fork: How cold was it?" });
  await fork.getByText("Nothing was said here yet.").waitFor();
  await asked.locator(".forkline.is-open").waitFor();
  await press(page, "s");
  await given(page, fork.getByRole("textbox", { name: "Write to the fork" }));
  await page.keyboard.type("Minus two.");
  await press(page, "Enter");
  await fork.getByRole("article").filter({ hasText: "Minus two." }).waitFor();
  await reach(page, fork.getByRole("button", { name: "Have it drafted" }));
  await press(page, "Enter");
  await given(page, fork.getByRole("group", { name: "Conclusion of the fork" }));
  const draft = fork.getByRole("textbox", { name: "Resolution" });
  await draft.waitFor();
  await expect.poll(() => draft.inputValue(), soon).not.toBe("");
  await reach(page, draft, { most: 6 });
  await press(page, "Control+A");
  await page.keyboard.type("It froze at minus two.");
  await page.reload();
  await expect.poll(() => draft.inputValue(), soon).toBe("It froze at minus two.");
  await reach(page, fork.getByRole("button", { name: "Post to the thread" }));
  await press(page, "Enter");
  await page.locator(".post.resolved", { hasText: "It froze at minus two." }).waitFor();
  await given(page, fork.getByRole("group", { name: "Conclusion of the fork" }));
  await reach(page, fork.getByRole("button", { name: "Open it again" }), { most: 6 });
  await press(page, "Enter");
  await reach(page, fork.getByRole("button", { name: "Give up the fork" }), { most: 6 });
  await press(page, "Enter");
  await fork.getByText("It was given up, without a conclusion.").waitFor();
  expect(complaints).toEqual([]);
});

test("a draft, its file and the line one reads are there after a reload; what was sent has the file", async () => {
  const { id } = await team.newThread("Long");
  for (let number = 0; number < 60; number++) await team.say(`threads/${id}`, `line ${number}\n\nand more of it`);
  await using tab = await letIn(browser, await team.system.link());
  const { page, complaints } = tab;
  await page.goto(`${url}/threads/${id}`);
  const post = (text: string) => page.getByRole("article").filter({ hasText: text });
  await post("line 59").waitFor();
  await expect.poll(() => inView(page, "line 59"), soon).toBe(true);
  await page.locator('input[type="file"]').setInputFiles({
    name: "seeds.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("peas, beans"),
  });
  await page.locator(".files .chip", { hasText: "11 bytes" }).waitFor();
  await page.getByLabel("Write to the thread").fill("not sent yet");
  await post("line 20 ").or(post("line 20")).first().scrollIntoViewIfNeeded();
  await expect.poll(() => inView(page, "line 59"), soon).toBe(false);
  await team.say(`threads/${id}`, "said meanwhile");
  await page.getByRole("button", { name: "1 new" }).waitFor();
  await expect.poll(() => inView(page, "line 20"), soon).toBe(true);
  await page.reload();
  await post("line 20").waitFor();
  await expect.poll(() => inView(page, "line 20"), soon).toBe(true);
  expect(await page.getByLabel("Write to the thread").inputValue()).toBe("not sent yet");
  await page.locator(".files .chip", { hasText: "seeds.txt" }).waitFor();
  await page.getByRole("button", { name: /^Post/ }).click();
  const file = post("not sent yet").getByRole("link", { name: /seeds.txt/ });
  const [download] = await Promise.all([page.waitForEvent("download"), file.click()]);
  expect(download.suggestedFilename()).toBe("seeds.txt");
  await page.getByRole("button", { name: "Older messages" }).click();
  await post("line 3").first().waitFor();
  expect(complaints).toEqual([]);
});

test("what is typed, and a file that is added, while a message is on its way stay for the next one", async () => {
  const { id } = await team.newThread("Hurried");
  await using tab = await letIn(browser, await team.system.link());
  const { page, complaints } = tab;
  await page.goto(`${url}/threads/${id}`);
  const field = page.getByLabel("Write to the thread");
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await field.fill("The first.");
  await takeAsked(page, `**/threads/${id}/messages`, async (route) => {
    if (route.request().method() !== "POST") return route.fallback();
    arrived.resolve();
    await released.promise;
    await route.continue();
  });
  const send = page.getByRole("button", { name: "Post", exact: true });
  await send.click();
  await arrived.promise;
  const seeds = { name: "seeds.txt", mimeType: "text/plain", buffer: Buffer.from("peas") };
  await page.locator('input[type="file"]').setInputFiles(seeds);
  await page.locator(".files .chip", { hasText: "4 bytes" }).waitFor();
  await field.fill("The second.");
  released.resolve();
  // It says "Posting" until the first one has been sent.
  await send.click();
  const post = (text: string) => page.getByRole("article").filter({ hasText: text });
  await post("The second.")
    .getByRole("link", { name: /seeds.txt/ })
    .waitFor();
  expect(
    await post("The first.")
      .getByRole("link", { name: /seeds.txt/ })
      .count(),
  ).toBe(0);
  expect(complaints).toEqual([]);
});

test("an agent that fails is asked again, and one that is at work is cancelled, by their keys", async () => {
  let isBroken = true;
  team.think("Which beans", () =>
    isBroken
      ? { status: 400, body: { type: "error", error: { type: "invalid_request_error", message: "no" } } }
      : { turn: { text: "Runner beans." } },
  );
  team.think("Which leeks", { silent: true });
  const { id } = await team.newThread("Beans");
  await team.say(`threads/${id}`, "@assistant Which beans?");
  await using tab = await letIn(browser, await team.system.link());
  const { page, complaints } = tab;
  await page.goto(`${url}/threads/${id}`);
  const failed = page.locator(".post.failed");
  await failed.getByRole("button", { name: "Ask again" }).waitFor();
  isBroken = false;
  await reach(page, failed, { by: "j" });
  await press(page, "r");
  await page.getByRole("article").filter({ hasText: "Runner beans." }).waitFor();
  await failed.getByText("asked again since").waitFor();
  const { tasks } = await team.say(`threads/${id}`, "@assistant Which leeks?");
  const atWork = page.locator(`[data-id="${tasks[0]?.id}"]`);
  await atWork.waitFor();
  await reach(page, atWork, { by: "j" });
  await press(page, "x");
  await atWork.getByText("Cancelled before it answered.").waitFor();
  expect((await team.ended(tasks[0]?.id ?? "")).status).toBe("cancelled");
  expect(complaints).toEqual([]);
});

test("a call that waits for a person is allowed by its key where it was asked", async () => {
  const agent = { slug: "gardener", name: "gardener", display_name: "Gardener", system_prompt: "You garden." };
  await team.call("POST", `/workspaces/${team.workspace}/agents`, { ...agent, tools: ["todo_add"] });
  const args = { facet: "garden", day: "20260101", text: "beet" };
  let asked = 0;
  team.think("Plant a beet", () =>
    asked++ === 0 ? { turn: { calls: [{ tool: "todo_add", args }] } } : { turn: { text: "The beet is noted." } },
  );
  const { id } = await team.newThread("Beets");
  await using tab = await letIn(browser, await team.system.link());
  const { page, complaints } = tab;
  await page.goto(`${url}/threads/${id}`);
  await team.say(`threads/${id}`, "@gardener Plant a beet.");
  const question = page.locator(".post.you");
  await question.getByRole("button", { name: /Allow once/ }).waitFor();
  expect(JSON.parse(await question.getByRole("group", { name: "All of it" }).innerText())).toEqual(args);
  expect(await axeProblems(page)).toEqual([]);
  await reach(page, question, { by: "j" });
  await press(page, "a");
  await page.getByText(/Allowed once by you/).waitFor();
  await page.getByRole("article").filter({ hasText: "The beet is noted." }).waitFor();
  expect(complaints).toEqual([]);
});

test("the web program is killed while an answer comes: all of it is there afterwards, once", async () => {
  const rest = Promise.withResolvers<void>();
  const answer = "Kale stands the frost, and tastes the better for it, as everybody knows.";
  team.think("What stands the frost", { turn: { text: answer }, rest: rest.promise });
  const { id } = await team.newThread("Kale");
  await using tab = await letIn(browser, await team.system.link());
  const { page } = tab;
  await page.goto(`${url}/threads/${id}`);
  await page.getByText("Nothing was said yet.").waitFor();
  const { tasks } = await team.say(`threads/${id}`, "@assistant What stands the frost?");
  await page.locator('article[aria-busy="true"]', { hasText: "Kale stands" }).waitFor();
  const cutOff = page.getByText("Not connected: what is shown is of before.").waitFor();
  team.system.kill("channel-web");
  await cutOff;
  rest.resolve();
  await team.ended(tasks[0]?.id ?? "");
  await team.say(`threads/${id}`, "Thank you.");
  await page.getByRole("article").filter({ hasText: "Thank you." }).waitFor();
  await page.getByRole("article").filter({ hasText: answer }).waitFor();
  expect(await page.getByRole("article").count()).toBe(3);
  await page.getByText("Not connected").waitFor({ state: "detached" });
});

test("a thread whose record is still on its way has its title already", async () => {
  const { id } = await team.newThread("Slow to come");
  const held = Promise.withResolvers<void>();
  await using tab = await letIn(browser, await team.system.link());
  const { page, complaints } = tab;
  await page.route(
    (address) => address.pathname === `/api/v1/threads/${id}`,
    async (route) => {
      await held.promise;
      await route.continue();
    },
  );
  await page.goto(`${url}/threads`);
  await page.getByRole("link", { name: /^Slow to come/ }).waitFor();
  await page.getByRole("heading", { level: 2, name: "Slow to come" }).waitFor();
  expect(await axeProblems(page)).toEqual([]);
  held.resolve();
  await page.getByRole("button", { name: "Edit the thread" }).waitFor();
  expect(complaints).toEqual([]);
});

test("who is thinking is seen where the answer will stand and in the list, until it is stopped", async () => {
  team.think("Think about clover", { silent: true });
  const { id } = await team.newThread("Clover");
  await using tab = await letIn(browser, await team.system.link());
  const { page, complaints } = tab;
  await page.goto(`${url}/threads/${id}`);
  await page.getByText("Nothing was said yet.").waitFor();
  const { tasks } = await team.say(`threads/${id}`, "@assistant Think about clover.");
  const post = page.locator(`[data-id="${tasks[0]?.id}"]`);
  await post.getByText("thinks about it").waitFor();
  await post.getByText(/^\d+ s$/).waitFor();
  const row = page.getByRole("link", { name: /^Clover/ });
  await row.getByText("Assistant is at work").waitFor();
  await row.getByRole("img", { name: "Working" }).waitFor();
  await post.getByRole("button", { name: "Cancel" }).click();
  await post.getByText("Cancelled before it answered.").waitFor();
  await row.getByText("Assistant is at work").waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});

test("the summary of a thread stands at its top, follows its changes, and is told of in the list", async () => {
  const workspace = await team.call<{ id: string }>("POST", "/workspaces", { name: "Summed" });
  await team.call("PATCH", `/workspaces/${workspace.id}`, { settings: { thread_summaries: true } });
  let times = 0;
  team.think("Sum up this thread", () => ({ turn: { text: `The beds are dug, ${++times}.\n\n**Next**: compost.` } }));
  const { id } = await team.newThread("Beds", workspace.id);
  const dig = async (from: number) => {
    for (let bed = from; bed < from + 60; bed++) await team.say(`threads/${id}`, `Bed ${bed} is dug.`);
  };
  await dig(0);
  await using tab = await letIn(browser, await team.system.link());
  const { page, complaints } = tab;
  await page.goto(`${url}/threads/${id}`);
  const summary = page.locator("details.pinned");
  await summary
    .getByText(/^The beds are dug, \d+\.$/)
    .first()
    .waitFor();
  await page.getByRole("link", { name: /^Beds summed up/ }).waitFor();
  await summary.locator("summary").focus();
  await page.keyboard.press("Enter");
  const whole = page.getByRole("region", { name: "Summary of the thread" });
  await whole.locator("strong", { hasText: "Next" }).waitFor();
  expect(await axeProblems(page)).toEqual([]);
  const before = times;
  await dig(60);
  // There may be two of them by now: the page may have missed the first.
  const shown = async () => Number(/are dug, (\d+)\./.exec(await whole.innerText())?.[1]);
  await expect.poll(shown, soon).toBeGreaterThan(before);
  // Far above the last messages by now, it is there after a reload.
  await page.reload();
  await summary
    .getByText(/^The beds are dug, \d+\.$/)
    .first()
    .waitFor();
  expect(complaints).toEqual([]);
});

test("an agent has a colour of its own and its initial, or the avatar that it was given", async () => {
  const pixel = "data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=";
  const workspace = await team.call<{ id: string }>("POST", "/workspaces", { name: "Faces" });
  const avatars = { plain: null, seedling: "🌱", pictured: pixel, foreign: "https://example.org/face.png" };
  for (const [slug, avatar] of Object.entries(avatars)) {
    const agent = { slug, name: slug, display_name: `The ${slug}`, system_prompt: "x", tools: [], avatar };
    await team.call("POST", `/workspaces/${workspace.id}/agents`, agent);
  }
  const { id } = await team.newThread("Faces", workspace.id);
  const { tasks } = await team.say(`threads/${id}`, "@plain @seedling @pictured @foreign Say something.");
  for (const task of tasks) await team.ended(task.id);
  await using tab = await letIn(browser, await team.system.link());
  const { page, complaints } = tab;
  const foreign: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("data:")) foreign.push(request.url());
  });
  await page.goto(`${url}/threads/${id}`);
  const face = (name: string) =>
    page
      .getByRole("article")
      .filter({ hasText: `The ${name}` })
      .locator(".face");
  // The agents are read beside the messages: until then each has its initial.
  await face("pictured").locator("img").waitFor({ state: "attached" });
  expect(await face("plain").innerText()).toBe("T");
  expect(await face("seedling").innerText()).toBe("🌱");
  expect(await face("pictured").locator("img").getAttribute("src")).toBe(pixel);
  expect(await face("foreign").innerText()).toBe("T");
  const colours = await Promise.all(
    Object.keys(avatars).map((name) => face(name).evaluate((node) => getComputedStyle(node).backgroundColor)),
  );
  expect(new Set(colours).size).toBeGreaterThan(1);
  expect(await axeProblems(page)).toEqual([]);
  expect([foreign, complaints]).toEqual([[], []]);
});

const markup = `<script>globalThis.hit=1</script><img src=x onerror="globalThis.hit=1">`;

test("hostile text in every field runs nothing and breaks no layout, and axe finds nothing, in every look", async () => {
  const hostile = `${markup} \u202Eback\u0001wards\u001b[31m`;
  const third = await team.call<{ id: string }>("POST", "/workspaces", { name: `${markup}\u202Eteam` });
  const agent = { slug: "hostile", name: "hostile", system_prompt: "x", tools: [] };
  await team.call("POST", `/workspaces/${third.id}/agents`, {
    ...agent,
    display_name: markup.slice(0, 90),
    description: hostile,
  });
  const { token } = await team.invite(`${markup.slice(0, 60)}\u202E${"W".repeat(100)}`, "member", third.id);
  team.think("hostile answer", { turn: { text: `${hostile}\n\n[x](javascript:globalThis.hit=1)` } });
  const thread = await team.newThread(`${markup} ${"T".repeat(100)}`, third.id);
  const place = `threads/${thread.id}`;
  const { message } = await team.say(place, `${hostile}\n${"M".repeat(1_000_000)}`, token);
  const { tasks } = await team.say(place, `@hostile ${hostile} hostile answer`, token);
  await team.ended(tasks[0]?.id ?? "");
  const fork = await team.fork(message, `${hostile} ${"F".repeat(1800)}`);
  await team.say(`forks/${fork.id}`, "W".repeat(10_000), token);
  for (const look of looks) {
    await using tab = await letIn(browser, await team.system.link(), look);
    const { page, complaints } = tab;
    for (const path of [`/threads/${thread.id}`, `/threads/${thread.id}/${fork.id}`, "/threads"]) {
      await page.goto(`${url}${path}`);
      await page.locator("h1").first().waitFor();
      const said = path === "/threads" ? page.locator(".tlist a") : page.locator(".post .tx");
      await said.locator("visible=true").first().waitFor();
      expect([path, look, await overflow(page)]).toEqual([path, look, 0]);
      expect([path, look, await axeProblems(page)]).toEqual([path, look, []]);
    }
    expect(await page.evaluate<unknown>("globalThis.hit")).toBeUndefined();
    expect(complaints).toEqual([]);
  }
});

/** Whether a message is in view. */
const inView = (page: Page, text: string): Promise<boolean> =>
  page
    .getByRole("article")
    .filter({ hasText: text })
    .first()
    .evaluate((post) => {
      const log = post.closest(".log")?.getBoundingClientRect();
      const box = post.getBoundingClientRect();
      return log !== undefined && box.top < log.bottom && box.bottom > log.top;
    });
