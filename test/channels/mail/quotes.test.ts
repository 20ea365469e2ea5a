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
])("a quote at the end goes with the line that says whose it is: %s", (_language, line) => {
  expect(cut(`Yes, please.\n\n${line}\n\n> Shall I?\n>\n> Cortex\n`)).toBe("Yes, please.");
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
  expect(withoutQuotes("On Monday Bob wrote:\nit is late.", true)).toBe("On Monday Bob wrote:\nit is late.");
});

test("a mail of a million lines is read at once", () => {
  for (const line of ["> \n", "On a\n", "From: a\n", "-- \n", "wrote:\n", " \n"])
    expect(withoutQuotes(line.repeat(200_000), true).length).toBeLessThanOrEqual(line.length * 200_000);
});
