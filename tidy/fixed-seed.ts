// Loaded before every test file. Generated inputs are the same on every run, so that a red build is red for everybody;
// the long mode looks for new ones, and prints the seed of what it finds.

import fc from "fast-check";

const SEED = 20_261_115;

if (!process.env.FRAMERAIL_LONG) fc.configureGlobal({ seed: SEED });
