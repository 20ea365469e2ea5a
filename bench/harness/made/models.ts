/** Providers that are played on this machine and answer at once, so that all that is measured is overhead. */
import { playAnthropic } from "../../../test/support/providers/anthropic.ts";
import { playOpenai } from "../../../test/support/providers/openai.ts";
import type { Play, Reply } from "../../../test/support/providers/played.ts";
import { bareScript } from "./bare-process.ts";
import type { Settings } from "../../../protocol/settings/settings.ts";

export type Model = {
  backend: string;
  play: Play;
  environment: (url: string) => Record<string, string>;
  settings: Settings;
  /** A bare Node script that asks with `fetch`, reads the answer to its end, and leaves. */
  hello: string[];
};

const key = "sk-bench-0123456789";

export const openai: Model = {
  backend: "openai",
  play: playOpenai,
  environment: (url) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: url }),
  settings: { openai: { api: "responses" }, default_backend: "openai", default_model: { openai: "gpt-bench" } },
  hello: [process.execPath, bareScript("openai-hello.mjs")],
};

export const anthropic: Model = {
  backend: "anthropic",
  play: playAnthropic,
  environment: (url) => ({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url }),
  settings: { default_backend: "anthropic", default_model: { anthropic: "claude-bench" } },
  hello: [process.execPath, bareScript("anthropic-hello.mjs")],
};

/** A run that asks its model once. */
export const hello = { prompt: "hello", disable_mcp: true };

/** So many short answers. */
export const answers = (count: number): Reply[] => Array.from({ length: count }, () => ({ turn: { text: "hello" } }));

/** Settings that start a fresh process for each run. */
export const noWarm = { max_warm: 0 };
