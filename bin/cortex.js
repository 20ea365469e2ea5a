#!/usr/bin/env node
import { launch } from "./launch.js";

const { cortex } = await launch("scripts/cortex");
process.exitCode = await cortex(process.argv.slice(2));
