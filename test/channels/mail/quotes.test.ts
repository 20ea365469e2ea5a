/** The cutting of quotes and signatures from a mail. */
import { expect, test } from "vitest";
import { withoutQuotes } from "../../../channels/mail/content/quotes.ts";

const cut = (text: string) => withoutQuotes(text, false);

test.each([
  ["English", "On Fri, Jan 9, 2026 at 10:00 AM Cortex <cortex@harbor.example> wrote:"],
  ["English, broken into lines", "On Fri, Jan 9, 2026 at 10:00 AM Cortex\n<cortex@harbor.example>\nwrote:"],
  ["German", "Am Fr., 9. Jan. 2026 um 10:00 Uhr schrieb Cortex <cortex@harbor.example>:"],
  ["French", "Le ven. 9 janv. 2026 à 10:00, Cortex <cortex@harbor.example> a écrit :"],
  ["Dutch", "Op vr 9 jan 2026 om 10:00 schreef Cortex <cortex@harbor.example>:"],
  ["Spanish", "El vie, 9 ene 2026 a las 10:00, Cortex (<cortex@harbor.example>) escribió:"],
  ["Portuguese", "Em sex., 9 de jan. de 2026 às 10:00, Cortex <cortex@harbor.example> escreveu:"],
  ["Portuguese, on a day", "No dia 09/01/2026, às 10:00, Cortex <cortex@harbor.example> escreveu:"],
  ["Portuguese, the name first", "Cortex <cortex@harbor.example> escreveu (sexta, 9/01/2026 à(s) 10:00):"],
  ["Japanese", "2026年1月9日(金) 10:00 Cortex <cortex@harbor.example>:"],
  ["Japanese, of a phone", "2026/01/09 10:00、Cortex <cortex@harbor.example>のメール:"],
  ["Chinese", "Cortex <cortex@harbor.example> 于2026年1月9日周五 10:00写道："],
  ["Chinese, traditional", "Cortex <cortex@harbor.example> 於 2026年1月9日 週五 上午10:00寫道："],
  ["Chinese, the date first", "在 2026年1月9日，10:00，Cortex <cortex@harbor.example> 写道："],
  ["Korean", "2026년 1월 9일 (금) 오전 10:00, Cortex <cortex@harbor.example>님이 작성:"],
  ["Korean, of a phone", "2026. 1. 9. 오전 10:00, Cortex <cortex@harbor.example> 작성:"],
])("a quote at the end goes with the line that says whose it is: %s", (_language, line) => {
  expect(cut(`Yes, please.\n\n${line}\n\n> Shall I?\n>\n> Cortex\n`)).toBe("Yes, please.");
});

test("a line that says where the old words begin goes with the one that says whose they are", () => {
  const quote = "On Friday, January 9th, 2026 at 10:00, Cortex <c@h.example> wrote:\n\n> Shall I?";
  expect(cut(`Yes.\n\n------- Original Message -------\n${quote}`)).toBe("Yes.");
  expect(cut(`Yes.\n\n--- as I said ---\n${quote}`)).toBe("Yes.\n\n--- as I said ---");
});

test("quoted lines at the end go without such a line, too", () => {
  expect(cut("Yes.\n\n> Shall I?\n> > Do it.\n\n")).toBe("Yes.");
});

test("a signature goes, above a quote or below it; what is longer is none", () => {
  expect(cut("Yes.\n-- \nAda\nGarden Street 1")).toBe("Yes.");
  expect(cut("Yes.\n\n-- \nAda\n\nOn 9 Jan 2026, Cortex wrote:\n> Shall I?")).toBe("Yes.");
  expect(cut("Yes.\n\nOn 9 Jan 2026, Cortex wrote:\n> Shall I?\n\n-- \nAda")).toBe("Yes.");
  const long = `Yes.\n-- \n${"A line of the poem.\n".repeat(40)}`;
  expect(cut(long)).toBe(long.trim());
  expect(cut("a -- b\n--\nc")).toBe("a -- b\n--\nc");
});

test.each([
  ["below the text", "Yes.\n\n--\nAda Lovelace\nGarden Street 1\n+49 170 1234567"],
  ["above a quote", "Yes.\n\n--\nAda\nada@garden.example\n\nOn 9 Jan 2026, Cortex wrote:\n> Shall I?"],
  ["below a quote", "Yes.\n\nOn 9 Jan 2026, Cortex wrote:\n> Shall I?\n\n--\nAda\nhttps://garden.example/"],
])("a signature whose mark has lost its space goes where it is one: %s", (_where, text) => {
  expect(cut(text)).toBe("Yes.");
});

test.each([
  ["a rule of Markdown", "The tides.\n\n---\nAda\nada@garden.example"],
  ["a line between two parts", "Two things.\n\n--\nPlease call Bob, +49 170 1234567"],
  ["an answer below a line", "Who?\n\n--\nAda"],
  ["a list", "Ask\n\n-- Ada\n-- ada@garden.example"],
  [
    "words below a name",
    "Minutes\n\n--\nAda\nShe says no.\nWrite to her: ada@garden.example. Then go on.\nThat is all.",
  ],
  ["more behind it", `Look:\n\n--\nAda\nada@garden.example\n${"\nAnd so on.".repeat(9)}`],
  ["a card within the text", "Yes\n--\nAda\nada@garden.example"],
  ["a line with a date", "2026年1月9日、港で会いましょう。\n> Where?"],
  ["a line with a day", "2026/01/09: I was there\n> Were you?"],
  ["a name that wrote", "他写道：\n> Never."],
])("what is no signature and no such line stays: %s", (_what, text) => {
  expect(cut(text)).toContain(text.split("\n> ")[0]);
});

test.each([
  ["English", "From: Cortex <c@h.example>\nSent: Friday, January 9, 2026 10:00\nTo: Ada\nSubject: Roses"],
  ["German", "Von: Cortex <c@h.example>\nGesendet: Freitag, 9. Januar 2026 10:00\nAn: Ada\nBetreff: Roses"],
  ["bold", "*From:* Cortex <c@h.example>\n*Sent:* Friday\n*To:* Ada\n*Subject:* Roses"],
])("Outlook's block of headers goes with all below it: %s", (_language, block) => {
  expect(cut(`Yes.\n\n________________________________\n${block}\n\nShall I?`)).toBe("Yes.");
  expect(cut(`Yes.\n\n-----Original Message-----\n${block}\n\nShall I?`)).toBe("Yes.");
});

test.each([
  ["answers between quotes", "On 9 Jan 2026, Cortex wrote:\n> Shall I?\nYes.\n> And now?\nNo."],
  ["a quote of somebody's own", "Look what Bob says:\n> Never.\nIs he right?"],
  ["a line like the first of a block of headers", "From: here to there it is a mile.\nHow long is that?"],
  ["a line like one that says whose words follow", "On Monday Bob wrote:\nit is late."],
  ["a command", "/new"],
])("what a person writes stays: %s", (_what, text) => {
  expect(cut(text)).toBe(text);
});

test("answers between quotes stay where the last one has a quote below it", () => {
  expect(cut("> Shall I?\nYes.\n> And now?\nNo.\n\nOn 8 Jan 2026, Ada wrote:\n> Hello")).toBe(
    "> Shall I?\nYes.\n> And now?\nNo.",
  );
});

test("where all would be cut, nothing is", () => {
  expect(cut("> Shall I?")).toBe("> Shall I?");
  expect(cut("-- \nAda")).toBe("-- \nAda");
});

test("HTML's quotes have no marks: they go from the line that says whose they are", () => {
  const text = "Yes.\n\nOn Fri, Jan 9, 2026 at 10:00 AM Cortex (mailto:c@h.example) wrote:\n\nShall I?";
  expect(withoutQuotes(text, true)).toBe("Yes.");
  expect(cut(text)).toBe(text);
  for (const line of [
    "2026年1月9日(金) 10:00 Cortex <c@h.example (mailto:c@h.example)>:",
    "Cortex <c@h.example (mailto:c@h.example)> 于2026年1月9日周五 10:00写道：",
    "2026년 1월 9일 (금) 오전 10:00, Cortex <c@h.example>님이 작성:",
    "Cortex <c@h.example> escreveu (sexta, 9/01/2026 à(s) 10:00):",
  ])
    expect(withoutQuotes(`Yes.\n\n${line}\n\nShall I?`, true)).toBe("Yes.");
  const told = "2026年1月9日に着きました。\n写真を見てください:\nhttps://a.example/";
  expect(withoutQuotes(told, true)).toBe(told);
  expect(withoutQuotes("On Monday Bob wrote:\nit is late.", true)).toBe("On Monday Bob wrote:\nit is late.");
});

test("a mail of a million lines is read at once", () => {
  for (const line of [
    "> \n",
    "On a\n",
    "From: a\n",
    "-- \n",
    "wrote:\n",
    " \n",
    "--\nAda\n",
    `${"2026年".repeat(400)}\n`,
    "a <b> escreveu (\n",
  ])
    expect(withoutQuotes(line.repeat(Math.ceil(1_200_000 / line.length)), true).length).toBeLessThanOrEqual(
      line.length * 1_200_000,
    );
});
