/** Fields that the shapes of several events share. */
import { z } from "zod";
import { FileParts } from "../files/attachment.ts";

export const text = (description: string) => z.string().meta({ description });
export const count = (description: string) => z.number().nonnegative().meta({ description });

export const inputs = count("How many of the inputs of this attempt its model has heard; absent: none.").optional();

export const parts = FileParts.optional().catch(undefined);

export const callId = text("Joins a `tool_start` with its `tool_end`.");
