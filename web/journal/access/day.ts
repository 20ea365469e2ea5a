/** A day, as requests name it. */
import { z } from "zod";
import { isDay } from "../../../protocol/names/names.ts";

export const Day = z.string().refine(isDay, "expected a date as YYYYMMDD").meta({ description: "YYYYMMDD" });
