// Bugs to plant in the drivers, the lock, the migrations and the door to the database: each guard with the smallest
// change that breaks it. Their tests start a database, so these are few and take long; what runs in the embedded
// database's thread is built and cannot be planted here.

import type { Row } from "./plant-rows.js";
import { rowsOf } from "./plant-rows.js";
import type { Plant } from "./plants.js";

const FAILURE: readonly Row[] = [
  ["a system's own code is no refusal", "(?:[0-9][0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}", "[0-9A-Z]{5}"],
  ["a server that cannot at present", "if (!NOT_NOW.test(code)) return error;", "return error;"],
  ["a server that goes away", "|| LINE_GONE.test(code)", ""],
  ["who may not come in", "^(?:28|3D|42)", "^(?:28)"],
];
const SCOPE: readonly Row[] = [["statements end with their transaction", "over = true;", "over = false;"]];
const POSTGRES: readonly Row[] = [
  ["a commit that was sent is unknown", "return brokenConnection(error, true);\n  const", "return error;\n  const"],
  ["a server that dies of a commit", "return lives ? storeError(error, true) : ", "return lives ? error : error ?? "],
  ["a lone statement's commit is unknown", "sqlStateOf(cause) === undefined);", "false);"],
  ["what the server said is no doubt", "sqlStateOf(cause) === undefined);", "true);"],
  ["a lone statement that dies of its commit", "if (wasCommitting) throw", "if (!cause) throw"],
  ["an author's error costs no connection", 'failed || client.getTransactionStatus() !== "I"', "true"],
  ["a server that failed is asked anew", "failed || client.getTransactionStatus()", "client.getTransactionStatus()"],
  ["a failed transaction is not committed", 'if (answer.command !== "COMMIT")', "if (!answer)", "../transactions"],
  ["those who wait are bounded", "pool.waitingCount >= waitingMax", "pool.waitingCount > waitingMax"],
  ["an answer is not waited for without end", "query_timeout: statementMsMax + ANSWER_MS_EXTRA,", ""],
  ["a statement has a limit on the server", "statement_timeout: statementMsMax,", ""],
  ["a break of an idle connection is heard", 'pool.on("error", (error) => report?.(error));', ""],
  ["an address is checked", "if (!/^postgres(?:ql)?:/.test(url) || !URL.canParse(url))", "if (!url)"],
];
const ONE_COMMIT: readonly Row[] = [
  [
    "the role ends with the statement",
    "set_config('role', $1, true)",
    "set_config('role', $1, false)",
    "../open-database",
  ],
  [
    "the tenant does too",
    "set_config('app.org_id', $2, true)",
    "set_config('app.org_id', $2, false)",
    "../open-database",
  ],
  ["a statement has its scope", "values: [role, orgId]", 'values: ["none", orgId]', "../open-database"],
  ["nothing is waited for after a refusal", 'queryMode: "extended"', "", "../transactions"],
  ["what was carried out is at its commit", "this.#commands -= 1;", ""],
  ["a scope is a command too", "scope.role === undefined ? 1 : 2", "1"],
];
const EMBEDDED: readonly Row[] = [
  ["a commit that was sent is unknown", '{ kind: "commit" }, true)', '{ kind: "commit" })'],
  ["a dead thread is replaced", "if (!this.#line.hasEnded) return;", "return;"],
  ["transactions keep their order", "this.#tail.then(() => this.#reopen())", "this.#reopen()"],
  ["those who wait are bounded", "this.#queued >= this.#opened.waitingMax", "false"],
  [
    "a failed transaction is ended",
    "if (unopened === undefined) await",
    "if (unopened !== undefined) await",
    "../transactions",
  ],
  ["a failed transaction is not committed", 'if (end?.command !== "COMMIT")', "if (!end)", "../transactions"],
  ["the folder is looked at first", "    checkDataFolder(folder);\n", "", "data-folder"],
];
const LINE: readonly Row[] = [
  ["a thread that does not answer is ended", "() => void this.terminate());", "() => undefined);"],
];
const LOCK: readonly Row[] = [
  ["a number given to another process", 'return started === "" || startOf(pid) === started;', "return true;"],
  ["another machine's lock", "if (host !== hostOf()) return true;", ""],
  ["one takes over", "if (takeLock(folder, marker) === undefined) return false;", ""],
  ["another's lock is not given back", "if (readHolder(path)?.token === mine.token) rmSync", "rmSync"],
  ["a process nobody asked after", 'state === "Z"', "false"],
];
const DATABASE: readonly Row[] = [
  ["a table without row security", "if (open.length > 0)", "if (open.length > 99)"],
  ["the roles are apart", "if (tables.some(({ system }) => system))", "if (tables.length > 99)"],
  ["repeats are bounded", "tries >= RETRIES_MAX", "tries > RETRIES_MAX", "transactions"],
];
const SQL: readonly Row[] = [
  ["the tenant ends with the transaction", "set local app.org_id", "set app.org_id"],
  ["the role ends with the transaction", "set local role", "set role"],
];
const MIGRATE: readonly Row[] = [
  ["one migrates at a time", "select pg_advisory_xact_lock(", "select abs("],
  ["a file that was edited", "|| known.digest !== digest", ""],
  ["a newer database", "newer.version > newest", "newer.version > newest + 1"],
];

export const STORE_PLANTS: readonly Plant[] = [
  ...rowsOf("store", "failure", "failure", FAILURE),
  ...rowsOf("store", "scoped-sql", "transactions", SCOPE),
  ...rowsOf("store/postgres", "postgres-driver", "postgres-driver", POSTGRES),
  ...rowsOf("store/postgres", "one-commit", "postgres-driver", ONE_COMMIT),
  ...rowsOf("store/embedded", "embedded-driver", "embedded-driver", EMBEDDED),
  ...rowsOf("store/embedded", "thread-line", "embedded-driver", LINE),
  ...rowsOf("store/embedded", "folder-lock", "folder-lock", LOCK),
  ...rowsOf("store", "database", "open-database", DATABASE),
  ...rowsOf("store", "sql", "open-database", SQL),
  ...rowsOf("store", "migrate", "migrate", MIGRATE),
];
