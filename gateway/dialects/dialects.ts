/** The table of dialects: one for each provider that has a key. */
import type { ModelProviderName } from "../../protocol/settings/model-providers.ts";
import { anthropic } from "./anthropic.ts";
import type { Dialect } from "./dialect.ts";
import { google } from "./google.ts";
import { openai } from "./openai.ts";

export const dialects: Readonly<Record<ModelProviderName, Dialect>> = { anthropic, openai, google, openrouter: openai };

export const isProvider = (name: string): name is ModelProviderName => Object.hasOwn(dialects, name);
