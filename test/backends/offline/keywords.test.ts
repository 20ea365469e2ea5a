import { expect, test } from "vitest";
import { keywordsOf } from "../../../backends/offline/keywords.ts";

test.each([
  ["What did I decide about the garden?", ["decide", "garden"]],
  ["Tell me more, please.", []],
  ["Ada's plan for the co-op, 20250109/notes.md:12 and https://example.org/x", ["ada", "plan", "co-op"]],
  ["on 2025-01-09 at 10:30, or on the 7th of March 2024", []],
  ["invoice 4711", ["invoice", "4711"]],
  ["Was steht über Müll im Protokoll?", ["steht", "müll", "protokoll"]],
  ["東京 の予定", ["東京", "予定"]],
  ["Was ist am 11. Januar 2025 passiert?", []],
  ["Was haben wir am 11. Januar 2025 gemacht?", []],
  ["Que s’est-il passé le 11 janvier 2025 ?", []],
  ["¿Qué pasó el 11 de enero de 2025?", []],
  ["2025年1月11日に何がありましたか？", []],
  ["2025年1月11日发生了什么？", []],
  ["Qu’est-ce que l’on a décidé pour l’hiver ?", ["décidé", "hiver"]],
])("%s → %j", (text, words) => {
  expect(keywordsOf(text)).toEqual(words);
});

test("a long text gives the words that weigh most, names more than others", () => {
  const filler = Array.from({ length: 40 }, (_, at) => `filler${at}`).join(" ");
  const words = keywordsOf(`${filler} harbour gauge harbour gauge harbour Lukas ${filler.slice(0, 8)}`);
  expect(words).toHaveLength(12);
  expect(words.slice(0, 3)).toEqual(["harbour", "filler0", "gauge"]);
  expect(words).toContain("lukas");
});

test.each([
  ["x".repeat(3_000_000)],
  ["-".repeat(3_000_000)],
  [`a${"-".repeat(200_000)}b `.repeat(10)],
  ["ab ".repeat(1_000_000)],
])("a hostile text takes no time", (text) => {
  const started = process.cpuUsage();
  keywordsOf(text);
  // Of the processor's time, so that it is the same on a machine that has others to serve.
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(2_000);
});
