/** All that is told of the machine as it happens, from where each is known. */
import { OutboundMessage } from "../../../protocol/agents/channel.ts";
import { AgentNews } from "../../../protocol/agents/agent-event.ts";
import { cutStrings } from "../../../protocol/json/cut-strings.ts";
import { tryParseJson } from "../../../protocol/json/parse-json.ts";
import { subjects } from "../../../protocol/runs/subjects.ts";
import type { MachineBase } from "../base/machine-base.ts";
import type { LiveDecisions } from "../decisions/live-decisions.ts";
import type { MachineHealth } from "../health/machine-health.ts";
import type { LiveRuns } from "../runs/live-runs.ts";
import { listenToJournal } from "./journal-news.ts";
import type { Tell } from "./machine-events.ts";
import { listenToSchedule } from "./schedule-news.ts";

/** Characters of a text in what an agent says that are told. */
const longestText = 64_000;
/** The web program hears what goes out to its own channel, and to no other. */
const ownChannel = "web";

export type Sources = Pick<MachineBase, "journal" | "bus"> & {
  runs: LiveRuns;
  decisions: LiveDecisions;
  health: MachineHealth;
};

/** Begins to watch, and tells what happens from now on. */
export function listenToMachine({ journal, bus, runs, decisions, health }: Sources, tell: Tell): Disposable {
  const listening = new DisposableStack();
  const hear = (subject: string, take: (said: unknown) => void) => {
    const subscription = bus.connection.subscribe(subject, {
      callback: (error, message) => {
        if (!error) take(tryParseJson(message.string()));
      },
    });
    listening.defer(() => subscription.unsubscribe());
  };
  const schedule = listening.use(listenToSchedule(journal, (name) => tell("schedule.changed", { schedule: name })));
  listening.use(
    listenToJournal(journal, (parts) => {
      tell("journal.changed", { parts });
      // By these it is planned.
      if (parts.includes("settings") || parts.includes("personas")) tell("schedule.changed", { schedule: null });
    }),
  );
  listening.use(
    runs.listen((change) => {
      if ("removed" in change) return tell("run.removed", { id: change.removed });
      tell("run.changed", change.row);
      schedule.heard(change.row);
    }),
  );
  listening.use(runs.onAllRead(() => tell("reset", { why: "all runs have been read by now" })));
  listening.use(
    decisions.listen((decision) =>
      tell(decision.status === "open" ? "decision.requested" : "decision.decided", decision),
    ),
  );
  listening.use(
    health.listen((news) => {
      if ("program" in news) tell("program.changed", news.program);
      else tell("health.changed", news);
    }),
  );
  hear(subjects.allAgentEvents, (said) => {
    const news = AgentNews.safeParse(said);
    if (news.success) tell("agent.changed", cutStrings(news.data, longestText));
  });
  hear(subjects.channelOut(ownChannel), (said) => {
    const message = OutboundMessage.safeParse(said);
    if (message.success) tell("reply", cutStrings(message.data, longestText));
  });
  let isListening = true;
  listening.defer(() => (isListening = false));
  // What agents said meanwhile isn't told again.
  bus.onReconnect(() => isListening && tell("reset", { why: "the bus was away" }));
  return listening;
}
