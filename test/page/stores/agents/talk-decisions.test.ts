/** The decisions of a conversation, whose list is answered later than they are heard of. */
import { expect, test } from "vitest";
import { type Decision, TalkDecisions } from "../../../../page/stores/agents/talk-decisions.ts";

const decision = (id: string, status: Decision["status"] = "open") => ({ id, status }) as Decision;
const shown = ({ all }: TalkDecisions) => all.map(({ id, status }) => `${id} ${status}`);

test("a question that is heard of while a list is on its way, which doesn't have it yet, stays", () => {
  const decisions = new TalkDecisions();
  decisions.ask();
  decisions.hear(decision("1"));
  decisions.take([]);
  expect(shown(decisions)).toEqual(["1 open"]);
});

test("a question that is answered while a list is on its way, in which it is open, is answered", () => {
  const decisions = new TalkDecisions();
  decisions.ask();
  decisions.take([decision("1"), decision("2")]);
  decisions.ask();
  decisions.hear(decision("1", "denied"));
  decisions.take([decision("1"), decision("2")]);
  expect(shown(decisions)).toEqual(["1 denied", "2 open"]);
});

test("what a later list doesn't have is gone, unless it was answered here", () => {
  const decisions = new TalkDecisions();
  decisions.ask();
  decisions.hear(decision("1"));
  decisions.hear(decision("2"));
  decisions.hear(decision("2", "allowed"));
  decisions.take([]);
  expect(shown(decisions)).toEqual(["2 allowed", "1 open"]);
  decisions.ask();
  decisions.take([]);
  expect(shown(decisions)).toEqual(["2 allowed"]);
});
