/** The runs of the page's picture: a morning of the example journal. */

type Pictured = {
  part: "Working" | "Failed" | "Done today";
  persona: string;
  prompt: string;
  events: readonly Record<string, unknown>[];
};

const start = { event: "start", model: "played" };
const call = (tool: string, args: object) => ({ event: "tool_start", tool, args, call_id: "1" });
const ended = (result: string) => ({ event: "tool_end", call_id: "1", result });
const finish = (result: string, cost_usd: number) => ({
  event: "finish",
  result,
  usage: { input_tokens: 4200, cached_input_tokens: 0, output_tokens: 310, reasoning_tokens: 0, cost_usd },
});

/** The oldest first. */
export const mornings: readonly Pictured[] = [
  {
    part: "Done today",
    persona: "daily-digest",
    prompt: "Yesterday on one page",
    events: [start, finish("The heater held at 4 °C. Open: the harbor form, due on Tuesday.", 0.084)],
  },
  {
    part: "Done today",
    persona: "reviewer",
    prompt: "Check the garden notes of January against the calendar",
    events: [
      start,
      call("search_journal", { query: "greenhouse heater" }),
      ended("9 passages"),
      finish("Sound. The order of the seeds is dated a day late.", 0.048),
    ],
  },
  {
    part: "Failed",
    persona: "explore",
    prompt: "Find every promise of this month that nobody has kept",
    events: [
      start,
      call("todo_upcoming", { days: 31 }),
      ended("14 lines"),
      { event: "error", error: "429 too many requests, eight times in 11 minutes", reason: "provider" },
    ],
  },
  {
    part: "Done today",
    persona: "plan",
    prompt: "What has to be bought before the frost?",
    events: [start, finish("Bubble wrap, two clips and a thermostat: 41 euros in all.", 0.021)],
  },
  {
    part: "Working",
    persona: "general",
    prompt: "Write the newsletter of the garden from January’s notes",
    events: [start, { event: "text", text: "Nine notes so far. " }, call("get_resource", { uri: "20250118/notes.md" })],
  },
  {
    part: "Working",
    persona: "reviewer",
    prompt: "Does the harbor form match what was agreed on Thursday?",
    events: [start, call("search_journal", { query: "harbor form agreed" })],
  },
];

/** The question to an agent that needs no key: reading the notes of that day is a thing to be asked about here. */
export const question = "What did we decide about the greenhouse heater?";
export const rule = { tool: "get_resource", match: "20250111/*", decide: "ask" };
