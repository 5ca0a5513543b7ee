// Bugs to plant in the check of agents' types: what it must find, and what it must not take for a mistake.

import type { Row } from "./plant-rows.js";
import { rowsOf } from "./plant-rows.js";
import type { Plant } from "./plants.js";

const JUDGE: readonly Row[] = [
  [
    "packages are not judged",
    "return !(isDeclarationFile || fileName.includes",
    "return !isDeclarationFile; (fileName.includes",
  ],
  [
    "what loading decides",
    "new Set([...NOT_FOUND, ...OTHER_FORMAT, ...NO_TYPES])",
    "new Set([...OTHER_FORMAT, ...NO_TYPES])",
  ],
  ["types that are not installed", "...OTHER_FORMAT, ...NO_TYPES]", "...OTHER_FORMAT]"],
  ["what an unknown module hands on", "(isBlind && isGuess(code))", "false"],
  ["what a known module hands on", "(isBlind && isGuess(code))", "isGuess(code)"],
  ["an agent is a module", "{ ...settings, impliedNodeFormat: typescript.ModuleKind.ESNext }", "settings"],
  ["the last part of a sentence", "return last === messageText ? first :", "return last !== undefined ? first :"],
  ["a sentence has an end", "sentence.length > TYPE_MESSAGE_LENGTH_MAX ?", "sentence.length < 0 ?"],
];
const SETTINGS: readonly Row[] = [
  ["the nearest tsconfig.json", "readConfig(typescript, folder) ??", ""],
  ["names that are not used", "    noUnusedLocals: false,\n    noUnusedParameters: false,\n", ""],
  ["what declares for everybody", "fileNames.filter((name) => DECLARATION.test(name))", "[]"],
  ["what declares beside the agents", "declarations.map((name) => join(folder, name))", "[]"],
];
const CHECK: readonly Row[] = [
  ["a check that takes too long", "leaveOut(`it took", "String(`it took"],
  ["a check that fails", "leaveOut(`it failed", "String(`it failed"],
  ["a check that is stopped", '      leaveOut("it was ended");\n', ""],
];

export const TYPE_PLANTS: readonly Plant[] = [
  ...rowsOf("worker", "judge-types", "judge-types", JUDGE),
  ...rowsOf("worker", "compiler-settings", "judge-types", SETTINGS),
  ...rowsOf("worker", "check-agent-types", "check-agent-types", CHECK),
];
