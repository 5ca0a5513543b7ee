// Bugs to plant in what a turn is accounted for and bounded by: notes of model calls, frames that wait for the store, readers
// whose log cannot be read. Most of their tests start a database, so these take long.

import { plantIn } from "./plant-in.js";
import type { Row } from "./plant-rows.js";
import { rowsOf } from "./plant-rows.js";
import type { Plant } from "./plants.js";

const NOTES: readonly Row[] = [
  ["a note of an earlier owner", "and epoch = $2 and status = 'running'", "and $2::int > 0 and status = 'running'"],
  ["a note of a turn that has ended", "and status = 'running' for share", "for share"],
  ["a call that is noted again", "      on conflict do nothing\n", ""],
  ["a tenant's budget is seen", "(agent_id is null or agent_id = $4)", "agent_id = $4"],
];
const CALLS: readonly Row[] = [
  ["figures are the oldest call's", "open.findIndex(isIt)", "open.findLastIndex(isIt)"],
  ["figures are of their model", "take(({ model }) => model === event.model)", "take(() => true)"],
  ["a call that was not made", "    this.#take((other) => other === call);\n", ""],
  ["a call that told nothing", ", ...untold]", "]"],
  ["what is estimated says so", "estimated: true, occurredAt: begunAt", "estimated: false, occurredAt: begunAt"],
  ["what is estimated is used", "addUsage(sum, inputUsage(inputTokens))", "sum"],
  ["figures from before a call", "note !== undefined && note.told <= toldMax", "note !== undefined"],
];
const BUDGET: readonly Row[] = [
  ["nothing is settled that is not held", "      if (!held) this.#settled(reservationId);\n", ""],
  ["a call that was not made", "if (usedTokens === undefined) calls.withdraw(call);", ""],
  ["a call that was not granted", "      calls.withdraw(call);\n      throw", "      throw", "turn-budget-db"],
  ["what is held at the end", "this.#unsettled.length === 0) return", "true) return", "turn-budget-db"],
];
const UNSTORED: readonly Row[] = [
  ["the writer is held back", "if (!this.#isFull()) return", "return"],
  ["a writer that does not wait", " + Math.max(0, this.#unstoredBytes - UNSTORED_BYTES_HIGH)", ""],
  ["what is stored waits no more", "        this.#unstoredBytes -= piece.bytes;\n", ""],
  ["a piece is tried again", "        await this.#pause();\n", "        return;\n"],
  ["a piece in doubt is settled", "if (first?.isInDoubt) {", "if (first === undefined) {"],
  ["turns of one pace", " + share * (PIECE_BYTES - FIRST_PIECE_BYTES_MIN)", ""],
  ["a piece that is not the first", "    this.#pieceBytes = PIECE_BYTES;\n", ""],
];
const ANSWER: readonly Row[] = [
  ["what is stored is read", "for (let seq = 0; seq < storedSeq; )", "for (let seq = storedSeq; seq < storedSeq; )"],
  ["the rest is read", "yield* [...this.#log.held(storedSeq), ", "yield* ["],
  [
    "the store may be away",
    "await whileAway(() => readPiece(database, turn.orgId, turn.turnId, seq), clock)",
    "await readPiece(database, turn.orgId, turn.turnId, seq)",
  ],
  ["what is stored is known", "        this.#storedSeq = piece.lastSeq;\n", ""],
];
const PIECES: readonly Row[] = [
  ["an earlier owner's piece", ") t on t.epoch = g.epoch and t.status", ") t on t.status"],
  ["a piece of a turn that does not run", " and t.status = 'running'", ""],
  ["a gap", "where before.last = g.first_seq - 1", "where before.last < g.first_seq"],
  [
    "a piece that is there",
    "else if (found.stored || found.before >= lastSeq) resolve();",
    "else if (found.stored) resolve();",
  ],
  ["pieces wait for others", "if (waiting.length < PIECES_STORED_AT_ONCE_MAX && ", "if (waiting.length < 0 && "],
  ["a fast turn does not wait for others", "PIECES_STORED_AT_ONCE_MAX && !isAgain)", "PIECES_STORED_AT_ONCE_MAX)"],
  [
    "one that is refused",
    "if (!isFramerailError(error) && group.length > 1)",
    "if (!isFramerailError(error) && group.length < 1)",
  ],
  ["each has its own bytes", "substring($6::bytea from begins for weight)", "$6::bytea"],
];
const FRAME_TEXT: readonly Row[] = [
  [
    "frames are read once",
    "seq > this.#readSeq ? this.#readFrame(bytes, next, seq) : endOfFrame(bytes, next)",
    "this.#readFrame(bytes, next, seq)",
  ],
  ["numbers with more digits", "if (seq >= this.#numberEnd)", "if (this.#numberEnd === 0)"],
  ["escapes are undone", "this.#hasEscapes ? (JSON", 'this.#hasEscapes && json === "" ? (JSON'],
  ["a quote that ends nothing", "if (unit === BACKSLASH) {", "if (unit === BACKSLASH && end < 0) {"],
  ["frames without text", 'Buffer.from("text\\n")', 'Buffer.from("")'],
  ["the time of the first", "this.#at ??= timeOf", "this.#at = timeOf"],
  ["what is joined moves on", "    this.#joined.copy(grown, 0, 0, used);\n", ""],
  ["what was taken is gone", '    [this.#text, this.#at] = ["", undefined];\n', "    this.#at = undefined;\n"],
  [
    "what became a string is joined no more",
    "[this.#end, this.#hasEscapes] = [0, false];",
    "this.#hasEscapes = false;",
  ],
  ["a text without an end", "if (unit === undefined) throw broken(seq);", "if (unit === undefined) return at;"],
];
const MESSAGE: readonly Row[] = [
  ["text stands before what came after it", "text.readTo(kept?.afterSeq ?? lastSeq)", "text.readTo(lastSeq)"],
  ["a frame before is missing", "      if (row.firstSeq > text.readSeq + 1) throw missing(text.readSeq);\n", ""],
  ["the last frames are missing", "    if (text.readSeq !== lastSeq) throw missing(text.readSeq);\n", ""],
  ["what is kept is a copy", "isText ? event : readBack(json)", "event"],
  ["what cannot be kept", "  if (issue) throw new", '  if (issue && json === "") throw new'],
  ["what is kept inside is in no frame", "    if (!this.#isShown) return this.#message;\n", ""],
];
const SEGMENT: readonly Row[] = [
  ["a segment of another block", "next.block !== this.block || ", ""],
  ["a segment further on", " || next.start !== this.#end", ""],
  ["what has grown is not what was asked for", "    this.#chunks = undefined;\n", ""],
  ["where a tail begins", "if (next > afterSeq + 1) break;", "if (next > afterSeq) break;"],
  ["a turn in few blocks", "from.length * 2), BLOCK_BYTES_MAX", "from.length), BLOCK_BYTES_MIN"],
  ["a tick that has no end", "2 * size + bytesMax", "size + bytesMax"],
  ["a tick goes along to the next block", "if (size > 0) from.copy", "if (size > 9e9) from.copy"],
  ["what is looked at is a copy", "return copy.cut(firstSeq, lastSeq);", "return this.cut(firstSeq, lastSeq);"],
  ["what is dropped is gone", "    this.end = this.#start;\n  }\n\n  /** Lets go", "  }\n\n  /** Lets go"],
];
const BUFFER: readonly Row[] = [
  ["a run of another block", "segment.block !== this.#block || ", ""],
  ["a run that does not go on", " || segment.start !== this.#end", ""],
  ["an older run stays", "    this.#older.push(...this.#newest());\n", ""],
  [
    "memory has a bound",
    "    if (this.#bytes > TURN_BYTES_IN_MEMORY_MAX && !this.#waitsForStore) this.#letGo();\n",
    "",
  ],
];
const HELD: readonly Row[] = [
  ["what is not stored stays", "= oldest.lastSeq > this.#storedSeq", "= false"],
  ["what is stored may go", "    this.#storedSeq = seq;\n    this.#letGo();\n", "    this.#letGo();\n"],
  [
    "what is stored is looked at again",
    "    this.#storedSeq = seq;\n    this.#letGo();\n",
    "    this.#storedSeq = seq;\n",
  ],
];
const POOL: readonly Row[] = [
  ["a block that is read is nobody else's", " || lent.has(block)", ""],
  ["a block given twice", "  lent.add(block);\n  shelf", "  shelf"],
  ["a part is not a block", "!isWhole || ", ""],
  ["what waits has a bound", " || freeBytes + size > POOL_BYTES_MAX", ""],
  ["what is taken makes room", "  freeBytes -= size;\n", ""],
  ["what is needed is kept", "  shelf.fewest = Math.min(shelf.fewest, shelf.blocks.length);\n", ""],
  ["what is not needed goes", "shelf.blocks.splice(0, shelf.fewest).length * size", "0"],
  ["what is not needed is looked for again", "  if (freeBytes > 0) watch();\n", ""],
];
/** By file: what one turn may leave to the next. */
const USED_AGAIN_ON_REDIS: Readonly<Record<string, readonly Row[]>> = {
  "redis-view": [["what may have to be restored is kept", "if (this.#kept?.isDropped) super.", "super."]],
  "redis-log": [
    ["a turn on Redis that has ended lets go", "      owned.letGo();\n", ""],
    ["a turn that is written again keeps its blocks", "    if (joins) view.keepBlocks();\n    else if", "    if"],
  ],
  "redis-turn": [
    [
      "a turn that fails on Redis keeps its blocks",
      "    this.view.keepBlocks();\n    this.kept.drop();",
      "    this.kept.drop();",
    ],
    ["a call that failed may still be on its way", "    // T5\n    this.view.keepBlocks();\n", ""],
    ["an end on its way is no end", " && this.#ackedSeq >= this.#terminalSeq;\n    if", ";\n    if"],
  ],
};
const LEFT_BY_TURNS: readonly Row[] = [
  ["a turn that failed keeps its blocks", "    this.view.keepBlocks();\n", "", "used-again"],
  ["what is stored need not be kept", "    this.view.leaveJournal(this.#ref.turnId, seq);\n", "", "recovered-log"],
];
const FREE: readonly Row[] = [
  [
    "a block of which a part is kept",
    "      if (next !== oldest.block) this.onFree",
    "      if (next) this.onFree",
    "turn-buffer",
  ],
  ["a block of which nothing is kept", "      if (next !== oldest.block) this.onFree(oldest.block);\n", ""],
  ["a turn that is read keeps its blocks", " || this.watcherCount > 0", ""],
];
const LENT: readonly Row[] = [
  ["what a socket has not taken is lent", "if (this.#waitingBytes > 0) lendBlock(block);", ""],
  ["what a response may keep is a copy", 'typeof text === "string" ? text : Buffer.from(text)', "text"],
];
const JOURNAL: readonly Row[] = [
  ["what is not stored is needed", " || part.lastSeq > lastSeq", ""],
  ["a part grows with its turn", "    if (known !== undefined) known.lastSeq = lastSeqOf(record);\n", ""],
  ["a part is known again", "  part.lastSeq = lastSeqOf(record);\n", ""],
  ["a file that is written to stays", " && file !== current) release(file);\n      }", ") release(file);\n      }"],
  ["files that are used again end", "JOURNAL_FILE_BYTES_MAX) beginNext", "JOURNAL_FILE_BYTES_MAX * 9) beginNext"],
];
const FOLDER: readonly Row[] = [
  ["a file waits to be used again", "this.#spares.length >= JOURNAL_SPARES_MAX", "this.#spares.length >= 0"],
  ["few files wait", "this.#spares.length >= JOURNAL_SPARES_MAX", "this.#spares.length >= 99"],
  ["no spare outlives its process", "if (SPARE_NAME.test(name)) rmSync", "if (name === SPARE_NAME.source) rmSync"],
  ["no spare is left", "    for (const spare of this.#spares.splice(0)) rmSync(spare, { force: true });\n", ""],
  ["numbers only grow", "    this.#latest = numbers.at(-1) ?? 0;\n", ""],
  ["a spare is one file", "this.#spares.pop()", "this.#spares.at(-1)"],
  ["a file that waits is closed", "    closeSync(descriptor);\n", ""],
  ["who is in the way of a spare", "    } catch {", "    } catch (error) {\n      if (error) throw error;"],
];
const RECORD: readonly Row[] = [
  ["what another use left", "crc32(fields, file) !==", "crc32(fields, content.readUInt32BE(start + 49)) !=="],
];
const LEFT: readonly Row[] = [
  [
    "what is between two files is stored",
    "    if (frames.firstSeq > this.lastSeq + 1) this.#places.clear();\n",
    "",
    "recovered-log",
  ],
  ["a file that is not kept is not read", "    if (file > 0) this.#places.drop(file);\n", "", "recovered-log"],
  ["a place behind a gap", " || found.firstSeq > afterSeq + 1", ""],
];
const PACKING: readonly Row[] = [
  ["who waits is let in", "  else next(table);\n", "  else tables.push(table);\n"],
  ["a table is given back", "    giveBack(table);\n", ""],
  [
    "a checksum is believed only where it is right",
    "stored.readUInt32BE(CHECKSUM_AT) === crc32(compressed)",
    "length > 0",
  ],
  ["a format is one that is known", "stored[0] === BROTLI", "length > 0"],
  ["what was deflated is read", "bytes[0] === DEFLATE", "bytes[0] === BROTLI + DEFLATE"],
];
const ALONE: readonly Row[] = [
  ["who is alone rests", "if (this.#mayRest()) this.goOn();\n      else ", ""],
  ["what could not be ended is no rest", " || abandoned.size > 0 || this", " || this"],
  ["a round that failed is no rest", " || !this.#isDone", ""],
];
const LATER: readonly Row[] = [
  ["what waits is on the page", "histogram(registry, metric, flush)", "histogram(registry, metric)"],
  ["what waits is counted once", "    waiting = [];\n", ""],
];
const READER: readonly Row[] = [
  ["a log that cannot be read back", "({ logged: [], failure: error })", "Promise.reject(error)"],
  ["a log that cannot be asked", "({ view: undefined, failure: error })", "Promise.reject(error)"],
  ["something else in a frame's place", "wrong === -1 ? frames : frames.slice(0, wrong)", "frames"],
  ["a turn that runs has not expired", '(await find())?.status === "ended"', "(await find()) !== undefined"],
  ["a turn that has ended has", '(await find())?.status === "ended"', "(await find()) === undefined"],
];

export const ACCOUNT_PLANTS: readonly Plant[] = [
  ...rowsOf("store", "open-calls", "open-calls", NOTES),
  plantIn("store/turn-end.ts", "store/open-calls.test.ts")(
    "the end takes the notes away",
    'closeCalls("$2", "ended")',
    'closeCalls("$2", "(select null where false)")',
  ),
  ...rowsOf("ledger", "turn-calls", "turn-calls", CALLS),
  ...rowsOf("dispatch", "turn-budget", "open-call-db", BUDGET),
  ...rowsOf("dispatch", "unstored-frames", "unstored-frames-db", UNSTORED),
  ...rowsOf("dispatch", "unstored-frames", "answer-kept-db", ANSWER),
  ...rowsOf("dispatch", "turn-message", "turn-message", MESSAGE),
  plantIn("dispatch/record-turn.ts", "dispatch/answer-kept-db.test.ts")(
    "text that is kept inside has no frames",
    "      options.showsText,\n",
    "      true,\n",
  ),
  ...rowsOf("log", "frame-text", "frame-text", FRAME_TEXT),
  ...rowsOf("log", "segment", "segment", SEGMENT),
  ...rowsOf("log", "turn-buffer", "turn-buffer", BUFFER),
  ...rowsOf("log", "turn-buffer", "memory/memory-log", HELD),
  ...rowsOf("log", "block-pool", "block-pool", POOL),
  ...Object.entries(USED_AGAIN_ON_REDIS).flatMap(([file, rows]) => rowsOf("log/redis", file, "used-again", rows)),
  ...rowsOf("log", "turn-buffer", "memory/used-again", FREE),
  ...rowsOf("gateway/stream", "stream-output", "stream-output", LENT),
  ...rowsOf("log/memory", "journal-file", "journal-file", JOURNAL),
  ...rowsOf("log/memory", "journal-folder", "journal-file", FOLDER),
  ...rowsOf("log/memory", "journal-record", "journal-file", RECORD),
  ...rowsOf("log/memory", "memory-view", "memory-log", LEFT),
  ...rowsOf("log/memory", "memory-turn", "memory-log", LEFT_BY_TURNS),
  ...rowsOf("log/memory", "memory-log", "memory-log", [
    ["a turn that has ended lets go", "      turn?.letGo();\n", "", "used-again"],
    ["nothing is waited for without a journal", "journal === undefined ? atEndOfEvent : atEndOfTick", "atEndOfTick"],
    ["a tick is one write", "journal === undefined ? atEndOfEvent : atEndOfTick", "atEndOfEvent"],
    ["a turn whose beginning is stored", "readWhole(turn.view, turn.view.firstSeq - 1)", "readWhole(turn.view)"],
  ]),
  ...rowsOf("log/memory", "journal-places", "memory-log", [
    ["places have a bound", "if (this.#fields.length === JOURNAL_PLACES_MAX * FIELDS)", "if (Number.isNaN(FIELDS))"],
    ["whole rows go", "splice(0, this.#fields.length / 2)", "splice(0, this.#fields.length / 2 + 1)"],
  ]),
  ...rowsOf("store", "frame-segment", "frame-segment", PACKING),
  ...rowsOf("store", "store-pieces", "store-pieces", PIECES),
  ...rowsOf("dispatch", "seal-orphan", "open-call-db", [
    ["a call under way at a death", "await readOpenCalls(database, orgId, turnId)", "[]"],
  ]),
  ...rowsOf("dispatch", "seal-turns", "seal-turns-db", ALONE),
  ...rowsOf("dispatch", "seal-turns", "seal-turns-db", [
    ["what others left is looked for", "if (left.orphans || abandoned", "if (abandoned"],
    ["what could not be ended is looked for", "left.orphans || abandoned.size > 0", "left.orphans"],
    ["ends of those who are gone", "if (left.gone || abandoned", "if (abandoned"],
    ["nothing left is nothing asked", "if (left.gone || abandoned.size > 0) await", "await"],
  ]),
  ...rowsOf("store", "leases", "leases", [
    ["one's own turns are no orphans", "where is_open and owner <> $1 and", "where is_open and"],
    ["one is not gone oneself", "where owner <> $1\n        and expires_at", "where expires_at"],
    [
      "the gone are gone lately",
      "between clock_timestamp() - make_interval(secs => $3 /",
      "between clock_timestamp() - make_interval(secs => $3 * 1e3 /",
    ],
  ]),
  ...rowsOf("telemetry", "metrics", "metrics", LATER),
  ...rowsOf("gateway/stream", "open-reader", "open-reader", READER),
];
