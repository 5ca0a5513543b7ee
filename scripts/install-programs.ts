// What the tests need from Debian, installed before the first of them runs: while one waits for a package it would be timed.

import { installPrograms } from "../packages/framerail/src/testing/programs.js";

const missing = installPrograms();
if (missing.length > 0) console.log(`not on this machine, and not installed: ${missing.join(", ")}`);
