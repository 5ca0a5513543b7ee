#!/usr/bin/env node
// The command, as a file that is there before anything is built: npm links it when it installs.

import "../dist/cli/main.js";
